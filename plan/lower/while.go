package lower

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/region"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// nothing goes round in a loop that has no variables.
var nothing = tensor.FromScalar(false)

// while lowers a While.
func (l *lowering) while(t *task) error {
	n := t.node
	how := l.manner(t)
	out := l.enterLoop(n, how)
	if l.err != nil {
		return l.err
	}
	vars := len(out.args)
	if vars == 0 { // something has to go round
		after := n.Controls()
		if how != parted {
			after = []*graph.Node{out.pivot}
		}
		c := l.add(graph.OpSpec{Type: "Const", Name: out.name + "/round", Device: out.device,
			Attrs:               graph.Attrs{"dtype": nothing.DType(), "value": nothing},
			ControlDependencies: after})
		out.args = append(out.args, c.Output(0))
	}
	spec := region.LoopSpec{Frame: l.frame(n.Name()), Init: out.args}
	if v := n.Attrs().Find("parallel_iterations"); v != nil {
		spec.ParallelIterations = v.I
	}
	bodyName := under(out.name, "body")
	loop, err := l.region(out, bodyName).Loop(spec)
	if err != nil {
		return err
	}

	// The test, in the frame.
	test := scope{name: under(out.name, "cond"), device: out.device, args: loop.Vars[:vars], pivot: loop.Cond.Pivot}
	f := function(n, "cond")
	cond, err := l.condition(f, test.args, how)
	if err != nil {
		return err
	}
	p, err := l.inline(t, cond, test)
	if err != nil {
		return err
	}
	if how == parted {
		p.effects = nil // those that the result does not need are left out
	}
	going := l.holds(l.after(p, test)[0], test)
	if l.err != nil {
		return l.err
	}
	loop.Cond.Own(going.Op)
	if err := loop.Test(going); err != nil {
		return err
	}

	// An iteration.
	body := scope{name: bodyName, device: out.device, args: loop.Current[:vars], pivot: loop.Body.Pivot}
	iteration, err := l.iteration(function(n, "body"), body.args, n.OutputTypes(), how)
	if err != nil {
		return err
	}
	if p, err = l.inline(t, iteration, body); err != nil {
		return err
	}
	p.results = append(p.results, loop.Current[vars:]...)
	next := l.after(p, body)
	if l.err != nil {
		return l.err
	}
	for _, v := range next {
		loop.Body.Own(v.Op)
	}
	outs, err := loop.Close(next)
	if err != nil {
		return err
	}
	if err := l.finish(n, out, outs[:vars], outs[0].Op); err != nil || how != parted {
		return err
	}
	l.parted[n] = []*graph.Node{l.done[n]}
	return nil
}

// iteration returns the plan of a loop's body.
func (l *lowering) iteration(f *registry.Func, args []graph.Output, results []tensor.DType, how manner) (*bodyPlan, error) {
	body, err := l.g.InstantiateContext(l.ctx, f)
	if err != nil {
		return nil, err
	}
	if got := len(body.Results); got != len(results) {
		return nil, status.Invalid("While loop body returned %d arguments. Expected: %d", got, len(results))
	}
	return l.plan(f, args, results, how)
}

// condition returns the plan of a loop's condition, which returns anything that can be
// true or false.
func (l *lowering) condition(f *registry.Func, args []graph.Output, how manner) (*bodyPlan, error) {
	body, err := l.g.InstantiateContext(l.ctx, f)
	if err != nil {
		return nil, err
	}
	if len(body.Results) != 1 {
		return nil, status.Invalid("the condition '%s' of a loop: Expected a single scalar, got %s.", f.Name, status.Count(len(body.Results), "tensor"))
	}
	return l.plan(f, args, body.Results[0].InputTypes(), how)
}
