package gradients

import (
	"context"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/plan/lower"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// expand puts the bodies of functions that lie between xs and ys into the graph:
// calls, conditionals and loops made of functions become the nodes that engines make
// of them anyway, and are differentiated as those. Functions that have a gradient of
// their own stay calls.
func expand(ctx context.Context, g *graph.Graph, ys, xs, stop []graph.Output) error {
	open, size := map[string]expanded{}, g.NumNodes()
	watch := status.NewWatch(ctx)
	most := mostExpanded + expandedPerNode*size
	for {
		if err := watch.Steps(g.NumNodes()); err != nil {
			return err
		}
		if g.NumNodes() > most {
			return status.Errorf(status.ResourceExhausted, "gradients: the functions between come to more than %d nodes", most)
		}
		s, err := between(watch, g, ys, xs, stop)
		if err != nil {
			return err
		}
		var calls []*graph.Node
		for _, n := range g.Nodes() {
			if !s.through(n) || !lower.Lowers(n) || ownGradient(n) != nil {
				continue
			}
			e := expanded{functions: functionsOf(n)}
			if n.ID() >= size {
				e.from = madeBy(open, n.Name())
			}
			_, again := open[n.Name()]
			if again || recurs(open, e) {
				return status.Errorf(status.NotFound, "No gradient defined for operation '%s' (op type: %s): the function calls itself", n.Name(), n.Type())
			}
			open[n.Name()] = e
			calls = append(calls, n)
		}
		if len(calls) == 0 {
			return nil
		}
		if err := lower.InPlace(ctx, g, calls, func(n *graph.Node) bool { return ownGradient(n) != nil }); err != nil {
			return err
		}
	}
}

// mostExpanded is how many nodes a graph may come to by functions that are expanded,
// and expandedPerNode how many more for each that it has: few functions that call each
// other stand for any number.
const (
	mostExpanded    = 1 << 20
	expandedPerNode = 16
)

// An expanded is a node that was expanded: the functions that it calls, and the node
// whose expansion it came from.
type expanded struct{ functions, from string }

// functionsOf names the functions that a node calls.
func functionsOf(n *graph.Node) string {
	var names []string
	for _, a := range n.Attrs() {
		if a.Value.Func != nil {
			names = append(names, a.Value.Func.Name)
		}
		for _, x := range a.Value.List {
			if x.Func != nil {
				names = append(names, x.Func.Name)
			}
		}
	}
	if f := n.Callee(); f != nil {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

// madeBy is which of the nodes that were expanded a node comes from: what an
// expansion adds is named below it.
func madeBy(open map[string]expanded, name string) string {
	for {
		at := strings.LastIndexByte(name, '/')
		if at < 0 {
			return ""
		}
		name = name[:at]
		if _, ok := open[name]; ok {
			return name
		}
	}
}

// recurs reports whether what a node calls was expanded to get to it.
func recurs(open map[string]expanded, e expanded) bool {
	for from := e.from; from != ""; from = open[from].from {
		if open[from].functions == e.functions {
			return true
		}
	}
	return false
}

// ownGradient returns the gradient that was given to a call or to the function it calls;
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
