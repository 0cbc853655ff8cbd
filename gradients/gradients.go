package gradients

import (
	"context"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	graph.RegisterDifferentiator(func(ctx context.Context, g *graph.Graph, prefix string, y, x, dx []graph.Output) ([]graph.Output, error) {
		return Dense(g, y, x, Options{Context: ctx, Prefix: prefix, GradYs: dx})
	})
}

// Options configures Add and Dense. The zero Options is the default.
type Options struct {
	// Prefix is the name scope of the backward graph, which must be new in the graph; ""
	// is "gradients", made unique.
	Prefix string
	// GradYs are the gradients of the ys; nil, or a zero Output in it, stands for ones.
	GradYs []graph.Output
	// Context cancels the work with CANCELLED or DEADLINE_EXCEEDED; nil is no
	// cancellation. Nodes added by then remain, unused.
	Context context.Context
	// Stop are tensors that are treated as constants: no gradient flows beyond them.
	Stop []graph.Output
}

// Dense adds the gradients of ys with respect to xs, each a tensor of the type and shape
// of its x: zeros if no y depends on it. The gradient of a variable's handle has the
// variable's type and shape.
//
// It fails with NOT_FOUND if an operation between them has no registered gradient, and
// with INVALID_ARGUMENT if an output is not of the graph, or a gradient of a y is not of
// its type.
func Dense(g *graph.Graph, ys, xs []graph.Output, o Options) ([]graph.Output, error) {
	b, values, err := add(g, ys, xs, o)
	if err != nil {
		return nil, err
	}
	a := gradient.Build(b)
	given := map[graph.Output]bool{}
	for _, p := range o.GradYs {
		given[p.Canonical()] = true
	}
	dense := make([]graph.Output, len(values))
	for i, v := range values {
		switch {
		case v.Rows != nil:
			dense[i] = a.Dense(v.Rows)
		case v.None():
			dense[i] = a.Zeros(xs[i])
		case given[v.Dense]:
			// One that was given: a node of its own can be fetched where that is fed.
			dense[i] = a.Apply("Identity", v.Dense)
		default:
			dense[i] = v.Dense
		}
	}
	return dense, b.Err()
}

// Add is [Dense] for callers that handle sparse gradients: these are returned as they
// are, and the gradient of an x on which no y depends is the zero Value.
func Add(g *graph.Graph, ys, xs []graph.Output, o Options) ([]gradient.Value, error) {
	_, values, err := add(g, ys, xs, o)
	return values, err
}

func add(g *graph.Graph, ys, xs []graph.Output, o Options) (*graph.Builder, []gradient.Value, error) {
	ys, err := canonical(g, "y", ys)
	if err != nil {
		return nil, nil, err
	}
	if xs, err = canonical(g, "x", xs); err != nil {
		return nil, nil, err
	}
	stop, err := canonical(g, "stop", o.Stop)
	if err != nil {
		return nil, nil, err
	}
	grads, err := checkGradYs(g, ys, o.GradYs)
	if err != nil {
		return nil, nil, err
	}
	prefix := "gradients"
	if o.Prefix != "" {
		if prefix = o.Prefix; g.UniqueName(prefix) != prefix {
			return nil, nil, status.Invalid("prefix [%s] conflicts with existing node in the graph.", prefix)
		}
	}
	ctx := o.Context
	if ctx == nil {
		ctx = context.Background()
	}
	if err := expand(ctx, g, ys, xs, stop); err != nil {
		return nil, nil, err
	}
	b := graph.NewBuilder(g).Scope(prefix)
	w, err := newWalk(ctx, g, b, ys, xs, stop)
	if err != nil {
		return nil, nil, err
	}
	if err := w.start(ys, grads); err != nil {
		return nil, nil, err
	}
	return w.root.on(b), w.results(xs), b.Err()
}

// canonical is outputs as the graph knows them.
func canonical(g *graph.Graph, what string, list []graph.Output) ([]graph.Output, error) {
	own := make([]graph.Output, len(list))
	for i, p := range list {
		if p.Op == nil || p.Op.Graph() != g || !p.Exists() {
			return nil, status.Invalid("gradients: %s %d is not an output of a node of the graph", what, i)
		}
		own[i] = p.Canonical()
	}
	return own, nil
}

// checkGradYs returns the gradients of the ys, the zero Output for ones.
func checkGradYs(g *graph.Graph, ys, given []graph.Output) ([]graph.Output, error) {
	grads := make([]graph.Output, len(ys))
	if len(given) == 0 {
		return grads, nil
	}
	if len(given) != len(ys) {
		return nil, status.Invalid("gradients: there are %d ys, but gradients of %d", len(ys), len(given))
	}
	for i, p := range given {
		if p.Op == nil {
			continue
		}
		own, err := canonical(g, "the gradient of y", given[i:i+1])
		if err != nil {
			return nil, err
		}
		grads[i] = own[0]
		if have, want := own[0].DataType().Base(), ys[i].DataType().Base(); have != want && want != tensor.Resource {
			return nil, status.Invalid("gradients: %v is of type %v, its gradient %v of type %v", ys[i], want, own[0], have)
		}
	}
	return grads, nil
}
