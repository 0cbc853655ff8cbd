package hostile

import (
	"fmt"

	_ "github.com/troupe-go/troupe/gradients" // SymbolicGradient
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/wire"
)

var oneFloat = []wire.DataType{wire.DataType_DT_FLOAT}

// symbolic returns a node that computes the gradient of a function of one float.
func symbolic(name, function, x, dy string) *wire.NodeDef {
	return node(name, "SymbolicGradient", []string{x, dy}, "f", &wire.NameAttrList{Name: function},
		"Tin", []wire.DataType{oneFloat[0], oneFloat[0]}, "Tout", oneFloat)
}

// sines is a function of n Sines, one of the other.
func sines(g *def, name string, n int) {
	last := "x"
	var nodes []*wire.NodeDef
	for i := range n {
		s := fmt.Sprint("s", i)
		nodes = append(nodes, node(s, "Sin", []string{last}, "T", oneFloat[0]))
		last = s + ":y:0"
	}
	g.floats(name, last, nodes...)
}

// derivative returns a graph that takes the gradient of function f0.
func derivative(g *def) []byte {
	g.node("c", "Const", nil, "dtype", oneFloat[0], "value",
		&wire.TensorProto{Dtype: oneFloat[0], TensorShape: &wire.TensorShapeProto{}, FloatVal: []float32{0.5}})
	g.graph.Node = append(g.graph.Node, symbolic("y", "f0", "c", "c"))
	return g.bytes()
}

// derivatives returns a chain of functions, each the gradient of the next one; or, if
// around, the last one of the first.
func derivatives(n int, around bool) []byte {
	g := newDef()
	for i := range n {
		next := fmt.Sprint("f", i+1)
		if around && i == n-1 {
			next = "f0"
		}
		g.floats(fmt.Sprint("f", i), "a:output:0", symbolic("a", next, "x", "x"))
	}
	sines(g, fmt.Sprint("f", n), 3)
	return derivative(g)
}

// Gradients of what has no end, or none that is near.
func backwards() []Attack {
	return []Attack{
		{"gradient_of_itself", func(b *builder) { b.def = derivatives(1, true) }},
		{"gradient_around", func(b *builder) { b.def = derivatives(7, true) }},
		{"gradient_of_gradients_12", func(b *builder) { b.def = derivatives(12, false) }},
		{"gradient_of_gradients_60", func(b *builder) { b.def = derivatives(60, false) }},
		{"gradient_of_gradients_200k", func(b *builder) { b.def = derivatives(200_000, false) }},
		{"gradient_of_many", func(b *builder) {
			g := newDef()
			sines(g, "f0", 400_000)
			b.def = derivative(g)
		}},
		{"gradient_of_calls", func(b *builder) { // each function calls the next one twice
			g := newDef()
			for i := range 60 {
				next := fmt.Sprint("f", i+1)
				g.floats(fmt.Sprint("f", i), "b:z:0", node("a", next, []string{"x"}), node("b", next, []string{"a:z:0"}))
			}
			sines(g, "f60", 1)
			b.def = derivative(g)
		}},
		{"gradient_of_call_of_itself", func(b *builder) {
			g := newDef()
			g.floats("f0", "b:y:0", node("a", "f0", []string{"x"}), node("b", "Sin", []string{"a:z:0"}, "T", oneFloat[0]))
			b.def = derivative(g)
		}},
		{"gradient_of_loop", func(b *builder) { // what each iteration keeps
			x := b.konst(float32(0.5))
			b.fetch(op.Gradients(b.Scope, b.loop(1<<30, []tf.Output{x}, func(s *op.Scope, v []tf.Output) []tf.Output {
				return []tf.Output{op.Sin(s, v[0])}
			}), []tf.Output{x})...)
		}},
		{"gradient_of_loop_of_vectors", func(b *builder) {
			x := b.zeros(100)
			b.fetch(op.Gradients(b.Scope, b.loop(1<<30, []tf.Output{x}, func(s *op.Scope, v []tf.Output) []tf.Output {
				return []tf.Output{op.Sin(s, v[0])}
			}), []tf.Output{x})...)
		}},
		{"gradient_of_loop_in_loop", func(b *builder) {
			x := b.zeros(10)
			b.fetch(op.Gradients(b.Scope, b.loop(1<<30, []tf.Output{x}, func(s *op.Scope, v []tf.Output) []tf.Output {
				limit, one, from := op.Const(s.SubScope("limit"), int32(100)), op.Const(s.SubScope("one"), int32(1)), op.Const(s.SubScope("from"), int32(0))
				return op.While(s, []tf.Output{from, v[0]},
					func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], limit) },
					func(s *op.Scope, v []tf.Output) []tf.Output {
						return []tf.Output{op.Add(s, v[0], one), op.Tanh(s, v[1])}
					})[1:]
			}), []tf.Output{x})...)
		}},
	}
}
