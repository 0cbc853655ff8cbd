package rewrite

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/shape"
)

// hoist computes before a loop what every iteration would compute anew: a node all of
// whose inputs are constants of the loop, that is constants and Enters with is_constant.
// It moves to the frame around the loop under its own name, and an Enter brings in what
// it puts out. A loop may have no iteration at all, so only what cannot fail moves. What
// the node waited for inside, those who take its value wait for instead.
func hoist(w *work) error {
	frames, err := w.frames()
	if frames == nil || err != nil {
		return err
	}
	for _, n := range w.Nodes() {
		if err := w.watch.Steps(2); err != nil {
			return err
		}
		if n.NumInputs() == 0 || n.Class() != graph.ClassOther || !pure(n) || w.keeps(n) {
			continue
		}
		enter, ok := invariant(n)
		if !ok {
			continue
		}
		if ok, err = w.cannotFail(n); err != nil {
			return err
		}
		if !ok || !movable(n) {
			continue
		}
		if err := w.lift(n, enter, frames); err != nil {
			return err
		}
	}
	return nil
}

// invariant says whether all inputs of a node are constants of a loop, of which it
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

// movable says whether who takes a node's value can wait in its place for what it
// waited for.
func movable(n *graph.Node) bool {
	after := gates(n)
	for e := range n.Out() {
		switch {
		case e.IsControl():
			return false
		case len(after) > 0 && e.To.Op.Class().ControlFlow():
			return false
		}
	}
	return true
}

// lift moves n out of the frame that enter leads into.
func (w *work) lift(n, enter *graph.Node, frames map[*graph.Node]bool) error {
	after := gates(n)
	spec := graph.CopySpec{Name: w.UniqueName(n.Name()), Device: n.Device()}
	for _, from := range n.Inputs() {
		if from.Op.Class() == graph.ClassEnter {
			spec.Inputs = append(spec.Inputs, from.Op.Inputs()[0])
			continue
		}
		c := constantSpec(constant(from.Op), nil)
		c.Name = w.UniqueName(from.Op.Name() + "/outside")
		if frames[enter] { // the frame around is a loop as well
			c.ControlDependencies = []*graph.Node{enter.Inputs()[0].Op}
		}
		outside, err := w.Add(c)
		if err != nil {
			return err
		}
		spec.Inputs = append(spec.Inputs, outside.Output(0))
	}
	lifted, err := w.AddCopy(n, spec)
	if err != nil {
		return err
	}
	if frames[enter] {
		frames[lifted] = true
	}
	var takers []*graph.Node
	for e := range n.Out() {
		takers = append(takers, e.To.Op)
	}
	with := make([]graph.Output, n.NumOutputs())
	for i := range with {
		in, err := w.Add(graph.OpSpec{
			Type: "Enter", Name: w.UniqueName(n.Name() + "/Enter"), Device: enter.Device(), Input: []graph.Input{lifted.Output(i)},
			Attrs: graph.Attrs{
				"frame_name": enter.FrameName(), "is_constant": true,
				"parallel_iterations": enter.Attrs().Find("parallel_iterations").I,
			},
		})
		if err != nil {
			return err
		}
		if frames[enter] {
			frames[in] = true
		}
		with[i] = in.Output(0)
	}
	name := n.Name()
	if err := w.replace(n, with...); err != nil {
		return err
	}
	for _, t := range takers {
		if len(after) > 0 {
			if err := w.AddControl(t, after...); err != nil {
				return err
			}
		}
	}
	return w.Rename(lifted, name)
}

// frames is the nodes that run in a loop or another frame, nil if none does.
func (w *work) frames() (map[*graph.Node]bool, error) {
	nodes := w.Nodes()
	any := false
	place := make([]int32, w.MaxID())
	for i, n := range nodes {
		place[n.ID()] = int32(i)
		any = any || n.Class() == graph.ClassEnter
	}
	if !any {
		return nil, nil
	}
	f, err := graph.FrameAnalysis{
		Watch: w.watch, Nodes: len(nodes),
		Inputs: func(i int, yield func(int)) {
			graph.InputNodes(nodes[i], func(from *graph.Node) { yield(int(place[from.ID()])) })
		},
		Kind:      func(i int) graph.FrameKind { return nodes[i].Class().FrameKind() },
		FrameName: func(i int) string { return nodes[i].FrameName() },
		Name:      func(i int) string { return nodes[i].Name() },
	}.Run()
	if err != nil {
		return nil, w.watch.Ask() // compiling says so
	}
	in := make(map[*graph.Node]bool)
	for i, n := range nodes {
		if f.FrameOf[i] != 0 {
			in[n] = true
		}
	}
	return in, nil
}

// total lists operations of one input that never fail.
var total = set("Neg", "Abs", "Sign", "Square", "Sqrt", "Rsqrt", "Exp", "Expm1", "Log", "Log1p", "Sin", "Cos", "Tan",
	"Tanh", "Sinh", "Cosh", "Asin", "Acos", "Atan", "Asinh", "Acosh", "Atanh", "Sigmoid", "Floor", "Ceil", "Round", "Rint",
	"Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign", "Erf", "Erfc", "Lgamma", "Digamma", "Reciprocal", "Inv",
	"Shape", "Size", "Rank", "ZerosLike", "OnesLike", "LogicalNot", "IsNan", "IsInf", "IsFinite", "Invert", "Real", "Imag",
	"Conj", "StopGradient")

// totalPairs lists operations of two inputs that never fail where shapes fit.
var totalPairs = set("Add", "AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference", "RealDiv", "DivNoNan",
	"MulNoNan", "Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual", "LogicalAnd", "LogicalOr", "Atan2",
	"BitwiseAnd", "BitwiseOr", "BitwiseXor")

func set(names ...string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, name := range names {
		s[name] = true
	}
	return s
}

// cannotFail says whether a node never fails, whatever its inputs are.
func (w *work) cannotFail(n *graph.Node) (bool, error) {
	switch {
	case total[n.Type()]:
		return true, nil
	case totalPairs[n.Type()]:
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

// fits says whether shapes certainly broadcast.
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
