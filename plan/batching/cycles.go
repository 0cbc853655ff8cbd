package batching

import (
	"context"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan/lower"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
)

// cycles finds the functions of a library that call themselves, by way of others or not.
type cycles struct {
	library *graph.Graph
	known   map[string]bool
}

func newCycles(g *graph.Graph) *cycles { return &cycles{g, map[string]bool{}} }

// calls reports whether a node calls a function that calls itself.
func (c *cycles) calls(ctx context.Context, n *graph.Node) (bool, error) {
	f := n.Callee()
	if f == nil {
		return false, nil
	}
	if err := c.search(ctx, f); err != nil {
		return false, err
	}
	return c.known[f.String()], nil
}

// search looks at a function and all that it may call (Tarjan, Depth-First Search and Linear
// Graph Algorithms, 1972): those in a component of several, or that call themselves, are in a cycle.
func (c *cycles) search(ctx context.Context, f *registry.Func) error {
	if _, ok := c.known[f.String()]; ok {
		return nil
	}
	watch := status.NewWatch(ctx)
	type visit struct {
		key          string
		callees      []*registry.Func
		next         int
		order, least int
		itself       bool
	}
	visits := map[string]*visit{}
	var open []string // of components that are not complete
	begin := func(f *registry.Func) (*visit, error) {
		v := &visit{key: f.String(), order: len(visits)}
		v.least = v.order
		visits[v.key] = v
		open = append(open, v.key)
		body, err := c.library.InstantiateContext(ctx, f)
		if err != nil {
			return v, status.FromContext(ctx)
		}
		for _, n := range body.Graph.Nodes() {
			if err := watch.Step(); err != nil {
				return nil, err
			}
			if lower.Lowers(n) {
				v.callees = append(v.callees, n.Functions()...)
			}
		}
		return v, nil
	}
	v, err := begin(f)
	if err != nil {
		return err
	}
	for path := []*visit{v}; len(path) > 0; {
		v := path[len(path)-1]
		if v.next < len(v.callees) {
			f := v.callees[v.next]
			v.next++
			key := f.String()
			v.itself = v.itself || key == v.key
			if _, ok := c.known[key]; ok {
				continue
			}
			if w := visits[key]; w != nil {
				v.least = min(v.least, w.order)
				continue
			}
			w, err := begin(f)
			if err != nil {
				return err
			}
			path = append(path, w)
			continue
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			up := path[len(path)-1]
			up.least = min(up.least, v.least)
		}
		if v.least < v.order {
			continue
		}
		for i := len(open) - 1; ; i-- {
			c.known[open[i]] = v.itself || open[len(open)-1] != v.key
			if open[i] == v.key {
				open = open[:i]
				break
			}
		}
	}
	return nil
}
