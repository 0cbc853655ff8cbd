package rewrite

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
)

// hoist computes before a loop what every iteration would compute again: a node all of
// whose inputs are constants of the loop, that is constants and Enters with is_constant.
// It moves to the frame around the loop under its own name, and an Enter brings in what
// it puts out. A loop may have no iteration at all, so only what cannot fail moves. What
// the node waited for inside, those who take its value wait for instead.
func hoist(w *work) error {
	h := &hoisting{work: w, outside: map[*graph.Node]*graph.Node{}}
	for _, n := range w.Nodes() {
		if err := w.Watch.Steps(2); err != nil {
			return err
		}
		if n.NumInputs() == 0 || n.Class() != graph.ClassOther || !pure(n) || w.Keeps(n) {
			continue
		}
		enter, ok := invariant(n)
		if !ok {
			continue
		}
		ok, err := w.cannotFail(n)
		if err != nil {
			return err
		}
		if !ok || !movable(n) {
			continue
		}
		if h.inner == nil {
			if h.inner, err = w.frames(); h.inner == nil || err != nil {
				return err
			}
		}
		if err := h.lift(n, enter); err != nil {
			return err
		}
	}
	return nil
}

// invariant reports whether all inputs of a node are constants of a loop, of which it
// answers one that comes from outside.
func invariant(n *graph.Node) (enter *graph.Node, ok bool) {
	for _, from := range n.Inputs() {
		switch {
		case constant(from.Op) != nil:
		case from.Op.Class() == graph.ClassEnter && from.Op.Type() == "Enter" && isConstant(from.Op) && len(from.Op.Controls()) == 0:
			enter = from.Op
		default:
			return nil, false
		}
	}
	return enter, enter != nil
}

func isConstant(enter *graph.Node) bool {
	a := enter.Attrs().Find("is_constant")
	return a != nil && a.B
}

// movable reports whether who takes a node's value can wait in its place for what it
// waited for.
func movable(n *graph.Node) bool {
	const few = 4 // so that edges do not multiply
	after := gates(n)
	for e := range n.Out() {
		switch {
		case e.IsControl(), len(after) > few:
			return false
		case len(after) > 0 && e.To.Op.Class().ControlFlow():
			return false
		}
	}
	return true
}

// A hoisting is what hoist knows of loops.
type hoisting struct {
	*work
	inner   map[*graph.Node]bool        // nodes that run in a loop
	outside map[*graph.Node]*graph.Node // constants of a loop as they are around it
}

// lift moves n out of the frame that enter leads into.
func (h *hoisting) lift(n, enter *graph.Node) error {
	after := gates(n)
	spec := graph.CopySpec{Name: h.UniqueName(n.Name()), Device: n.Device()}
	for _, from := range n.Inputs() {
		if from.Op.Class() == graph.ClassEnter {
			spec.Inputs = append(spec.Inputs, from.Op.Inputs()[0])
			continue
		}
		c, err := h.around(from.Op, enter)
		if err != nil {
			return err
		}
		spec.Inputs = append(spec.Inputs, c.Output(0))
	}
	lifted, err := h.AddCopy(n, spec)
	if err != nil {
		return err
	}
	h.Inherit(lifted, n)
	h.inner[lifted] = h.inner[enter]
	var takers []*graph.Node
	for e := range n.Out() {
		takers = append(takers, e.To.Op)
	}
	with := make([]graph.Output, n.NumOutputs())
	for i := range with {
		in, err := h.AddCopy(enter, graph.CopySpec{
			Name: h.UniqueName(n.Name() + "/Enter"), Device: enter.Device(), Inputs: []graph.Output{lifted.Output(i)},
			Attrs: enter.Attrs().With("T", registry.TypeAttr(lifted.OutputTypes()[i])),
		})
		if err != nil {
			return err
		}
		h.inner[in] = h.inner[enter]
		with[i] = in.Output(0)
	}
	name := n.Name()
	if err := h.Replace(n, with...); err != nil {
		return err
	}
	for _, t := range takers {
		if len(after) > 0 {
			if err := h.AddControl(t, after...); err != nil {
				return err
			}
		}
	}
	return h.Rename(lifted, name)
}

// around returns a constant of a loop in the frame around it.
func (h *hoisting) around(c, enter *graph.Node) (*graph.Node, error) {
	nested := h.inner[enter] // there it is alive where what the Enter takes is
	if o := h.outside[c]; o != nil && !nested {
		return o, nil
	}
	spec := graph.CopySpec{Name: h.UniqueName(c.Name() + "/outside"), Device: c.Device()}
	if nested {
		spec.Controls = []*graph.Node{enter.Inputs()[0].Op}
	}
	o, err := h.AddCopy(c, spec)
	if err == nil && !nested {
		h.outside[c] = o
	}
	return o, err
}

// frames returns the nodes that run in a loop or another frame, nil if that cannot be told.
func (w *work) frames() (map[*graph.Node]bool, error) {
	nodes := w.Nodes()
	place := make([]int32, w.MaxID())
	for i, n := range nodes {
		place[n.ID()] = int32(i)
	}
	f, err := graph.FrameAnalysis{
		Watch: w.Watch, Nodes: len(nodes),
		Inputs: func(i int, yield func(int)) {
			graph.InputNodes(nodes[i], func(from *graph.Node) { yield(int(place[from.ID()])) })
		},
		Kind:      func(i int) graph.FrameKind { return nodes[i].Class().FrameKind() },
		FrameName: func(i int) string { return nodes[i].FrameName() },
		Name:      func(i int) string { return nodes[i].Name() },
	}.Run()
	if err != nil {
		return nil, w.Watch.Ask() // compiling says so
	}
	in := make(map[*graph.Node]bool)
	for i, n := range nodes {
		if f.FrameOf[i] != 0 {
			in[n] = true
		}
	}
	return in, nil
}

// cannotFail reports whether a node never fails, whatever its inputs are.
func (w *work) cannotFail(n *graph.Node) (bool, error) {
	switch total := n.Def().Is(registry.Total); {
	case total && n.NumInputs() == 1:
		return true, nil
	case total && n.NumInputs() == 2:
		x, err := w.shape(n.Inputs()[0])
		if err != nil {
			return false, err
		}
		y, err := w.shape(n.Inputs()[1])
		return fits(x, y), err
	case n.Type() == "MatMul":
		a, err := w.shape(n.Inputs()[0])
		if err != nil {
			return false, err
		}
		b, err := w.shape(n.Inputs()[1])
		if err != nil || !a.Full() || !b.Full() || a.Rank() != 2 || b.Rank() != 2 {
			return false, err
		}
		inner := [2]int{1, 0}
		for k, name := range []string{"transpose_a", "transpose_b"} {
			if t := n.Attrs().Find(name); t != nil && t.B {
				inner[k] = 1 - inner[k]
			}
		}
		return a.Dim(inner[0]) == b.Dim(inner[1]), nil
	}
	return false, nil
}

// fits reports whether shapes certainly broadcast.
func fits(x, y shape.Shape) bool {
	if !x.Known() || !y.Known() {
		return x.Known() && x.Rank() == 0 || y.Known() && y.Rank() == 0
	}
	for i := 1; i <= min(x.Rank(), y.Rank()); i++ {
		a, b := x.Dim(x.Rank()-i), y.Dim(y.Rank()-i)
		if a != 1 && b != 1 && (a < 0 || a != b) {
			return false
		}
	}
	return true
}
