package lower

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A plan is what of a body is laid out wherever it is called: the nodes that a
// result or a side effect needs.
type plan struct {
	f       *registry.Func
	body    *graph.Body
	nodes   []*graph.Node         // in order, without arguments and results
	place   map[*graph.Node]int32 // of arguments, then of nodes
	size    int                   // about how many nodes they become
	edges   int
	effects []*graph.Node
	ordered bool // something can wait for the effects
}

// plan is that of a function which is called with those arguments for results of
// those types. It fails if they do not fit.
func (l *lowering) plan(f *registry.Func, args []graph.Output, results []tensor.DType) (*plan, error) {
	body, err := l.g.InstantiateContext(l.ctx, f)
	if err != nil {
		return nil, err
	}
	if err := checkTypes(f, body, args, results); err != nil {
		return nil, err
	}
	return l.planOf(f, body)
}

// planOf is plan for a body that fits.
func (l *lowering) planOf(f *registry.Func, body *graph.Body) (*plan, error) {
	if p := l.plans[body]; p != nil {
		return p, nil
	}
	p := &plan{f: f, body: body, place: map[*graph.Node]int32{}}
	p.effects, p.ordered = effectsOf(body)
	needed := make([]bool, body.Graph.NumNodes())
	stack := slices.Concat(body.Results, p.effects)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if needed[n.ID()] {
			continue
		}
		if err := l.watch.Step(); err != nil {
			return nil, err
		}
		needed[n.ID()] = true
		graph.InputNodes(n, func(from *graph.Node) {
			if !needed[from.ID()] {
				stack = append(stack, from)
			}
		})
	}
	for i, a := range body.Args {
		p.place[a] = int32(i)
	}
	for _, n := range body.Graph.Nodes() {
		if err := l.watch.Step(); err != nil {
			return nil, err
		}
		if !needed[n.ID()] || n.Class() == graph.ClassArg || n.Class() == graph.ClassRetval {
			continue
		}
		p.place[n] = int32(len(body.Args) + len(p.nodes))
		p.nodes = append(p.nodes, n)
		p.size += nodesFor(n)
		p.edges += edgesOf(n)
	}
	l.plans[body] = p
	return p, nil
}

// checkTypes says whether a body takes those arguments and returns results of
// those types.
func checkTypes(f *registry.Func, body *graph.Body, args []graph.Output, results []tensor.DType) error {
	if len(args) != len(body.Args) {
		return status.Invalid("function '%s' takes %d arguments, but is given %d", f.Name, len(body.Args), len(args))
	}
	for i, a := range body.Args {
		if want, got := a.OutputTypes()[0], args[i].DataType(); want != got.Base() {
			return status.Invalid("argument %d of function '%s' is %v, but is given %v", i, f.Name, want, got)
		}
	}
	if len(body.Results) != len(results) {
		return status.Invalid("function '%s' returns %s, not %d", f.Name, status.Count(len(body.Results), "result"), len(results))
	}
	for i, res := range body.Results {
		if got := res.InputTypes()[0].Base(); got != results[i].Base() {
			return status.Invalid("result %d of function '%s' is %v, where %v is needed", i, f.Name, got, results[i])
		}
	}
	return nil
}

// Effects is the nodes of a body that must run whatever is made of the results:
// those that it lists as control outputs, else those that are stateful.
func Effects(body *graph.Body) []*graph.Node {
	effects, _ := effectsOf(body)
	return effects
}

// effectsOf also says whether something can wait for the effects: not if they
// may be dead, or in a frame of the body.
func effectsOf(body *graph.Body) (effects []*graph.Node, ordered bool) {
	if len(body.Controls) > 0 {
		for _, c := range body.Controls {
			effects = append(effects, c.Op)
		}
		return effects, true
	}
	ordered = true
	for _, n := range body.Graph.Nodes() {
		switch {
		case n.Class() == graph.ClassArg || n.Class() == graph.ClassRetval:
		case n.Def().Stateful:
			effects = append(effects, n)
		case n.Class().ControlFlow():
			ordered = false
		}
	}
	return effects, ordered
}
