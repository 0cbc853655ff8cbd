package gradients

import (
	"context"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/graph/lower"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// expand puts the bodies of functions that lie between xs and ys into the graph:
// calls, conditionals and loops made of functions become the nodes that engines make
// of them anyway, and are differentiated as those. Functions that have a gradient of
// their own stay calls.
func expand(g *graph.Graph, ys, xs, stop []graph.Output) error {
	tried := map[*graph.Node]bool{}
	for {
		s := between(g, ys, xs, stop)
		var calls []*graph.Node
		for _, n := range g.Nodes() {
			if !s.through(n) || !lower.Lowers(n) || ownGradient(n) != nil {
				continue
			}
			if tried[n] {
				return status.Errorf(status.NotFound, "No gradient defined for operation '%s' (op type: %s): the function calls itself", n.Name(), n.Type())
			}
			tried[n] = true
			calls = append(calls, n)
		}
		if len(calls) == 0 {
			return nil
		}
		if err := lower.InPlace(context.Background(), g, calls, func(n *graph.Node) bool { return ownGradient(n) != nil }); err != nil {
			return err
		}
	}
}

// ownGradient is the gradient that was given to a call or to the function it calls;
// nil if there is none.
func ownGradient(n *graph.Node) gradient.Func {
	if v := n.Attrs().Find("_gradient_op_type"); v != nil && v.S != "" {
		if f, ok := gradient.Lookup(v.S); ok {
			return f
		}
	}
	callee := n.Callee()
	if callee == nil {
		return nil
	}
	name := n.Graph().FunctionGradient(callee.Name)
	if name == "" {
		return nil
	}
	return func(c *gradient.Context) { callGradient(c, &registry.Func{Name: name, Attrs: callee.Attrs}) }
}

// callGradient calls the gradient of a function: it takes what the function takes
// and the gradients of the results, and gives the gradients of what it takes.
func callGradient(c *gradient.Context, f *registry.Func) {
	n := c.Node()
	args := append(append(graph.OutputList{}, n.Inputs()...), c.Dys(0, c.NumOutputs())...)
	in := append(append([]tensor.DType{}, n.InputTypes()...), n.OutputTypes()...)
	dx := c.Outputs("StatefulPartitionedCall", graph.Attrs{"f": f, "Tin": in, "Tout": n.InputTypes()}, args)
	for i, v := range dx {
		c.Set(i, v)
	}
}
