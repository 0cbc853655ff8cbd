package batching

import (
	"context"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan/lower"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Loop is a While whose condition and body have no side effects.
type Loop struct {
	Name       string         // of its node, which errors have
	Types      []tensor.DType // of the variables
	framed     bool           // it was a loop of Enter and Exit, of the frame Name
	cond, body *function
}

// A function is the condition or the body, without calls.
type function struct {
	nodes   []*graph.Node // inputs before consumers
	args    []graph.Output
	results []graph.Output
	branches
}

// New returns the loop of a node of this name, with a condition and a body of a graph's library. It fails with
// UNIMPLEMENTED, and the reason, for a loop that cannot be batched whatever its arguments are.
func New(ctx context.Context, g *graph.Graph, name string, types []tensor.DType, cond, body *registry.Func) (*Loop, error) {
	l := &Loop{Name: name, Types: types}
	for _, f := range []struct {
		to   **function
		of   *registry.Func
		what string
	}{{&l.cond, cond, "condition"}, {&l.body, body, "body"}} {
		if reason, err := effects(ctx, g, f.of, later); err != nil {
			return nil, err
		} else if reason != "" {
			return nil, reject("%s", reason)
		}
		var err error
		if *f.to, err = flat(ctx, g, f.of); err != nil {
			return nil, err
		}
		if len((*f.to).args) != len(types) {
			return nil, reject("the %s takes %d arguments, not %d", f.what, len((*f.to).args), len(types))
		}
	}
	if len(l.cond.results) != 1 || len(l.body.results) != len(types) {
		return nil, reject("the condition returns %d results, and the body %d", len(l.cond.results), len(l.body.results))
	}
	return l, nil
}

// NewFramed is New for a loop of Enter and Exit: of a frame of this name, and of functions whose
// nodes have the names that they have in the graph.
func NewFramed(ctx context.Context, g *graph.Graph, frame string, types []tensor.DType, cond, body *registry.Func) (*Loop, error) {
	l, err := New(ctx, g, frame, types, cond, body)
	if err == nil {
		l.framed = true
	}
	return l, err
}

func reject(format string, args ...any) error {
	return status.Errorf(status.Unimplemented, format, args...)
}

// flat returns a function of a library with its calls replaced by their bodies.
func flat(ctx context.Context, g *graph.Graph, f *registry.Func) (*function, error) {
	body, err := g.InstantiateContext(ctx, f)
	if err != nil {
		return nil, err
	}
	var feeds, fetches []graph.Output
	for _, a := range body.Args {
		feeds = append(feeds, a.Output(0))
	}
	for _, r := range body.Results {
		fetches = append(fetches, r.Inputs()[0])
	}
	need, err := body.Graph.Subgraph(nil, fetches, body.Args)
	if err != nil {
		return nil, err
	}
	low, err := lower.Body(ctx, body.Graph, need, feeds, false)
	if err != nil {
		return nil, err
	}
	r := &function{args: low.Feeds}
	var roots []*graph.Node
	for _, f := range fetches {
		to := low.Output(f)
		r.results = append(r.results, to)
		roots = append(roots, to.Op)
	}
	fed := map[*graph.Node]bool{}
	for _, a := range low.Feeds {
		fed[a.Op] = true
	}
	r.branches = newBranches()
	reason := ""
	graph.DepthFirst(roots, func(n *graph.Node, yield func(*graph.Node)) {
		if reason != "" || fed[n] {
			return
		}
		if c := n.Class(); c.ControlFlow() && c != graph.ClassSwitch && c != graph.ClassMerge {
			reason = "a loop inside it: " + n.Type() + " " + n.Name()
			return
		}
		if n.Class() == graph.ClassCall || lower.Lowers(n) {
			reason = "a function that calls itself: " + n.Name()
			return
		}
		for _, in := range n.Inputs() {
			yield(in.Op)
		}
		for _, c := range n.Controls() {
			yield(c)
		}
	}, nil, func(n *graph.Node) {
		if !fed[n] && reason == "" {
			r.nodes = append(r.nodes, n)
			reason = r.add(n)
		}
	})
	if reason != "" {
		return nil, reject("%s", reason)
	}
	return r, nil
}

// harmless are stateful operations that only read, so that a loop with them can run some
// iterations twice, and for several callers at once.
var harmless = map[string]bool{
	"VarHandleOp": true, "ReadVariableOp": true, "ResourceGather": true, "ResourceGatherNd": true, "NoOp": true,
	"PartitionedCall": true, "StatefulPartitionedCall": true, "While": true, "If": true, "Case": true,
}

// later are operations with an effect that nothing in a loop depends on but through what they put
// out, which makes it kept: so each caller runs them in its own step after the loop, in order.
var later = map[string]bool{"TensorArrayWriteV3": true}

// Effects returns the side effect of a function or of those that it calls, or that it depends on
// more than its arguments and on variables; "" if there is none of that.
func Effects(ctx context.Context, g *graph.Graph, f *registry.Func) (reason string, err error) {
	return effects(ctx, g, f, nil)
}

// effects is Effects but for those of operations that are allowed.
func effects(ctx context.Context, g *graph.Graph, f *registry.Func, allowed map[string]bool) (reason string, err error) {
	seen := map[string]bool{}
	watch := status.NewWatch(ctx)
	for open := []*registry.Func{f}; len(open) > 0; {
		f := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[f.String()] {
			continue
		}
		seen[f.String()] = true
		body, err := g.InstantiateContext(ctx, f)
		if err != nil {
			return "", err
		}
		for _, n := range body.Graph.Nodes() {
			if err := watch.Step(); err != nil {
				return "", err
			}
			def := n.Def()
			if n.Class() != graph.ClassArg && n.Class() != graph.ClassRetval && n.Class() != graph.ClassCall &&
				(def.Stateful && !harmless[n.Type()] && !allowed[n.Type()] || def.Is(registry.Impure)) {
				return "it has an effect, or depends on state: " + n.Type() + " " + n.Name(), nil
			}
			for _, t := range n.OutputTypes() {
				if t.IsRef() {
					return "a reference: " + n.Type() + " " + n.Name(), nil
				}
			}
			open = append(open, n.Functions()...)
		}
	}
	return "", nil
}
