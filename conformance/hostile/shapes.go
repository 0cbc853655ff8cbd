package hostile

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/wire"
)

// frames returns a GraphDef whose constant goes through n frames: each in the one
// before it, or beside it.
func frames(n int, nested bool) []byte {
	g := newDef()
	g.constant("c")
	last := "c"
	for i := range n {
		from := "c"
		if nested {
			from = last
		}
		last = fmt.Sprintf("enter%d", i)
		g.node(last, "Enter", []string{from}, "T", wire.DataType_DT_INT32, "frame_name", fmt.Sprint("f", i), "is_constant", false, "parallel_iterations", 10)
	}
	sum := []string{last}
	if nested {
		for i := range n {
			exit := fmt.Sprintf("exit%d", i)
			g.node(exit, "Exit", []string{last}, "T", wire.DataType_DT_INT32)
			last = exit
		}
		sum = []string{last}
	} else {
		sum = sum[:0]
		for i := range n {
			exit := fmt.Sprintf("exit%d", i)
			g.node(exit, "Exit", []string{fmt.Sprintf("enter%d", i)}, "T", wire.DataType_DT_INT32)
			sum = append(sum, exit)
		}
	}
	g.node("y", "AddN", sum, "T", wire.DataType_DT_INT32, "N", len(sum))
	return g.bytes()
}

// ladder returns a GraphDef of n Switches in a row, each on the last one's outputs,
// crossed so that what lives alternates, and Merges that join the rungs.
func ladder(n int, merge bool) []byte {
	g := newDef()
	g.constant("c")
	g.node("p", "Placeholder", nil, "dtype", wire.DataType_DT_BOOL)
	last := "c"
	for i := range n {
		s := fmt.Sprintf("s%d", i)
		g.node(s, "Switch", []string{last, "p"}, "T", wire.DataType_DT_INT32)
		last = fmt.Sprintf("%s:%d", s, i%2)
		if merge {
			m := fmt.Sprintf("m%d", i)
			g.node(m, "Merge", []string{s + ":0", s + ":1"}, "T", wire.DataType_DT_INT32, "N", 2)
			last = m
		}
	}
	g.node("n", "NoOp", nil)
	g.node("y", "Identity", []string{last}, "T", wire.DataType_DT_INT32)
	return g.bytes()
}

// Graphs that are laborious to take apart.
func shapes() []Attack {
	return []Attack{
		{"graph_frames_deep", func(b *builder) { b.def = frames(50_000, true) }},
		{"graph_frames_wide", func(b *builder) { b.def = frames(50_000, false) }},
		{"graph_switches", func(b *builder) { b.def = ladder(50_000, false) }},
		{"graph_switches_and_merges", func(b *builder) { b.def = ladder(50_000, true) }},
		{"graph_loops_nested", func(b *builder) {
			var in func(s *op.Scope, x tf.Output, depth int) tf.Output
			in = func(s *op.Scope, x tf.Output, depth int) tf.Output {
				if depth == 0 {
					return x
				}
				return op.While(s, []tf.Output{x},
					func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], op.Const(s, int32(depth))) },
					func(s *op.Scope, v []tf.Output) []tf.Output {
						return []tf.Output{in(s, op.Add(s, v[0], op.Const(s.SubScope("one"), int32(1))), depth-1)}
					})[0]
			}
			b.fetch(in(b.Scope, b.konst(int32(0)), 300))
		}},
		{"graph_forever", func(b *builder) {
			b.fetch(b.loop(1<<31-1, []tf.Output{b.konst(float32(0))}, func(s *op.Scope, v []tf.Output) []tf.Output {
				return []tf.Output{op.Sin(s, v[0])}
			})...)
		}},
		{"graph_wide_fanout", func(b *builder) {
			x := b.zeros(1 << 24)
			var all []tf.Output
			for i := range 1000 {
				all = append(all, op.Add(b.Scope.SubScope("a"), x, b.konst(float32(i))))
			}
			b.fetch(op.AddN(b.Scope, all))
		}},
		{"graph_doubling", func(b *builder) {
			x := b.zeros(1024)
			for range 45 {
				x = op.ConcatV2(b.SubScope("c"), []tf.Output{x, x}, b.konst(int32(0)))
			}
			b.fetch(x)
		}},
	}
}
