package rewrite

import (
	"context"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/plan"
)

// Options says how programs are rewritten. The zero value rewrites nothing.
type Options struct {
	Passes Passes
	// Pool shares out the ranges of kernels that run while constants are folded;
	// nil runs them one after another.
	Pool kernel.Pool
	// Device is the full name of the device that the program is for.
	Device string
	// OneDevice says that all nodes run on one device, whichever they ask for.
	OneDevice bool
}

// List returns the passes that o asks for, for one program.
func (o Options) List(ctx context.Context) []plan.Pass {
	e := &evaluator{options: o}
	var list []plan.Pass
	for i := range passes {
		if !o.Passes.has(i) {
			continue
		}
		run := passes[i].run
		list = append(list, plan.Pass{Name: passes[i].name, Edit: func(p *plan.Edit) error {
			e.begin(ctx)
			return run(&work{Edit: p, evaluator: e})
		}})
	}
	return list
}

// A work is a program while it is rewritten.
type work struct {
	*plan.Edit
	*evaluator
}

// together reports whether two nodes may become one, as far as devices are concerned.
func (w *work) together(a, b *graph.Node) bool {
	return w.options.OneDevice || a.Device() == b.Device()
}

// fused puts a node in place of n, under its name, if it has a kernel.
func (w *work) fused(n *graph.Node, spec graph.OpSpec) error {
	by, err := w.instead(n, spec)
	if by == nil || err != nil {
		return err
	}
	return w.ReplaceBy(n, by)
}

// instead adds a node that is to take the place of n; nil if it has no kernel.
func (w *work) instead(n *graph.Node, spec graph.OpSpec) (*graph.Node, error) {
	spec.Name, spec.Device = w.UniqueName(n.Name()), n.Device()
	by, err := w.Add(spec)
	if err != nil {
		return nil, w.Watch.Ask() // the definition has limits of its own
	}
	if _, err := w.kernel(by); err != nil {
		return nil, w.Remove(by)
	}
	return by, nil
}
