package compile

import (
	"context"
	"maps"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/plan/lower"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
)

// pass returns the pass that finds what may wait for what no edge says: of calls that stay calls,
// and, where pieces in memories of their own are split apart, of all nodes.
func (r *Functions) pass() plan.Pass {
	splits := func(p *plan.Program) bool { return p.Accelerated() && p.Placement != nil && !p.Placement.Only(0) }
	calls := func(n *graph.Node) bool { return n.Callee() != nil }
	return plan.Pass{
		Name: "waits",
		When: func(p *plan.Program) bool { return splits(p) || slices.ContainsFunc(p.Nodes, calls) },
		Run: func(ctx context.Context, p *plan.Program) error {
			watch := status.NewWatch(ctx)
			for _, n := range p.Nodes {
				if err := watch.Step(); err != nil {
					return err
				}
				if f := n.Callee(); f != nil {
					if p.Calls == nil {
						p.Calls = map[string]bool{}
					}
					waits, err := r.waits(ctx, watch, f)
					if err != nil {
						return err
					}
					p.Calls[f.String()] = waits
					p.Waits = p.Waits || waits
				}
				p.Waits = p.Waits || splits(p) && nodeWaits(n)
			}
			return nil
		},
	}
}

// nodeWaits reports whether a node's own kernel may wait, or cannot be made.
func nodeWaits(n *graph.Node) bool {
	return !lower.Lowers(n) && n.Class() != graph.ClassArg && n.Class() != graph.ClassRetval && nodes.Waits(n)
}

// waits reports whether anything in a function, or in what it calls, may wait for
// something outside. It looks once at every function that can be reached, as they
// stand in the library: to compile them would take longer than to play them. The lock is not held meanwhile: of callers that ask
// at one time each may look, and all find the same.
func (r *Functions) waits(ctx context.Context, watch *status.Watch, f *registry.Func) (bool, error) {
	if known, ok := r.knownToWait(f.String()); ok {
		return known, nil
	}
	callers := map[string][]string{}
	seen := map[string]bool{f.String(): true}
	var waiting []string
	for open := []*registry.Func{f}; len(open) > 0; {
		f := open[len(open)-1]
		open = open[:len(open)-1]
		name := f.String()
		body, err := r.library.InstantiateContext(ctx, f)
		if err != nil { // told when it is called
			if err := watch.Ask(); err != nil {
				return false, err
			}
			waiting = append(waiting, name)
			continue
		}
		here := false
		for _, n := range body.Graph.Nodes() {
			if err := watch.Step(); err != nil {
				return false, err
			}
			for _, g := range functionsOf(n) {
				called := g.String()
				callers[called] = append(callers[called], name)
				known, ok := r.knownToWait(called)
				here = here || known
				if !ok && !seen[called] {
					seen[called] = true
					open = append(open, g)
				}
			}
			here = here || nodeWaits(n)
		}
		if here {
			waiting = append(waiting, name)
		}
	}
	found := make(map[string]bool, len(seen))
	for name := range seen {
		found[name] = false
	}
	for len(waiting) > 0 {
		name := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if known, ok := found[name]; !known && ok {
			found[name] = true
			waiting = append(waiting, callers[name]...)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting == nil {
		r.waiting = found
	} else {
		maps.Copy(r.waiting, found)
	}
	return found[f.String()], nil
}

// knownToWait returns what waits has found out about a function.
func (r *Functions) knownToWait(name string) (waits, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	waits, ok = r.waiting[name]
	return waits, ok
}

// functionsOf returns the functions that a node calls.
func functionsOf(n *graph.Node) []*registry.Func {
	if !lower.Lowers(n) {
		return nil
	}
	if f := n.Callee(); f != nil {
		return []*registry.Func{f}
	}
	var list []*registry.Func
	for _, a := range n.Attrs() {
		if a.Value.Func != nil {
			list = append(list, a.Value.Func)
		}
		for _, v := range a.Value.List {
			if v.Func != nil {
				list = append(list, v.Func)
			}
		}
	}
	return list
}
