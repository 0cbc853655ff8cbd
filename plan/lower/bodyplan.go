package lower

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A manner is how the body of a function runs.
type manner uint8

const (
	// called: as one operation, which does what its results and its control outputs need.
	called manner = iota
	// entire: as one operation, and all that is stateful runs, in nested bodies too.
	entire
	// parted: in parts, each result when what it needs is done. Control outputs are for
	// consumers that wait for the node.
	parted
)

// A planned is what there is one plan of.
type planned struct {
	body *graph.Body
	how  manner
}

// A bodyPlan is what of a body is laid out wherever it runs in that manner: the nodes
// that a result or a side effect needs.
type bodyPlan struct {
	f       *registry.Func
	how     manner
	body    *graph.Body
	nodes   []*graph.Node         // in order, without arguments and results
	place   map[*graph.Node]int32 // of arguments, then of nodes
	size    int                   // about how many nodes they become
	edges   int
	effects []*graph.Node
	loose   []*graph.Node // effects that nothing can wait for
}

// plan returns that of a function which is called with those arguments for results of
// those types. It fails if they do not fit.
func (l *lowering) plan(f *registry.Func, args []graph.Output, results []tensor.DType, how manner) (*bodyPlan, error) {
	body, err := l.g.InstantiateContext(l.ctx, f)
	if err != nil {
		return nil, err
	}
	if err := checkTypes(f, body, args, results); err != nil {
		return nil, err
	}
	return l.planOf(f, body, how)
}

// planOf is plan for a body that fits.
func (l *lowering) planOf(f *registry.Func, body *graph.Body, how manner) (*bodyPlan, error) {
	key := planned{body, how}
	if p := l.plans[key]; p != nil {
		return p, nil
	}
	p := &bodyPlan{f: f, how: how, body: body, place: map[*graph.Node]int32{}}
	p.effects, p.loose = effectsOf(body, how)
	needed := make([]bool, body.Graph.NumNodes())
	stack := slices.Concat(body.Results, p.effects, p.loose)
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
	l.plans[key] = p
	return p, nil
}

// checkTypes reports whether a body takes those arguments and returns results of
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

// Effects returns the nodes of a body that must run whatever is made of the results:
// those that it lists as control outputs and, where the body runs entirely, all that
// are stateful.
func Effects(body *graph.Body, entirely bool) []*graph.Node {
	how := called
	if entirely {
		how = entire
	}
	effects, loose := effectsOf(body, how)
	return append(effects, loose...)
}

// effectsOf returns the side effects of a body that runs in that manner, and those of them
// that nothing can wait for, as they may be dead or in a frame of the body.
func effectsOf(body *graph.Body, how manner) (effects, loose []*graph.Node) {
	listed := map[*graph.Node]bool{}
	for _, c := range body.Controls {
		effects = append(effects, c.Op)
		listed[c.Op] = true
	}
	if how != entire {
		return effects, nil
	}
	flows := false // has control flow of its own
	for _, n := range body.Graph.Nodes() {
		switch {
		case n.Class() == graph.ClassArg || n.Class() == graph.ClassRetval || listed[n]:
		case n.Def().Stateful:
			loose = append(loose, n)
		case n.Class().ControlFlow():
			flows = true
		}
	}
	if flows {
		return effects, loose
	}
	return append(effects, loose...), nil
}

// changing reports whether running a plan may have side effects: it has a stateful node,
// or one that may call a function that has.
func (p *bodyPlan) changing() bool {
	return slices.ContainsFunc(p.nodes, func(n *graph.Node) bool { return n.Def().Stateful || Lowers(n) })
}
