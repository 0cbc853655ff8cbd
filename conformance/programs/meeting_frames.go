package programs

import (
	"context"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan/lower"
)

// DrawFramedMeeting draws a loop as DrawMeeting does, of Enter, Merge, Switch, NextIteration and Exit,
// as graphs of TensorFlow 1 have them. Some of what it does not change is carried in by Enters of
// constants, the rest goes round as variables.
func DrawFramedMeeting(src Source) (*Meeting, error) {
	m, err := DrawMeeting(src)
	if err != nil {
		return nil, err
	}
	l, err := lower.Functions(context.Background(), m.Graph, m.Graph.Nodes(), nil)
	if err != nil {
		return nil, err
	}
	loops, err := l.WhileLoops()
	if err != nil {
		return nil, err
	}
	var keep []*graph.Node
	e := l.Graph.Edit()
	for _, f := range m.Fetches {
		keep = append(keep, e.Copy(l.Output(f).Op))
	}
	for _, f := range m.Feeds {
		keep = append(keep, e.Copy(l.Output(f).Op))
	}
	constants := src.Int("meeting", 0, 2) // none, some, all
	for _, w := range loops {
		carried := map[*graph.Node]bool{}
		for _, v := range w.Vars {
			if v.Switch == nil || !passed(v) || leaves(v) || constants == 0 || constants == 1 && src.Int("meeting", 0, 1) == 0 {
				continue
			}
			attrs := graph.Attrs{"frame_name": w.Frame, "parallel_iterations": int64(1), "is_constant": true}
			c, err := e.Add(graph.OpSpec{Type: "Enter", Name: e.UniqueName(v.Enter.Name() + "/constant"), Input: []graph.Input{e.Copy(v.Init().Op).Output(v.Init().Index)}, Attrs: attrs})
			if err != nil {
				return nil, err
			}
			carried[c] = true
			for _, o := range []graph.Output{v.BodyInput(), v.Value()} {
				if err := e.Redirect(e.Copy(o.Op).Output(o.Index), c.Output(0)); err != nil {
					return nil, err
				}
			}
		}
		if err := behindPivot(e, w, carried); err != nil {
			return nil, err
		}
	}
	if _, err := e.Prune(keep...); err != nil {
		return nil, err
	}
	g, err := e.Done()
	if err != nil {
		return nil, err
	}
	for _, list := range [][]graph.Output{m.Fetches, m.Feeds} {
		for i, f := range list {
			list[i] = g.Operation(l.Output(f).Op.Name()).Output(f.Index)
		}
	}
	m.Graph = g
	return m, nil
}

// behindPivot lets nodes of a loop that take only constants wait for the first variable of an
// iteration, as TensorFlow does: else they run where there is no iteration, and what they put out
// goes round without end.
func behindPivot(e *graph.Editor, w *graph.WhileLoop, carried map[*graph.Node]bool) error {
	pivot := e.Copy(w.Vars[0].BodyInput().Consumers()[0].Op)
	test := map[*graph.Node]bool{}
	graph.DepthFirst([]*graph.Node{w.Condition().Op}, func(n *graph.Node, yield func(*graph.Node)) {
		if n.Class() != graph.ClassMerge {
			graph.InputNodes(n, yield)
		}
	}, func(n *graph.Node) { test[e.Copy(n)] = true }, nil)
	for c := range carried {
		for _, to := range c.Output(0).Consumers() {
			if test[to.Op] || to.Op.Class() == graph.ClassSwitch && to.Op.Inputs()[1].Op.Class() == graph.ClassLoopCond || to.Op.Class() == graph.ClassNextIteration {
				continue // of the condition, or of the variable that was
			}
			if err := e.AddControl(to.Op, pivot); err != nil {
				return err
			}
		}
	}
	return nil
}

// passed reports whether the body does not change a variable.
func passed(v graph.LoopVar) bool {
	o := v.BodyOutput()
	for o.Op.Class() == graph.ClassIdentity {
		o = o.Op.Inputs()[0]
	}
	return o == v.BodyInput()
}

// leaves reports whether anything takes the last value of a variable.
func leaves(v graph.LoopVar) bool {
	for _, x := range v.Exits {
		if len(x.Output(0).Consumers()) > 0 {
			return true
		}
	}
	return false
}
