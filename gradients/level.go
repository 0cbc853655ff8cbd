package gradients

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/graph/region"
	"github.com/troupe-go/troupe/status"
)

// A level is the walk through the nodes of one frame: those of no loop, or the body
// of a loop. A loop within counts as one node, which takes what its Enters take and
// puts out what its Exits do. A node's turn comes when all that its outputs flow
// into within the span has been differentiated, so that each gradient is summed up
// once and each node seen once.
type level struct {
	w      *walk
	parts  map[graph.Output][]gradient.Value // what has come, of nodes that wait
	region *region.Region                    // where the backward nodes of the level run

	// Of the iterations of a loop, for gradients of what one computes (iteration.go):
	at   *loop
	turn *graph.Node // see pivot

	// Of the body of a loop:
	in     *loop
	outer  *level                        // of the frame around it
	depth  int                           // how many levels there are around it
	back   *region.Loop                  // the backward loop
	twins  map[graph.Output]graph.Output // values of the forward iteration, in the backward one
	popped []graph.Output                // what is left of the lists that values come from: the last variables of back
}

// mostNested is how many loops within each other are differentiated: a level calls
// that of the loop within.
const mostNested = 1000

// unit returns the node that stands for a producer of p in the walk: a loop's LoopCond
// for what leaves it. It is nil for what comes from outside of the frame or from
// the iteration before.
func (lv *level) unit(p graph.Output) *graph.Node {
	switch n := p.Op; {
	case n.Class() == graph.ClassExit:
		return lv.w.loops.left(n).unit()
	case lv.in != nil && lv.in.begins(n), lv.at != nil && lv.begun(n):
		return nil
	default:
		return n
	}
}

// inputs returns what a unit takes.
func (lv *level) inputs(u *graph.Node) []graph.Output {
	if l := lv.w.loops.byUnit[u]; l != nil {
		var list []graph.Output
		for _, e := range l.enters {
			if lv.w.through(e) {
				list = append(list, e.Inputs()[0])
			}
		}
		return list
	}
	if !lv.w.through(u) {
		return nil
	}
	return u.Inputs()
}

// give adds to the gradient of p.
func (lv *level) give(p graph.Output, v gradient.Value) {
	if !v.None() {
		lv.parts[p] = append(lv.parts[p], v)
	}
}

// take returns the sum of the gradients of p.
func (lv *level) take(p graph.Output) gradient.Value {
	parts := lv.parts[p]
	if parts == nil {
		return gradient.Value{}
	}
	delete(lv.parts, p)
	sum := gradient.Build(lv.on(lv.w.b.On(p.Op.Device()))).Sum(parts)
	if lv.w.x[p] {
		lv.w.sums[p] = sum
	}
	if lv.w.stop[p] {
		return gradient.Value{}
	}
	return sum
}

// on returns a builder whose nodes run in the level.
func (lv *level) on(b *graph.Builder) *graph.Builder {
	if lv.in == nil {
		return lv.bare(b)
	}
	return b.In(placer{lv})
}

// bare returns a builder of what a region has placed.
func (lv *level) bare(b *graph.Builder) *graph.Builder {
	if lv.at == nil {
		return b
	}
	return b.In(iteration{lv})
}

// run walks backwards from the outputs that have gradients.
func (lv *level) run(from []graph.Output) error {
	var roots []*graph.Node
	seen := map[*graph.Node]bool{}
	for _, p := range from {
		if u := lv.unit(p); u != nil && !seen[u] {
			seen[u] = true
			roots = append(roots, u)
		}
	}
	pending := map[*graph.Node]int{} // inputs that take outputs of a unit and are yet to be differentiated
	wanted := func(u *graph.Node, yield func(*graph.Node)) {
		for _, p := range lv.inputs(u) {
			if !lv.w.wants(p) {
				continue
			}
			if v := lv.unit(p); v != nil {
				yield(v)
			}
		}
	}
	graph.DepthFirst(roots, wanted, func(u *graph.Node) {
		wanted(u, func(v *graph.Node) { pending[v]++ })
	}, nil)
	var ready []*graph.Node
	for _, u := range roots {
		if pending[u] == 0 {
			ready = append(ready, u)
		}
	}
	for len(ready) > 0 {
		u := ready[0]
		ready = ready[1:]
		if err := lv.visit(u); err != nil {
			return err
		}
		wanted(u, func(v *graph.Node) {
			if pending[v]--; pending[v] == 0 {
				ready = append(ready, v)
			}
		})
	}
	return lv.w.b.Err()
}

// stepsOfVisit is what it costs to differentiate a node, in steps of a watch.
const stepsOfVisit = 64

// visit sums the gradients of the outputs of a unit and propagates them to the
// inputs.
func (lv *level) visit(n *graph.Node) error {
	if l := lv.w.loops.byUnit[n]; l != nil {
		return lv.visitLoop(l)
	}
	w := lv.w
	if err := w.watch.Steps(stepsOfVisit); err != nil {
		return err
	}
	dy := make([]gradient.Value, n.NumOutputs())
	flows := false
	for i := range dy {
		dy[i] = lv.take(n.Output(i))
		flows = flows || !dy[i].None()
	}
	if !flows || !w.through(n) {
		return w.b.Err()
	}
	if lv.at != nil && n.Class() == graph.ClassEnter { // it brings in what all iterations have
		lv.give(n.Inputs()[0], dy[0])
		return w.b.Err()
	}
	b := lv.on(w.b.Scope(n.Name() + "_grad").On(n.Device()))
	if lv.in != nil && n.Class() == graph.ClassMerge {
		return lv.merge(b, n, dy[0])
	}
	f, err := functionOf(n)
	if f == nil || err != nil {
		return err
	}
	wanted := make([]bool, n.NumInputs())
	for i, from := range n.Inputs() {
		wanted[i] = w.wants(from) && gradient.Differentiable(from.DataType())
	}
	dx, err := gradient.Call(f, gradient.Setting{Node: n, Builder: b, Beside: lv.beside(b), Known: w.shapes.more, Defers: lv.defers(n), Outside: lv.outside, Dy: dy, Wanted: wanted})
	if err != nil {
		return status.Within(err, "the gradient of node '%s' (%s)", n.Name(), n.Type())
	}
	for i, v := range dx {
		if wanted[i] && !v.None() {
			from := n.Inputs()[i]
			if lv.in != nil {
				v = lv.everywhere(b, n, from, v)
			}
			lv.give(from, v)
		}
	}
	return w.b.Err()
}

// invariant returns the Enter of the level's loop that a value comes from as it is in all
// iterations; nil for others.
func (lv *level) invariant(p graph.Output) *graph.Node {
	if lv.in == nil || p.Op.Class() != graph.ClassEnter || lv.w.loops.of[p.Op] != lv.in {
		return nil
	}
	if a := p.Op.Attrs().Find("is_constant"); a == nil || !a.B {
		return nil
	}
	return p.Op
}

// outside returns a value that is the same in all iterations as it is outside of the loop,
// and a builder of backward nodes there.
func (lv *level) outside(p graph.Output) (b *graph.Builder, outer graph.Output, ok bool) {
	e := lv.invariant(p)
	if e == nil {
		return nil, p, false
	}
	return lv.outer.on(lv.w.b), e.Inputs()[0], true
}

// defers says of which inputs of a node the gradients may be products: those that are
// the same in all iterations, if the node runs in all of them.
func (lv *level) defers(n *graph.Node) func(int) bool {
	return func(i int) bool {
		if lv.invariant(n.Inputs()[i]) == nil {
			return false
		}
		g, err := lv.in.gateOfUse(n)
		return g == nil && err == nil
	}
}

// algebra builds in the level.
func (lv *level) algebra(b *graph.Builder) gradient.Algebra {
	b = lv.on(b)
	return gradient.BuildBeside(b, lv.beside(b), lv.w.shapes.more)
}

// beside is, for the gradient functions of a loop's body, where a tensor is
// computed: what they ask for its shape alone is asked where it is at hand, so that
// the shape is kept and not the tensor.
func (lv *level) beside(own *graph.Builder) func(graph.Output) *graph.Builder {
	if lv.in == nil {
		return nil
	}
	return func(p graph.Output) *graph.Builder {
		if l := lv.w.loops.of[p.Op]; l != nil {
			return lv.w.forward(l)
		}
		if lv.region.Holds(p.Op) {
			return own
		}
		return lv.w.b
	}
}
