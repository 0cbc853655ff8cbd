package gradients

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/shape"
)

// A graph knows little of shapes in loops: nothing is known of the values that an iteration forwards to the next
// before the body is known. But a variable that begins with some shape, and
// whose body makes the same of it, has it in all iterations. To suppose that, work out
// the shapes of the bodies, and take back what does not hold, is to find the most that
// is certain: if all suppositions hold, the first iteration has them, and each from the
// one before.

// mostPasses is how often shapes are worked out before nothing more is supposed of
// the variables that go on changing.
const mostPasses = 4

// shapes has what is known of the shapes of nodes in loops, and behind them.
type shapes struct {
	known    map[*graph.Node][]shape.Shape
	first    map[*graph.Node]graph.Output // what a variable begins with, by its Merge
	suppose  map[*graph.Node]shape.Shape  // by the Merge of a variable
	inferrer shape.Inferrer               // of one pass: it remembers what it worked out
}

// findShapes works out shapes where there are loops, of what the ys need.
func findShapes(loops *loops, ys []graph.Output) *shapes {
	if len(loops.byUnit) == 0 {
		return nil
	}
	s := &shapes{known: map[*graph.Node][]shape.Shape{}, first: map[*graph.Node]graph.Output{}, suppose: map[*graph.Node]shape.Shape{}}
	var roots, order []*graph.Node
	for _, y := range ys {
		roots = append(roots, y.Op)
	}
	// What comes before a back edge is reached from there.
	var merges []*graph.Node
	for _, l := range loops.byUnit {
		if l.WhileLoop == nil {
			continue
		}
		for _, v := range l.Vars {
			merges = append(merges, v.Merge)
			s.first[v.Merge] = v.Enter.Output(0)
			roots = append(roots, v.NextIteration)
		}
	}
	graph.DepthFirst(roots, func(n *graph.Node, yield func(*graph.Node)) {
		for k, from := range n.Inputs() {
			if !n.IsBackEdge(k) {
				yield(from.Op)
			}
		}
	}, nil, func(n *graph.Node) { order = append(order, n) })
	for pass := 0; ; pass++ {
		s.inferrer = shape.Inferrer{}
		for _, n := range order {
			s.infer(n)
		}
		holds := true
		for _, m := range merges {
			have := s.suppose[m]
			now := have
			for _, from := range m.Inputs() { // what it begins with may have been supposed, too
				now = shape.Relax(now, s.of(from))
			}
			if now.String() == have.String() {
				continue
			}
			if holds = false; pass >= mostPasses {
				now = shape.Shape{}
			}
			s.suppose[m] = now
		}
		if holds {
			return s
		}
	}
}

// infer works out the shapes of a node's outputs, if the graph does not know them.
func (s *shapes) infer(n *graph.Node) {
	full := true
	for _, o := range n.OutputShapes() {
		full = full && o.Full()
	}
	if full {
		return
	}
	switch n.Class() {
	case graph.ClassEnter:
		s.known[n] = []shape.Shape{s.of(n.Inputs()[0])}
		return
	case graph.ClassMerge:
		for k := range n.Inputs() {
			if !n.IsBackEdge(k) {
				continue
			}
			first, ok := s.first[n]
			if !ok { // the loop has not the form of a while loop
				return
			}
			if _, begun := s.suppose[n]; !begun {
				s.suppose[n] = s.of(first)
			}
			s.known[n] = []shape.Shape{s.suppose[n], shape.Scalar}
			return
		}
	case graph.ClassCall, graph.ClassPlaceholder, graph.ClassVariable:
		return
	}
	news := false // from a loop
	for _, from := range n.Inputs() {
		news = news || s.known[from.Op] != nil
	}
	if !news {
		delete(s.known, n) // what followed from suppositions that were taken back
		return
	}
	if list, _, err := s.inferrer.Infer(view{n, s}); err == nil {
		s.known[n] = append([]shape.Shape(nil), list...)
	} else {
		delete(s.known, n)
	}
}

// of returns what is known of the shape of an output.
func (s *shapes) of(p graph.Output) shape.Shape {
	if more, ok := s.more(p); ok {
		return more
	}
	return p.Op.OutputShapes()[p.Index]
}

// more returns what is known beyond what the graph knows.
func (s *shapes) more(p graph.Output) (shape.Shape, bool) {
	if s == nil {
		return shape.Shape{}, false
	}
	list := s.known[p.Op]
	if p.Index >= len(list) {
		return shape.Shape{}, false
	}
	return list[p.Index], true
}

// A view is a node with the shapes that were worked out.
type view struct {
	*graph.Node
	all *shapes
}

func (v view) Producer(i int) (shape.Node, int) {
	from := v.Node.Inputs()[i]
	return view{from.Op, v.all}, from.Index
}

func (v view) OutputShapes() []shape.Shape {
	if list := v.all.known[v.Node]; list != nil {
		return list
	}
	return v.Node.OutputShapes()
}
