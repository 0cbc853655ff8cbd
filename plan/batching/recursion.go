package batching

import (
	"context"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan/lower"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A Recursion is a function that calls itself, without side effects, and all that it calls.
type Recursion struct {
	Name      string         // of the node that calls it, which errors have
	Types     []tensor.DType // of its arguments
	Results   []tensor.DType
	functions []*callee // itself first
}

// A callee is one of the functions. Other calls in it are replaced by their bodies: those that are
// left, of functions in a cycle, and conditionals, are its sites.
type callee struct {
	name    string
	nodes   []*graph.Node // inputs before consumers
	args    []graph.Output
	results []graph.Output
	sites   map[*graph.Node][]int // the functions that a site calls: one, or of each branch
	origin  []int                 // of each argument, which argument of the first call it is in all calls
	reads   map[*graph.Node]read  // of nodes that could read an argument's rows
}

// Of arguments that differ from call to call, and of functions that are not called.
const (
	varies   = -1
	uncalled = -2
)

// NewRecursion returns the function of a graph's library that a node of this name calls. It fails
// with UNIMPLEMENTED, and the reason, for one that cannot be batched whatever its arguments are.
func NewRecursion(ctx context.Context, g *graph.Graph, name string, types []tensor.DType, f *registry.Func) (*Recursion, error) {
	if reason, err := Effects(ctx, g, f); err != nil {
		return nil, err
	} else if reason != "" {
		return nil, reject("%s", reason)
	}
	r := &Recursion{Name: name, Types: types}
	cycles := newCycles(g)
	index := map[string]int{}
	var list []*registry.Func
	find := func(f *registry.Func) int {
		key := f.String()
		if _, ok := index[key]; !ok {
			index[key] = len(list)
			list = append(list, f)
		}
		return index[key]
	}
	find(f)
	for len(r.functions) < len(list) {
		c, err := newCallee(ctx, g, cycles, list[len(r.functions)], find)
		if err != nil {
			return nil, err
		}
		r.functions = append(r.functions, c)
	}
	if len(r.functions[0].args) != len(types) {
		return nil, reject("function '%s' takes %d arguments, not %d", f.Name, len(r.functions[0].args), len(types))
	}
	for _, o := range r.functions[0].results {
		r.Results = append(r.Results, o.DataType())
	}
	return r, r.trace()
}

// newCallee returns one of the functions; find returns the place of each that it calls.
func newCallee(ctx context.Context, g *graph.Graph, cycles *cycles, f *registry.Func, find func(*registry.Func) int) (*callee, error) {
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
	var failure error
	low, err := lower.BodyKeeping(ctx, body.Graph, need, feeds, func(n *graph.Node) bool {
		in, err := cycles.calls(ctx, n)
		if err != nil {
			failure = err
		}
		return in || chooses(n)
	})
	if err == nil {
		err = failure
	}
	if err != nil {
		return nil, err
	}
	c := &callee{name: f.Name, args: low.Feeds, sites: map[*graph.Node][]int{}, reads: map[*graph.Node]read{}}
	var roots []*graph.Node
	for _, f := range fetches {
		to := low.Output(f)
		c.results = append(c.results, to)
		roots = append(roots, to.Op)
	}
	arg := map[*graph.Node]bool{}
	for _, a := range c.args {
		arg[a.Op] = true
	}
	reason := ""
	graph.DepthFirst(roots, func(n *graph.Node, yield func(*graph.Node)) {
		if arg[n] || reason != "" {
			return
		}
		if n.Class().ControlFlow() || lower.Lowers(n) && n.Callee() == nil && !chooses(n) {
			reason = "a loop inside it: " + n.Type() + " " + n.Name()
			return
		}
		for _, in := range n.Inputs() {
			yield(in.Op)
		}
	}, nil, func(n *graph.Node) {
		if arg[n] || reason != "" {
			return
		}
		c.nodes = append(c.nodes, n)
		switch {
		case n.Callee() != nil:
			c.sites[n] = []int{find(n.Callee())}
		case chooses(n):
			var list []int
			for _, f := range branchesOf(n) {
				list = append(list, find(f))
			}
			c.sites[n] = list
		default:
			if r, ok := c.reader(n); ok {
				c.reads[n] = r
			}
		}
	})
	if reason != "" {
		return nil, reject("%s", reason)
	}
	return c, nil
}

// chooses reports whether a node runs one of several functions.
func chooses(n *graph.Node) bool {
	switch n.Type() {
	case "If", "StatelessIf", "Case", "StatelessCase":
		return true
	}
	return false
}

// branchesOf returns the functions that a node chooses from: of an If that for false comes first.
func branchesOf(n *graph.Node) (list []*registry.Func) {
	if v := n.Attrs().Find("else_branch"); v != nil {
		return []*registry.Func{v.Func, n.Attrs().Find("then_branch").Func}
	}
	if v := n.Attrs().Find("branches"); v != nil {
		for i := range v.List {
			list = append(list, v.List[i].Func)
		}
	}
	return list
}

// passed returns what a site passes to the functions that it calls.
func passed(n *graph.Node) []graph.Output {
	if chooses(n) {
		return n.Inputs()[1:]
	}
	return n.Inputs()
}

// trace finds of each argument of each function whether it is the same argument of the first call
// in all calls.
func (r *Recursion) trace() error {
	for _, c := range r.functions {
		c.origin = make([]int, len(c.args))
		for i := range c.origin {
			c.origin[i] = uncalled
		}
	}
	for i := range r.functions[0].origin {
		r.functions[0].origin[i] = i
	}
	for changed := true; changed; {
		changed = false
		for _, c := range r.functions {
			for n, callees := range c.sites {
				for _, at := range callees {
					to := r.functions[at]
					in := passed(n)
					if len(in) != len(to.args) || n.NumOutputs() != len(to.results) {
						return reject("%s (%s) does not fit function '%s'", n.Name(), n.Type(), to.name)
					}
					for i, o := range in {
						from := c.originOf(o)
						switch have := to.origin[i]; {
						case from == uncalled || from == have || have == varies:
						case have == uncalled:
							to.origin[i], changed = from, true
						default:
							to.origin[i], changed = varies, true
						}
					}
				}
			}
		}
	}
	return nil
}

// originOf returns which argument of the first call a value is.
func (c *callee) originOf(o graph.Output) int {
	o = through(o)
	for i, a := range c.args {
		if a == o {
			return c.origin[i]
		}
	}
	return varies
}

// argument returns which argument of the function a value is; -1: none.
func (c *callee) argument(o graph.Output) int {
	o = through(o)
	for i, a := range c.args {
		if a == o {
			return i
		}
	}
	return -1
}
