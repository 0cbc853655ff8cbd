package graph

import "slices"

// A WhileLoop is a loop in the form that a while loop has in a graph: a frame
// with one LoopCond, by which a Switch decides for each of its variables
// whether it goes on to the body or leaves.
//
//	initial -> Enter -> Merge -> Switch -0-> Exit -> result
//	                      ^         |
//	                      |         1 -> ... body ... -> NextIteration -+
//	                      +---------------------------------------------+
type WhileLoop struct {
	Frame    string     // the frame's name
	Parent   *WhileLoop // the innermost while loop around it, if any
	LoopCond *Node
	Vars     []LoopVar // by the id of the Merge
	// Invariants is the Enter nodes that carry in what stays the same in all
	// iterations, by id.
	Invariants []*Node
	// Nodes is what runs in the frame itself, not in a frame within, by id:
	// condition, body, and the nodes of Vars but for the Enters.
	Nodes []*Node
}

// A LoopVar is a variable of a while loop. Switch is nil, and BodyInput the zero
// Output, if only the condition looks at it.
type LoopVar struct {
	Enter, Merge, Switch, NextIteration *Node
	Exits                               []*Node // none if nobody wants the last value
}

// Init returns the variable's first value, outside the loop.
func (v LoopVar) Init() Output { return v.Enter.self.inputs[0] }

// Value returns the variable in an iteration, as the condition sees it.
func (v LoopVar) Value() Output { return Output{v.Merge, 0} }

// BodyInput returns the variable as the body sees it.
func (v LoopVar) BodyInput() Output {
	if v.Switch == nil {
		return Output{}
	}
	return Output{v.Switch, 1}
}

// BodyOutput returns what the body makes of it, for the next iteration.
func (v LoopVar) BodyOutput() Output { return v.NextIteration.self.inputs[0] }

// Condition returns what the loop goes on for as long as it is true.
func (l *WhileLoop) Condition() Output { return l.LoopCond.self.inputs[0] }

// WhileLoops finds the while loops of a graph, also of one that was imported,
// parents before children. A frame of another form is left out; [Graph.Frames]
// has them all. It fails as Frames does.
func (g *Graph) WhileLoops() ([]*WhileLoop, error) {
	frames, err := g.Frames()
	if err != nil {
		return nil, err
	}
	nodes := g.Nodes()[:len(frames.FrameOf)]
	loops := make([]*WhileLoop, len(frames.Frames))
	sound := make([]bool, len(frames.Frames))
	for i, f := range frames.Frames {
		loops[i], sound[i] = &WhileLoop{Frame: f.Name}, i > 0
	}
	for i, n := range nodes {
		in := loops[frames.FrameOf[i]]
		in.Nodes = append(in.Nodes, n)
		switch n.sig.class {
		case ClassLoopCond:
			in.LoopCond = n
		case ClassEnter:
			if v := n.sig.attrs.Find("is_constant"); v != nil && v.B {
				child := loops[frames.Entered[i]]
				child.Invariants = append(child.Invariants, n)
			}
		case ClassMerge:
			if !n.hasBackEdge() {
				break // joins the branches of a condition
			}
			v := LoopVar{Merge: n}
			if ok := v.complete(); !ok {
				sound[frames.FrameOf[i]] = false
			}
			in.Vars = append(in.Vars, v)
		}
	}
	var list []*WhileLoop
	for i, l := range loops {
		sound[i] = sound[i] && l.LoopCond != nil && slices.ContainsFunc(l.Vars, func(v LoopVar) bool { return v.Switch != nil })
		if !sound[i] {
			continue
		}
		for p := frames.Frames[i].Parent; p > 0 && l.Parent == nil; p = frames.Frames[p].Parent {
			if sound[p] {
				l.Parent = loops[p]
			}
		}
		list = append(list, l)
	}
	return list, nil
}

func (n *Node) hasBackEdge() bool {
	for k := range n.inputs {
		if n.IsBackEdge(k) {
			return true
		}
	}
	return false
}

// complete finds the other nodes of a variable by its Merge, if they have the
// form of a while loop.
func (v *LoopVar) complete() bool {
	if len(v.Merge.inputs) != 2 {
		return false
	}
	for k, from := range v.Merge.inputs {
		switch {
		case v.Merge.IsBackEdge(k):
			v.NextIteration = from.Op
		case from.Op.sig.class == ClassEnter:
			v.Enter = from.Op
		}
	}
	if v.Enter == nil || v.NextIteration == nil {
		return false
	}
	for _, c := range v.Value().Consumers() {
		if c.Op.sig.class != ClassSwitch || c.Index != 0 || len(c.Op.inputs) != 2 || c.Op.inputs[1].Op.sig.class != ClassLoopCond {
			continue
		}
		if v.Switch != nil {
			return false
		}
		v.Switch = c.Op
	}
	if v.Switch == nil {
		return true
	}
	for _, c := range v.Switch.Output(0).Consumers() {
		if c.Op.sig.class == ClassExit {
			v.Exits = append(v.Exits, c.Op)
		}
	}
	return true
}
