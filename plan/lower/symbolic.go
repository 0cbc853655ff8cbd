package lower

import (
	"context"
	"strconv"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
)

// symbolic lowers a SymbolicGradient: it plays a body that computes what the
// function does and, from that and the gradients of the results, the gradients of
// the arguments. The node takes the function's arguments, and those gradients. If the
// library has a gradient of the function, a function as well, that is the body.
func (l *lowering) symbolic(t *task) error {
	n := t.node
	f := function(n, "f")
	body, err := l.gradientOf(f)
	if err != nil {
		return err
	}
	if err := checkTypes(f, body, n.Inputs(), n.OutputTypes()); err != nil {
		return err
	}
	p, err := l.planOf(f, body, entire)
	if err != nil {
		return err
	}
	if !l.fits(t, p) {
		return status.Errorf(status.ResourceExhausted, "there is no room for the gradient of function '%s'", f.Name)
	}
	r := l.enter(n)
	if l.err != nil {
		return l.err
	}
	done, err := l.lay(t, p, r)
	if err != nil {
		return err
	}
	return l.finish(n, r, l.after(done, r), append(done.effects, r.pivot)...)
}

// gradientOf returns the body of a function's gradient.
func (l *lowering) gradientOf(f *registry.Func) (*graph.Body, error) {
	if own := l.g.FunctionGradient(f.Name); own != "" {
		return l.g.InstantiateContext(l.ctx, &registry.Func{Name: own, Attrs: f.Attrs})
	}
	forward, err := l.g.InstantiateContext(l.ctx, f)
	if err != nil {
		return nil, err
	}
	ctx, err := deeper(l.ctx)
	if err != nil {
		return nil, err
	}
	body, err := backward(ctx, forward)
	if err != nil {
		return nil, status.Within(err, "function '%s'", f.Name)
	}
	return body, nil
}

// mostSymbolic is how many gradients may be taken one of the other: a function may be
// the gradient of itself.
const mostSymbolic = 64

type symbolicKey struct{}

// deeper is ctx for what is inside another gradient.
func deeper(ctx context.Context) (context.Context, error) {
	depth, _ := ctx.Value(symbolicKey{}).(int)
	if depth++; depth > mostSymbolic {
		return nil, status.Errorf(status.ResourceExhausted, "more than %d gradients are taken one of the other", mostSymbolic)
	}
	return context.WithValue(ctx, symbolicKey{}, depth), nil
}

// backward returns the body of a function's gradient.
func backward(ctx context.Context, forward *graph.Body) (*graph.Body, error) {
	g, err := forward.Graph.CloneContext(ctx)
	if err != nil {
		return nil, err
	}
	own, err := graph.NewBody(g)
	if err != nil {
		return nil, err
	}
	b := &graph.Body{Graph: g, Args: own.Args}
	var xs, ys, dys []graph.Output
	for _, a := range own.Args {
		xs = append(xs, a.Output(0))
	}
	for i, res := range own.Results {
		y := res.Inputs()[0]
		dy, err := g.AddOperation(graph.OpSpec{
			Type: "_Arg", Name: g.UniqueName("dy" + strconv.Itoa(i)),
			Attrs: graph.Attrs{"T": y.DataType().Base(), "index": int64(len(own.Args) + i)},
		})
		if err != nil {
			return nil, err
		}
		b.Args = append(b.Args, dy)
		ys, dys = append(ys, y), append(dys, dy.Output(0))
	}
	dxs, err := g.AddGradientsContext(ctx, "", ys, xs, dys)
	if err != nil {
		return nil, err
	}
	for i, dx := range dxs {
		res, err := g.AddOperation(graph.OpSpec{
			Type: "_Retval", Name: g.UniqueName("dx" + strconv.Itoa(i)),
			Input: []graph.Input{dx}, Attrs: graph.Attrs{"index": int64(i)},
		})
		if err != nil {
			return nil, err
		}
		b.Results = append(b.Results, res)
	}
	for _, c := range forward.Controls {
		b.Controls = append(b.Controls, graph.ControlOutput{Name: c.Name, Op: g.Operation(c.Op.Name())})
	}
	return b, nil
}
