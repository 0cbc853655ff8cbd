package compile

import (
	"context"
	"sync"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/plan/lower"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/registry"
)

// Functions has the programs of functions of a graph; see [nodes.Functions]. It is safe for
// concurrent use.
type Functions struct {
	*nodes.Functions
	UnitsOff form.Passes // passes of units that are left out; set before use

	library *graph.Graph // where to find functions
	rewrite rewrite.Options

	mu      sync.Mutex
	waiting map[string]bool // by function: whether anything in it may wait; see waits
}

// NewFunctions is for the functions of g's library, which kernels call on engine e; nil: they
// cannot call. o says how they are rewritten.
func NewFunctions(g *graph.Graph, e nodes.Engine, o rewrite.Options) *Functions {
	r := &Functions{library: g, rewrite: o}
	r.Functions = nodes.NewFunctions(g, e, r.compile)
	return r
}

// compile makes the program of a function.
func (r *Functions) compile(ctx context.Context, f *registry.Func, entirely bool) (*nodes.Program, error) {
	body, err := r.library.InstantiateContext(ctx, f)
	if err != nil {
		return nil, err
	}
	spec := Spec{Functions: r, Rewrite: r.rewrite, UnitsOff: r.UnitsOff, Targets: lower.Effects(body, entirely), callee: &callee{f.Name, entirely}}
	for _, a := range body.Args {
		spec.Feeds = append(spec.Feeds, a.Output(0))
	}
	for _, res := range body.Results {
		spec.Fetches = append(spec.Fetches, res.Inputs()[0])
	}
	return Graph(ctx, body.Graph, spec)
}

// Library returns the graph whose functions these are.
func (r *Functions) Library() *graph.Graph { return r.library }

// Callable compiles a graph as a function that kernels call: from feeds to fetches, on the
// engine, the account and the rewriting of r. discard takes its program off the account.
func (r *Functions) Callable(ctx context.Context, name string, g *graph.Graph, feeds, fetches []graph.Output) (f kernel.Function, discard func(), err error) {
	p, err := Graph(ctx, g, Spec{Feeds: feeds, Fetches: fetches, Functions: r, Rewrite: r.rewrite, UnitsOff: r.UnitsOff})
	if err != nil {
		return nil, nil, err
	}
	return r.Functions.Callable(name, p), func() { r.Discard(p) }, nil
}
