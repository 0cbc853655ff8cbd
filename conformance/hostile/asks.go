package hostile

import (
	"math"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// An ask is a node whose attributes and inputs ask for far more than they are long.
type ask struct {
	name  string
	op    string
	attrs attrs
	in    in
}

type (
	attrs map[string]any
	// in is a node's inputs: sources, lists of inputs, Go values that shape inference
	// does not see, and nodes to wait for.
	in []any
	// A source is a tensor that the graph makes.
	source func(b *builder) tf.Output
	// A first is a node that runs before.
	first func(b *builder) *tf.Operation
)

// most is the largest int32.
const most = int32(math.MaxInt32)

// asking makes attacks of asks: all outputs are fetched.
func asking(kind string, asks []ask) []Attack {
	var all []Attack
	for _, a := range asks {
		all = append(all, Attack{kind + "_" + a.name, func(b *builder) {
			n := b.node(a.op, a.attrs, a.in...)
			if n == nil {
				return // the scope has the error
			}
			b.targets = append(b.targets, n)
			for i := range n.NumOutputs() {
				b.fetch(n.Output(i))
			}
		}})
	}
	return sorted(all)
}

// node adds a node of any operation; it is nil if the scope has failed.
func (b *builder) node(kind string, attrs attrs, inputs ...any) *tf.Operation {
	spec := tf.OpSpec{Type: kind, Attrs: attrs}
	for _, x := range inputs {
		switch x := x.(type) {
		case in:
			outputs := tf.OutputList{}
			for _, x := range x {
				outputs = append(outputs, b.input(x))
			}
			spec.Input = append(spec.Input, outputs)
		case first:
			if n := x(b); n != nil {
				spec.ControlDependencies = append(spec.ControlDependencies, n)
			}
		default:
			spec.Input = append(spec.Input, b.input(x))
		}
	}
	return b.SubScope("ask").AddOperation(spec)
}

func (b *builder) input(x any) tf.Output {
	if make, ok := x.(source); ok {
		return make(b)
	}
	c := b.konst(x)
	return op.PlaceholderWithDefault(b.SubScope("hidden"), c, c.Shape())
}

// many returns a tensor of one value.
func many(v any, dims ...int32) source {
	return func(b *builder) tf.Output { return op.Fill(b.SubScope("fill"), b.input(dims), b.konst(v)) }
}

// upTo returns the vector of the int32 below n.
func upTo(n int32) source { return func(b *builder) tf.Output { return b.long(n) } }

// as is x in another type.
func as(dt tf.DataType, x source) source {
	return func(b *builder) tf.Output { return op.Cast(b.SubScope("cast"), x(b), dt) }
}

// shaped is x in another shape.
func shaped(x source, dims ...int32) source {
	return func(b *builder) tf.Output { return op.Reshape(b.SubScope("shaped"), x(b), b.konst(dims)) }
}

// noise is floats from 0 to 1.
func noise(dims ...int32) source {
	return func(b *builder) tf.Output { return op.RandomUniform(b.SubScope("noise"), b.konst(dims), tf.Float) }
}

// made returns the first output of a node.
func made(kind string, attrs attrs, inputs ...any) source { return outputs(kind, attrs, inputs...)(0) }

// outputs are the outputs of one node.
func outputs(kind string, attrs attrs, inputs ...any) func(i int) source {
	var of *builder
	var n *tf.Operation
	return func(i int) source {
		return func(b *builder) tf.Output {
			if of != b {
				of, n = b, b.node(kind, attrs, inputs...)
			}
			if n == nil {
				return tf.Output{}
			}
			return n.Output(i)
		}
	}
}

// then returns a node to wait for.
func then(kind string, attrs attrs, inputs ...any) first {
	return func(b *builder) *tf.Operation { return b.node(kind, attrs, inputs...) }
}
