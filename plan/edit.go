package plan

import (
	"context"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
)

// An Edit is a program that is being changed: a copy of its nodes ([graph.Part]), and what
// is fetched and run, which follows what the nodes become. All passes that edit a program
// one after the other edit one copy.
//
// Passes replace nodes by [Edit.Replace], [Edit.ReplaceByNew] and [Edit.Redirect], which know
// what is fetched.
type Edit struct {
	*graph.Part
	Watch *status.Watch // of the context of the pass that runs

	fetches []graph.Output
	fetched map[graph.Output][]int // positions in fetches
	targets []*graph.Node          // nil where a target never runs
	aimed   map[*graph.Node][]int  // positions in targets
	fed     map[*graph.Node]bool

	changes int  // how much was changed since the beginning
	dirty   bool // something was changed since the last sweep
}

// edit begins to change a program. It fails where the program does not link placeholders.
func edit(ctx context.Context, p *Program) (*Edit, error) {
	part, err := p.Graph.EditPart(ctx, p.Nodes, p.Feeds)
	if err != nil {
		return nil, err
	}
	e := &Edit{
		Part: part, Watch: status.NewWatch(ctx),
		fetched: map[graph.Output][]int{}, aimed: map[*graph.Node][]int{}, fed: map[*graph.Node]bool{},
	}
	for i, f := range p.Fetches {
		f = e.Output(f)
		e.fetches = append(e.fetches, f)
		e.fetched[f] = append(e.fetched[f], i)
	}
	for i, t := range p.Targets {
		t = e.Copy(t)
		e.targets = append(e.targets, t)
		e.aimed[t] = append(e.aimed[t], i)
	}
	for _, f := range e.Feeds {
		e.fed[f.Op] = true
	}
	return e, nil
}

// Size returns the number of nodes, without feeds.
func (e *Edit) Size() int { return e.NumNodes() - len(e.fed) }

// IsFed reports whether a node stands for a feed.
func (e *Edit) IsFed(n *graph.Node) bool { return e.fed[n] }

// IsFetched reports whether an output is fetched.
func (e *Edit) IsFetched(o graph.Output) bool { return len(e.fetched[o]) > 0 }

// IsTarget reports whether a node is a target.
func (e *Edit) IsTarget(n *graph.Node) bool { return len(e.aimed[n]) > 0 }

// Keeps reports whether the step asks for a node by itself: it is a target, or a
// feed, or an output of it is fetched.
func (e *Edit) Keeps(n *graph.Node) bool {
	if e.fed[n] || e.IsTarget(n) {
		return true
	}
	for i := range n.NumOutputs() {
		if e.IsFetched(n.Output(i)) {
			return true
		}
	}
	return false
}

// Changed notes that a pass has changed nodes otherwise than by the methods of an Edit.
func (e *Edit) Changed() {
	e.changes++
	e.dirty = true
}

// Target makes a node one that must run.
func (e *Edit) Target(n *graph.Node) {
	e.aimed[n] = append(e.aimed[n], len(e.targets))
	e.targets = append(e.targets, n)
}

// Drop takes the targets away that never run.
func (e *Edit) Drop(never func(*graph.Node) bool) {
	for k, t := range e.targets {
		if t != nil && never(t) {
			delete(e.aimed, t)
			e.targets[k] = nil
			e.Changed()
		}
	}
}

// Redirect makes all who take an output, the step's caller among them, take another.
func (e *Edit) Redirect(from, to graph.Output) error {
	if err := e.Part.Redirect(from, to); err != nil {
		return err
	}
	e.refetch(from, to)
	e.Changed()
	return nil
}

// refetch fetches to wherever from was fetched.
func (e *Edit) refetch(from, to graph.Output) {
	at := e.fetched[from]
	if len(at) == 0 {
		return
	}
	delete(e.fetched, from)
	e.fetched[to] = append(e.fetched[to], at...)
	for _, k := range at {
		e.fetches[k] = to
	}
}

// Replace removes n and puts outputs of others in place of its own, also where
// they are fetched; who waited for n waits for the others, also as a target.
func (e *Edit) Replace(n *graph.Node, with ...graph.Output) error {
	if err := e.Part.Replace(n, with...); err != nil {
		return err
	}
	e.Changed()
	for i := range n.NumOutputs() {
		if e.IsFetched(n.Output(i)) {
			e.refetch(n.Output(i), with[i])
		}
	}
	if at := e.aimed[n]; len(at) > 0 {
		delete(e.aimed, n)
		by := with[0].Op
		e.aimed[by] = append(e.aimed[by], at...)
		for _, k := range at {
			e.targets[k] = by
		}
	}
	return nil
}

// ReplaceByNew replaces n by a node that is added for it, under n's name.
func (e *Edit) ReplaceByNew(n *graph.Node, spec graph.OpSpec) (*graph.Node, error) {
	spec.Name, spec.Device = e.UniqueName(n.Name()), n.Device()
	by, err := e.Add(spec)
	if err != nil {
		return nil, err
	}
	return by, e.ReplaceBy(n, by)
}

// ReplaceBy puts by in place of n, under its name.
func (e *Edit) ReplaceBy(n, by *graph.Node) error {
	name := n.Name()
	e.Inherit(by, n)
	outs := make([]graph.Output, by.NumOutputs())
	for i := range outs {
		outs[i] = by.Output(i)
	}
	if err := e.Replace(n, outs...); err != nil {
		return err
	}
	return e.Rename(by, name)
}

// A Replacement is a node that takes the place of several, whose outputs only they take.
type Replacement struct {
	Nodes []*graph.Node
	Last  *graph.Node // of Nodes; By takes its name
	By    *graph.Node
}

// ReplaceMany makes replacements: who waited for one of the nodes waits for what takes its
// place, also as a target.
func (e *Edit) ReplaceMany(list []Replacement) error {
	if len(list) == 0 {
		return nil
	}
	by := map[*graph.Node]*graph.Node{}
	var going []*graph.Node
	for _, r := range list {
		for _, n := range r.Nodes {
			by[n] = r.By
		}
		going = append(going, r.Nodes...)
	}
	if err := e.ReplaceControls(by); err != nil {
		return err
	}
	e.Changed()
	names := make([]string, len(list))
	for i, r := range list {
		names[i] = r.Last.Name()
		e.Inherit(r.By, r.Last)
		for _, n := range r.Nodes {
			if err := e.Watch.Step(); err != nil {
				return err
			}
			if at := e.aimed[n]; len(at) > 0 {
				delete(e.aimed, n)
				e.aimed[r.By] = append(e.aimed[r.By], at...)
				for _, k := range at {
					e.targets[k] = r.By
				}
			}
		}
	}
	if err := e.Remove(going...); err != nil {
		return err
	}
	for i, r := range list {
		if err := e.Rename(r.By, names[i]); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes what nothing needs any more.
func (e *Edit) sweep() error {
	if !e.dirty {
		return nil
	}
	e.dirty = false
	needed, err := e.Needed()
	if err != nil {
		return err
	}
	var idle []*graph.Node
	for _, n := range e.Nodes() {
		if !needed[n.ID()] {
			idle = append(idle, n)
		}
	}
	e.changes += len(idle)
	return e.Remove(idle...)
}

// Needed says of every node, by its ID, whether the step needs it.
func (e *Edit) Needed() ([]bool, error) {
	needed := make([]bool, e.MaxID())
	var stack []*graph.Node
	need := func(n *graph.Node) {
		if n != nil && !needed[n.ID()] {
			needed[n.ID()] = true
			stack = append(stack, n)
		}
	}
	for _, f := range e.fetches {
		need(f.Op)
	}
	for _, t := range e.targets {
		need(t)
	}
	for _, f := range e.Feeds {
		need(f.Op)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := e.Watch.Steps(1 + n.NumInputs()); err != nil {
			return nil, err
		}
		graph.InputNodes(n, need)
	}
	return needed, nil
}

// finish makes the program what the edits have made of it.
func (e *Edit) finish(p *Program) error {
	g, err := e.Done()
	if err != nil {
		return err
	}
	p.Graph, p.Nodes, p.Feeds, p.Fetches, p.Targets = g, g.Nodes(), e.Feeds, e.fetches, nil
	for _, t := range e.targets {
		if t != nil {
			p.Targets = append(p.Targets, t)
		}
	}
	return nil
}
