package registry

import (
	"strings"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// maxTensors bounds the inputs and the outputs of one node: an attribute of a
// few bytes can ask for any number.
const maxTensors = 1 << 20

// Resolved is what a node's attributes make of its operation's definition.
type Resolved struct {
	Attrs   Attrs          // with defaults filled in, sorted
	Inputs  []tensor.DType // types of the inputs, lists flattened, reference types where the definition has Ref
	Outputs []tensor.DType
}

// Resolve checks a node's attributes against the definition, fills in
// defaults, and determines the types of its inputs and outputs. Attributes that
// the definition does not know are kept as they are. attrs is not written; if no
// default is missing, the result shares it.
//
// It fails with INVALID_ARGUMENT on a missing attribute, a value of the wrong
// kind or that is not allowed, and on more than a million inputs or outputs.
// The messages do not name the node.
func Resolve(def *OpDef, attrs Attrs) (Resolved, error) {
	r := Resolved{Attrs: attrs}
	missing := 0
	for i := range def.Attrs {
		a := &def.Attrs[i]
		v := attrs.Find(a.Name)
		switch {
		case v != nil:
			if err := a.Check(v); err != nil {
				return Resolved{}, status.Invalid("%s; %v", status.From(err).Message, def)
			}
		case a.Default == nil:
			return Resolved{}, missingAttrs(def, attrs)
		default:
			missing++
		}
	}
	if missing > 0 {
		r.Attrs = def.withDefaults(attrs, missing)
	}
	ins, err := countTensors(def.Inputs, r.Attrs)
	if err != nil {
		return Resolved{}, err
	}
	outs, err := countTensors(def.Outputs, r.Attrs)
	if err != nil {
		return Resolved{}, err
	}
	types := make([]tensor.DType, 0, ins+outs)
	types = appendTypes(types, def.Inputs, r.Attrs)
	r.Inputs = types[:ins:ins]
	r.Outputs = appendTypes(types, def.Outputs, r.Attrs)[ins:]
	return r, nil
}

// withDefaults is attrs with the defaults of the attributes it does not have,
// as many as missing.
func (d *OpDef) withDefaults(attrs Attrs, missing int) Attrs {
	all := make(Attrs, len(attrs), len(attrs)+missing)
	copy(all, attrs)
	for i := range d.Attrs {
		if a := &d.Attrs[i]; a.Default != nil && attrs.Find(a.Name) == nil {
			all = append(all, NamedAttr{a.Name, *a.Default})
		}
	}
	// By insertion: attributes are in order, and few lack.
	for i := 1; i < len(all); i++ {
		for k := i; k > 0 && all[k-1].Name > all[k].Name; k-- {
			all[k-1], all[k] = all[k], all[k-1]
		}
	}
	return all
}

// missingAttrs lists the attributes that a node lacks, the last first, as
// TensorFlow does.
func missingAttrs(def *OpDef, attrs Attrs) error {
	var names []string
	for i := len(def.Attrs) - 1; i >= 0; i-- {
		if a := &def.Attrs[i]; a.Default == nil && attrs.Find(a.Name) == nil {
			names = append(names, "'"+a.Name+"'")
		}
	}
	plural := ""
	if len(names) > 1 {
		plural = "s"
	}
	return status.Invalid("NodeDef missing attr%s %s from %v", plural, strings.Join(names, ", "), def)
}

// countTensors adds up the lengths of the arguments, of which the attributes are
// valid.
func countTensors(args []ArgDef, attrs Attrs) (int, error) {
	n := int64(0)
	for i := range args {
		a := &args[i]
		if a.NumberAttr != "" {
			v := attrs.Find(a.NumberAttr)
			if v.I < 0 {
				return 0, status.Invalid("Value for number attr '%s' of argument '%s' is %d, less than 0", a.NumberAttr, a.Name, v.I)
			}
			n += min(v.I, maxTensors+1)
		} else {
			n += int64(a.Len(attrs))
		}
		if n > maxTensors {
			return 0, status.Invalid("with argument '%s' the node has more than %d tensors, which is the most a node may have on one side", a.Name, maxTensors)
		}
	}
	return int(n), nil
}

func appendTypes(types []tensor.DType, args []ArgDef, attrs Attrs) []tensor.DType {
	for i := range args {
		a := &args[i]
		if a.TypeListAttr != "" {
			list := attrs.Find(a.TypeListAttr).List
			for k := range list {
				types = append(types, a.ref(list[k].Type))
			}
			continue
		}
		t := a.typeOf(attrs)
		for range a.Len(attrs) {
			types = append(types, t)
		}
	}
	return types
}

// CheckInputs reports whether tensors of the given types can be the inputs: as
// many as there are inputs, each of its input's type. A reference may go where
// its value is asked for, and not the other way round.
func (r *Resolved) CheckInputs(types []tensor.DType) error {
	if len(types) != len(r.Inputs) {
		return status.Invalid("NodeDef expected inputs '%s' do not match %d inputs specified", typeNames(r.Inputs), len(types))
	}
	for i, got := range types {
		if want := r.Inputs[i]; !Accepts(want, got) {
			return status.Invalid("Input %d was passed %v incompatible with expected %v.", i, got, want)
		}
	}
	return nil
}

// Accepts reports whether an input of type want takes a tensor of type got: of the
// same type, or a reference to it.
func Accepts(want, got tensor.DType) bool { return got == want || got.Base() == want }

// typeNames lists types, not more than a message can bear.
func typeNames(types []tensor.DType) string {
	const most = 20
	var b strings.Builder
	for i, t := range types {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == most {
			b.WriteString("...")
			break
		}
		b.WriteString(t.String())
	}
	return b.String()
}
