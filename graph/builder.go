package graph

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Builder adds nodes to a graph without a check after each: the first error
// sticks, and from then on nothing is added and outputs are zero. Names are
// made unique. A Builder is a value to derive others from; it and all that are
// derived from it share the error and are for one goroutine.
type Builder struct {
	g        *Graph
	scope    string // with the slash
	device   string
	controls []*Node
	placer   Placer
	err      *error
}

// A Placer decides where in a graph the nodes of a builder run: package
// graph/region has some.
type Placer interface {
	// Place changes a node so that it runs there.
	Place(spec OpSpec) (OpSpec, error)
	// Own reports nodes that run there.
	Own(nodes ...*Node)
}

// NewBuilder makes a builder without scope, device and control dependencies.
func NewBuilder(g *Graph) *Builder { return &Builder{g: g, err: new(error)} }

// Graph returns the graph that is built.
func (b *Builder) Graph() *Graph { return b.g }

// Scope returns a builder whose nodes are named under a new scope within b's.
func (b *Builder) Scope(name string) *Builder {
	sub := *b
	sub.scope = b.g.UniqueName(b.scope+name) + "/"
	return &sub
}

// Prefix returns the scope with a slash behind it, "" if there is none.
func (b *Builder) Prefix() string { return b.scope }

// On returns a builder whose nodes ask for a device.
func (b *Builder) On(device string) *Builder {
	sub := *b
	sub.device = device
	return &sub
}

// After returns a builder whose nodes also wait for the given ones.
func (b *Builder) After(nodes ...*Node) *Builder {
	sub := *b
	sub.controls = append(b.controls[:len(b.controls):len(b.controls)], nodes...)
	return &sub
}

// In returns a builder whose nodes run where p places them.
func (b *Builder) In(p Placer) *Builder {
	sub := *b
	sub.placer = p
	return &sub
}

// Err returns the first error.
func (b *Builder) Err() error { return *b.err }

// Fail makes err the error if there is none yet.
func (b *Builder) Fail(err error) {
	if *b.err == nil {
		*b.err = err
	}
}

// Attrs is the attributes of a node that is built; see [OpSpec.Attrs].
type Attrs = map[string]any

// Add adds a node. The spec's name, or else its type, is put into the scope and
// made unique, its control dependencies are added to those of the builder, and
// its device goes before the builder's. It is nil after an error.
func (b *Builder) Add(spec OpSpec) *Node {
	if b.Err() != nil {
		return nil
	}
	if spec.Name == "" {
		spec.Name = spec.Type
	}
	spec.Name = b.g.UniqueName(b.scope + spec.Name)
	if spec.Device == "" {
		spec.Device = b.device
	}
	spec.ControlDependencies = append(b.controls[:len(b.controls):len(b.controls)], spec.ControlDependencies...)
	if b.placer != nil {
		placed, err := b.placer.Place(spec)
		if err != nil {
			b.Fail(err)
			return nil
		}
		spec = placed
	}
	n, err := b.g.AddOperation(spec)
	if err != nil {
		b.Fail(err)
		return nil
	}
	if b.placer != nil {
		b.placer.Own(n)
	}
	return n
}

// Op adds a node and is its first output, or the zero Output after an error.
func (b *Builder) Op(op string, attrs Attrs, inputs ...Input) Output {
	n := b.Add(OpSpec{Type: op, Attrs: attrs, Input: inputs})
	if n == nil {
		return Output{}
	}
	if n.NumOutputs() == 0 {
		b.Fail(status.Invalid("node '%s' (%s) has no output", n.name, op))
		return Output{}
	}
	return n.Output(0)
}

// Apply is Op for inputs that are single tensors, and without attributes but those that
// follow from them. The inputs become [Input]s here: where they are passed, each would be
// converted by code of its own, hundreds of times.
func (b *Builder) Apply(op string, inputs ...Output) Output {
	list := make([]Input, len(inputs))
	for i, in := range inputs {
		list[i] = in
	}
	return b.Op(op, nil, list...)
}

// Const adds a constant: a *tensor.Tensor, or a Go value that
// [tensor.NewTensor] takes.
func (b *Builder) Const(value any) Output {
	t, ok := value.(*tensor.Tensor)
	if !ok {
		var err error
		if t, err = tensor.NewTensor(value); err != nil {
			b.Fail(err)
			return Output{}
		}
	}
	return b.Op("Const", Attrs{"value": t, "dtype": t.DType()})
}
