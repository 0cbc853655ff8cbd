package nodes

import (
	"context"
	"maps"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/lower"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// waits says whether anything in a function, or in what it calls, may wait for
// something outside. It looks once at every function that can be reached, as they
// stand in the library: to compile them would take longer than to play them. Where
// mightWait holds the kernel is asked. The lock is not held meanwhile: of callers that ask
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
			here = here || r.nodeWaits(n)
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

// knownToWait is what waits has found out about a function.
func (r *Functions) knownToWait(name string) (waits, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	waits, ok = r.waiting[name]
	return waits, ok
}

// functionsOf is the functions that a node calls.
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

// nodeWaits says whether a node's own kernel may wait, or cannot be made.
func (r *Functions) nodeWaits(n *graph.Node) bool {
	if !mightWait(n) || lower.Lowers(n) || n.Class() == graph.ClassArg || n.Class() == graph.ClassRetval {
		return false
	}
	k, err := makeKernel(n, "CPU", r.device, "", 0)
	return err != nil || mayWait(k)
}

// mightWait says whether the kernel of a node could be one that waits: those of
// operations that have no state, call no function and take no reference, which might
// be a queue's, and no variant, which might be a dataset, are not, but for those that
// are registered so.
func mightWait(n *graph.Node) bool {
	if n.Def().Stateful || kernel.Waits(n.Type()) {
		return true
	}
	for _, dt := range n.InputTypes() {
		if dt.IsRef() || dt == tensor.Variant {
			return true
		}
	}
	for _, a := range n.Attrs() {
		if k := a.Value.Kind.Elem(); k == registry.KindFunc || a.Value.Kind == registry.KindFunc {
			return true
		}
	}
	return false
}

// mayWait says whether a kernel may wait for something outside its step.
func mayWait(k kernel.Kernel) bool {
	switch k.(type) {
	case kernel.Async, kernel.Blocking:
		return true
	}
	return false
}
