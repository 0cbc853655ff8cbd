package lower

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/region"
	"github.com/troupe-go/troupe/registry"
)

// cond lowers an If.
func (l *lowering) cond(t *task) error {
	n := t.node
	how := l.manner(t)
	r := l.enterChoice(n, how)
	if l.err != nil {
		return l.err
	}
	chosen := l.holds(r.args[0], r)
	if l.err != nil {
		return l.err
	}
	c, err := l.region(r, r.name).Cond(chosen)
	if err != nil {
		return err
	}
	return l.branches(t, how, r, c, []*registry.Func{function(n, "else_branch"), function(n, "then_branch")})
}

// choice lowers a Case.
func (l *lowering) choice(t *task) error {
	n := t.node
	how := l.manner(t)
	r := l.enterChoice(n, how)
	if l.err != nil {
		return l.err
	}
	var functions []*registry.Func
	for _, v := range n.Attrs().Find("branches").List {
		functions = append(functions, v.Func)
	}
	c, err := l.region(r, r.name).Case(r.args[0], len(functions))
	if err != nil {
		return err
	}
	return l.branches(t, how, r, c, functions)
}

// branches plays each function in a branch, which takes all arguments but the
// first: that says which branch runs.
func (l *lowering) branches(t *task, how manner, r scope, c *region.Choice, functions []*registry.Func) error {
	n := t.node
	for _, a := range r.args[1:] {
		if _, err := c.Send(a); err != nil {
			return err
		}
	}
	ends := make([]graph.Output, len(functions))
	results := make([][]graph.Output, n.NumOutputs())
	effects := false
	for k, f := range functions {
		branch := scope{name: under(r.name, f.Name), device: r.device}
		b, err := c.Branch(k, writer{l, r.name, branch.name, r.device})
		if err != nil {
			return err
		}
		branch.pivot = b.Pivot
		for _, a := range r.args[1:] {
			inside, err := b.Use(a)
			if err != nil {
				return err
			}
			branch.args = append(branch.args, inside)
		}
		body, err := l.plan(f, branch.args, n.OutputTypes(), how)
		if err != nil {
			return err
		}
		p, err := l.inline(t, body, branch)
		if err != nil {
			return err
		}
		ends[k] = l.one("Identity", branch.name+"/end", r.device, nil, p.effects, branch.pivot.Output(0))
		effects = effects || len(p.effects) > 0
		if how == parted {
			p.effects = nil // the results do not wait for them
		}
		for i, out := range l.after(p, branch) {
			results[i] = append(results[i], out)
		}
		if l.err != nil {
			return l.err
		}
	}
	outs := make([]graph.Output, len(results))
	for i, list := range results {
		var err error
		if outs[i], err = c.Join(region.Output, list); err != nil {
			return err
		}
	}
	end, err := c.Join("branch", ends)
	if err != nil {
		return err
	}
	if how == parted && effects {
		return l.finishParts(n, outs, end.Op, end.Op)
	}
	if how == parted {
		return l.finishParts(n, outs, end.Op)
	}
	return l.finish(n, r, outs, end.Op)
}
