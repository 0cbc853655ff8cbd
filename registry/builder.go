package registry

import (
	"slices"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Builder collects the text of a definition. Its methods return the builder
// itself, to be chained; nothing is parsed before the first look-up. They are not
// inlined: thousands of calls, each executed once, would be most of what compiling
// the operations takes.
type Builder struct {
	def                    OpDef // name and flags
	inputs, outputs, attrs []string
	doc                    string
	accesses               []namedAccess
}

// Input adds an input: "x: T", "values: N * T", "args: Tin", "ref: Ref(T)".
//
//go:noinline
func (b *Builder) Input(spec string) *Builder { b.inputs = append(b.inputs, spec); return b }

// Output adds an output, written as an input is.
//
//go:noinline
func (b *Builder) Output(spec string) *Builder { b.outputs = append(b.outputs, spec); return b }

// Attr adds an attribute: "T: {float, double} = DT_FLOAT", "N: int >= 1",
// "shape: shape", "ids: list(int) >= 2 = [1, 2]".
//
//go:noinline
func (b *Builder) Attr(spec string) *Builder { b.attrs = append(b.attrs, spec); return b }

// Doc sets the documentation: a summary line, then perhaps an empty line and
// more, where a line "name: text" describes the argument or attribute of that name.
//
//go:noinline
func (b *Builder) Doc(text string) *Builder { b.doc = text; return b }

// Stateful marks an operation that is not a function of its inputs. One that
// takes or makes a resource is so anyway.
//
//go:noinline
func (b *Builder) Stateful() *Builder { b.def.Stateful = true; return b }

// Commutative marks an operation whose two inputs may be exchanged.
//
//go:noinline
func (b *Builder) Commutative() *Builder { b.def.Commutative = true; return b }

// Aggregate marks an operation that combines any number of inputs in any order.
//
//go:noinline
func (b *Builder) Aggregate() *Builder { b.def.Aggregate = true; return b }

// AllowsUninitializedInput lets reference inputs be uninitialized.
//
//go:noinline
func (b *Builder) AllowsUninitializedInput() *Builder {
	b.def.AllowsUninitializedInput = true
	return b
}

// DistributedCommunication marks an operation that communicates with other devices.
//
//go:noinline
func (b *Builder) DistributedCommunication() *Builder {
	b.def.DistributedCommunication = true
	return b
}

// Deprecated says from which GraphDef version on the operation is refused.
//
//go:noinline
func (b *Builder) Deprecated(version int, explanation string) *Builder {
	b.def.Deprecation = &Deprecation{version, explanation}
	return b
}

// Build parses the definition and validates it. The error holds all mistakes,
// each with the text it is in.
func (b *Builder) Build() (*OpDef, error) {
	d := new(OpDef)
	*d = b.def
	var problems []error
	check := func(method, spec string, err error) bool {
		if err != nil {
			problems = append(problems, status.Within(err, "%s(%q)", method, spec))
		}
		return err == nil
	}
	for _, spec := range b.attrs {
		if a, err := parseAttr(spec); check("Attr", spec, err) {
			d.Attrs = append(d.Attrs, a)
		}
	}
	for _, spec := range b.inputs {
		if a, err := d.parseArg(spec); check("Input", spec, err) {
			d.Inputs = append(d.Inputs, a)
		}
	}
	for _, spec := range b.outputs {
		if a, err := d.parseArg(spec); check("Output", spec, err) {
			d.Outputs = append(d.Outputs, a)
		}
	}
	d.atLeastOne(d.Inputs)
	d.atLeastOne(d.Outputs)
	d.Stateful = d.Stateful || hasResource(d.Inputs) || hasResource(d.Outputs)
	if err := d.declareAccesses(b.accesses); err != nil {
		problems = append(problems, err)
	}
	if err := d.parseDoc(b.doc); err != nil {
		problems = append(problems, err)
	}
	if problems != nil {
		return nil, invalidOp(d.Name, problems)
	}
	if err := d.Validate(); err != nil {
		return nil, err
	}
	return d, nil
}

// hasResource reports whether one of the arguments is a resource.
func hasResource(args []ArgDef) bool {
	return slices.ContainsFunc(args, func(a ArgDef) bool { return a.Type == tensor.Resource })
}
