package lower

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// nothing goes round in a loop that has no variables.
var nothing = tensor.FromScalar(false)

// while lowers a While.
func (l *lowering) while(t *task) error {
	n := t.node
	out := l.enter(n)
	if l.err != nil {
		return l.err
	}
	vars := len(out.args)
	if vars == 0 { // something has to go round
		c := l.add(graph.OpSpec{Type: "Const", Name: out.name + "/round", Device: out.device,
			Attrs:               graph.Attrs{"dtype": nothing.DType(), "value": nothing},
			ControlDependencies: []*graph.Node{out.pivot}})
		out.args = append(out.args, c.Output(0))
	}
	frame := graph.Attrs{"frame_name": n.Name()}
	if v := n.Attrs().Find("parallel_iterations"); v != nil {
		frame["parallel_iterations"] = v.I
	}

	// The test, in the frame.
	test := region{name: out.name + "/cond", device: out.device}
	for _, a := range out.args {
		entered := l.one("Enter", out.name+"/enter", out.device, frame, nil, a)
		if l.err != nil {
			return l.err
		}
		test.args = append(test.args, l.one("Merge", out.name+"/merge", out.device, nil, nil, graph.OutputList{entered, entered}))
	}
	if l.err != nil {
		return l.err
	}
	merged := test.args
	test.pivot, test.args = merged[0].Op, merged[:vars]
	f := function(n, "cond")
	p, err := l.inline(t, f, test)
	if err != nil {
		return err
	}
	if len(p.results) != 1 {
		return status.Invalid("the condition '%s' returns %d results, where 1 is needed", f.Name, len(p.results))
	}
	going := l.one("LoopCond", out.name+"/going", out.device, nil, nil, l.holds(l.after(p, 0, test), test))
	if l.err != nil {
		return l.err
	}

	// An iteration.
	body := region{name: out.name + "/body", device: out.device}
	outs := make([]graph.Output, len(merged))
	for i, m := range merged {
		turn := l.one("Switch", out.name+"/switch", out.device, nil, nil, m, going)
		outs[i] = l.one("Exit", out.name+"/exit", out.device, nil, nil, turn)
		if l.err != nil {
			return l.err
		}
		body.args = append(body.args, l.one("Identity", body.name+"/arg", out.device, nil, nil, turn.Op.Output(1)))
	}
	if l.err != nil {
		return l.err
	}
	current := body.args
	body.pivot, body.args = current[0].Op, current[:vars]
	f = function(n, "body")
	p, err = l.inline(t, f, body)
	if err != nil {
		return err
	}
	if err := checkResults(n, f, p.results); err != nil {
		return err
	}
	p.results = append(p.results, current[vars:]...)
	for i := range p.results {
		next := l.one("NextIteration", out.name+"/next", out.device, nil, nil, l.after(p, i, body))
		if l.err != nil {
			return l.err
		}
		if err := l.e.SetInput(merged[i].Op, 1, next); err != nil {
			return err
		}
	}
	return l.finish(n, outs[:vars], outs[0].Op)
}
