package registry

import (
	"strings"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// An Input is what a caller gives for one input of an operation: one tensor,
// or a list of them.
type Input struct {
	Types []tensor.DType
	List  bool // for an input that is a list, even of one
}

// Infer is [Resolve] for a node under construction: attributes that an input's
// type or length says need not be given. inputs are those of the definition,
// in order, a list given as a list.
//
// It fails with INVALID_ARGUMENT where Resolve does, where the inputs are not
// those of the definition, and where they contradict an attribute or each other.
func Infer(def *OpDef, attrs Attrs, inputs []Input) (Resolved, error) {
	if len(inputs) != len(def.Inputs) {
		return Resolved{}, status.Invalid("%d inputs specified where %v has %d", len(inputs), def, len(def.Inputs))
	}
	in := inference{def: def, attrs: attrs}
	for i := range def.Inputs {
		a := &def.Inputs[i]
		switch {
		case inputs[i].List && !a.IsList():
			return Resolved{}, status.Invalid("List provided to input '%s' when single Tensor expected, in %v", a.Name, def)
		case !inputs[i].List && a.IsList():
			return Resolved{}, status.Invalid("Single tensor passed to '%s', expected list, in %v", a.Name, def)
		}
		if err := in.arg(a, inputs[i].Types); err != nil {
			return Resolved{}, err
		}
	}
	return in.resolve()
}

// InferFlat is [Infer] for inputs given one after another, with lists
// flattened. At most one list may be of a length that the attributes do not say.
func InferFlat(def *OpDef, attrs Attrs, types []tensor.DType) (Resolved, error) {
	lens, err := splitFlat(def, attrs, len(types))
	if err != nil {
		return Resolved{}, err
	}
	in := inference{def: def, attrs: attrs}
	rest := types
	for i := range def.Inputs {
		if err := in.arg(&def.Inputs[i], rest[:lens[i]]); err != nil {
			return Resolved{}, err
		}
		rest = rest[lens[i]:]
	}
	return in.resolve()
}

// splitFlat determines the length of every input from their total.
func splitFlat(def *OpDef, attrs Attrs, total int) ([]int, error) {
	lens := make([]int, len(def.Inputs))
	rest := total
	open := "" // the attribute that says the length of the inputs in openArgs
	var openArgs []int
	for i := range def.Inputs {
		a := &def.Inputs[i]
		attr := a.NumberAttr + a.TypeListAttr
		if attr != "" && attrs.Find(attr) == nil {
			if open != "" && open != attr {
				return nil, status.Invalid("the lengths of inputs '%s' and '%s' both have to be worked out: give attr '%s' or '%s' of %v",
					def.Inputs[openArgs[0]].Name, a.Name, open, attr, def)
			}
			open = attr
			openArgs = append(openArgs, i)
			continue
		}
		lens[i] = a.Len(attrs)
		rest -= lens[i]
	}
	if rest < 0 || open == "" && rest > 0 || open != "" && rest%len(openArgs) != 0 {
		return nil, status.Invalid("%v does not match %d inputs specified", def, total)
	}
	for _, i := range openArgs {
		lens[i] = rest / len(openArgs)
	}
	return lens, nil
}

// An inference collects what the inputs say about attributes.
type inference struct {
	def      *OpDef
	attrs    Attrs // given ones
	inferred Attrs
	from     []string // the input that each of inferred comes from
}

// arg checks the types given for one input, and takes attributes from them.
func (in *inference) arg(a *ArgDef, types []tensor.DType) error {
	if a.IsRef {
		for _, t := range types {
			if !t.IsRef() {
				return status.Invalid("Input '%s' passed %v expected ref type, in %v", a.Name, t, in.def)
			}
		}
	}
	if a.NumberAttr != "" {
		n := IntAttr(int64(len(types)))
		if err := in.set(a, a.NumberAttr, n); err != nil {
			return err
		}
	}
	switch {
	case a.TypeListAttr != "":
		list := ListAttr(KindType)
		for _, t := range types {
			list.List = append(list.List, TypeAttr(t.Base()))
		}
		return in.set(a, a.TypeListAttr, list)
	case a.TypeAttr != "":
		for _, t := range types {
			if err := in.set(a, a.TypeAttr, TypeAttr(t.Base())); err != nil {
				return err
			}
		}
	default:
		for _, t := range types {
			if t.Base() != a.Type {
				return status.Invalid("Input '%s' passed %v expected %v, in %v", a.Name, t, a.Type, in.def)
			}
		}
	}
	return nil
}

// set says that an input asks for a value of an attribute.
func (in *inference) set(a *ArgDef, attr string, v AttrValue) error {
	have, who := in.attrs.Find(attr), ""
	if have == nil {
		for i := range in.inferred {
			if in.inferred[i].Name == attr {
				have, who = &in.inferred[i].Value, in.from[i]
			}
		}
	}
	if have == nil {
		in.inferred = append(in.inferred, NamedAttr{attr, v})
		in.from = append(in.from, a.Name)
		return nil
	}
	if sameSmall(have, &v) {
		return nil
	}
	said := "as given"
	if who != "" {
		said = "from input '" + who + "'"
	}
	return status.Invalid("Inconsistent values for attr '%s' %v vs. %v: %s and from input '%s', in %v",
		attr, shortValue(have), shortValue(&v), said, a.Name, in.def)
}

// sameSmall compares values of kind int, type or list(type), the only ones that
// inputs say.
func sameSmall(a, b *AttrValue) bool {
	if a.Kind != b.Kind && !(a.Kind.IsList() && b.Kind.IsList() && len(a.List)+len(b.List) == 0) {
		return false
	}
	if a.I != b.I || a.Type != b.Type || len(a.List) != len(b.List) {
		return false
	}
	for i := range a.List {
		if a.List[i].Type != b.List[i].Type {
			return false
		}
	}
	return true
}

// shortValue returns a value in an error message.
func shortValue(v *AttrValue) string {
	if v.Kind == KindType {
		return v.Type.ProtoName()
	}
	s := v.String()
	if len(s) > 100 {
		s = strings.ToValidUTF8(s[:100], "") + "..."
	}
	return s
}

func (in *inference) resolve() (Resolved, error) {
	attrs := in.attrs
	if len(in.inferred) > 0 {
		attrs = append(attrs[:len(attrs):len(attrs)], in.inferred...).normalize()
	}
	return Resolve(in.def, attrs)
}
