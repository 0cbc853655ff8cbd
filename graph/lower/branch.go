package lower

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
)

// cond lowers an If.
func (l *lowering) cond(t *task) error {
	n := t.node
	r := l.enter(n)
	if l.err != nil {
		return l.err
	}
	chosen := l.holds(r.args[0], r)
	return l.branches(t, r, []*registry.Func{function(n, "else_branch"), function(n, "then_branch")}, func(v graph.Output) *graph.Node {
		return l.one("Switch", r.name+"/switch", r.device, nil, nil, v, chosen).Op
	})
}

// choice lowers a Case.
func (l *lowering) choice(t *task) error {
	n := t.node
	r := l.enter(n)
	if l.err != nil {
		return l.err
	}
	var functions []*registry.Func
	for _, v := range n.Attrs().Find("branches").List {
		functions = append(functions, v.Func)
	}
	index := r.args[0]
	return l.branches(t, r, functions, func(v graph.Output) *graph.Node {
		return l.one("_SwitchN", r.name+"/switch", r.device, graph.Attrs{"num_outs": int64(len(functions))}, nil, v, index).Op
	})
}

// branches plays each function where a switch sends it the arguments: all but
// the first, which says where.
func (l *lowering) branches(t *task, r region, functions []*registry.Func, send func(graph.Output) *graph.Node) error {
	n := t.node
	sent := make([]*graph.Node, len(r.args))
	for i, a := range r.args {
		sent[i] = send(a)
	}
	if l.err != nil {
		return l.err
	}
	ends := make(graph.OutputList, len(functions))
	results := make([]graph.OutputList, n.NumOutputs())
	for k, f := range functions {
		branch := region{name: r.name + "/" + f.Name, device: r.device}
		for _, s := range sent {
			branch.args = append(branch.args, l.one("Identity", branch.name+"/arg", r.device, nil, nil, s.Output(k)))
		}
		if l.err != nil {
			return l.err
		}
		branch.pivot, branch.args = branch.args[0].Op, branch.args[1:]
		p, err := l.inline(t, f, branch)
		if err != nil {
			return err
		}
		if err := checkResults(n, f, p.results); err != nil {
			return err
		}
		for i := range results {
			results[i] = append(results[i], l.after(p, i, branch))
		}
		ends[k] = l.one("Identity", branch.name+"/end", r.device, nil, p.effects, branch.pivot.Output(0))
	}
	outs := make([]graph.Output, len(results))
	for i, list := range results {
		outs[i] = l.one("Merge", r.name+"/output", r.device, nil, nil, list)
	}
	end := l.one("Merge", r.name+"/branch", r.device, nil, nil, ends)
	if l.err != nil {
		return l.err
	}
	return l.finish(n, outs, end.Op)
}
