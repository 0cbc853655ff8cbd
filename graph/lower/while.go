package lower

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/region"
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
	spec := region.LoopSpec{Frame: n.Name(), Init: out.args}
	if v := n.Attrs().Find("parallel_iterations"); v != nil {
		spec.ParallelIterations = v.I
	}
	bodyName := out.name + "/body"
	loop, err := l.region(out, bodyName).Loop(spec)
	if err != nil {
		return err
	}

	// The test, in the frame.
	test := scope{name: out.name + "/cond", device: out.device, args: loop.Vars[:vars], pivot: loop.Cond.Pivot}
	f := function(n, "cond")
	p, err := l.inline(t, f, test)
	if err != nil {
		return err
	}
	if len(p.results) != 1 {
		return status.Invalid("the condition '%s' returns %d results, where 1 is needed", f.Name, len(p.results))
	}
	going := l.holds(l.after(p, 0, test), test)
	if l.err != nil {
		return l.err
	}
	loop.Cond.Own(going.Op)
	if err := loop.Test(going); err != nil {
		return err
	}

	// An iteration.
	body := scope{name: bodyName, device: out.device, args: loop.Current[:vars], pivot: loop.Body.Pivot}
	f = function(n, "body")
	p, err = l.inline(t, f, body)
	if err != nil {
		return err
	}
	if err := checkResults(n, f, p.results); err != nil {
		return err
	}
	p.results = append(p.results, loop.Current[vars:]...)
	next := make([]graph.Output, len(p.results))
	for i := range next {
		if next[i] = l.after(p, i, body); l.err != nil {
			return l.err
		}
		loop.Body.Own(next[i].Op)
	}
	outs, err := loop.Close(next)
	if err != nil {
		return err
	}
	return l.finish(n, outs[:vars], outs[0].Op)
}
