package batching

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// call reports whether a node calls a function that calls itself and has no side effects.
func (f *finder) call(n *graph.Node) bool {
	if n.Callee() == nil {
		return false
	}
	if f.cycles == nil {
		f.cycles = newCycles(n.Graph())
	}
	in, err := f.cycles.calls(context.Background(), n)
	return err == nil && in && f.isPure(n, n.Callee(), n.Callee().Name, nil)
}

// batchCalls replaces calls by nodes of CallOp.
func (f *finder) batchCalls(ctx context.Context, p *plan.Program) error {
	varying := varying(p)
	var list []*graph.Node
	args := map[*graph.Node][]Arg{}
	for _, n := range p.Nodes {
		if !f.call(n) {
			continue
		}
		r := Finding{Loop: n.Name(), Callee: n.Callee().Name}
		args[n], r.Open = argsOf(n.Inputs(), varying)
		for _, a := range args[n] { // how large weights are is known then, too
			r.Open = r.Open || a.Invariant && a.Handle.Type == tensor.Invalid && !a.Shape.Full()
		}
		made, err := NewRecursion(ctx, n.Graph(), n.Name(), n.InputTypes(), n.Callee())
		if err == nil {
			r.Calls, err = made.Build(args[n])
		}
		if ended := status.FromContext(ctx); ended != nil {
			return ended
		}
		if err != nil {
			r.Reason = status.From(err).Message
		}
		if f.found != nil {
			f.found(r)
		}
		if err == nil || r.Open && made != nil {
			list = append(list, n)
		}
	}
	if len(list) == 0 {
		return nil
	}
	e, err := p.Edit(ctx)
	if err != nil {
		return err
	}
	for _, n := range list {
		attrs := attrsOf(args[n])
		attrs["f"], attrs["Tin"], attrs["Tout"] = n.Callee(), n.InputTypes(), n.OutputTypes()
		if err := replace(e, e.Copy(n), CallOp, attrs); err != nil {
			return err
		}
	}
	return nil
}

// Whole returns the call as it is, as a program from its arguments to its results. Its nodes have
// the names that they have where the call is lowered.
func (r *Recursion) Whole(ctx context.Context, library *graph.Graph, f *registry.Func, args []Arg) (Program, error) {
	e, err := library.EditPart(ctx, nil, nil)
	if err != nil {
		return Program{}, err
	}
	var p Program
	for i, t := range r.Types {
		spec := graph.OpSpec{Type: "Placeholder", Name: e.UniqueName(fmt.Sprint("argument", i)), Attrs: graph.Attrs{"dtype": t}}
		if t == tensor.Resource {
			spec.Type, spec.Attrs = "VarHandleOp", graph.Attrs{"dtype": args[i].Handle.Type, "shape": registry.ShapeAttr(args[i].Handle.Shape.Attr()), "shared_name": spec.Name}
		}
		n, err := e.Add(spec)
		if err != nil {
			return p, err
		}
		p.Feeds = append(p.Feeds, n.Output(0))
	}
	n, err := e.Add(graph.OpSpec{Type: "StatefulPartitionedCall", Name: r.Name, Input: []graph.Input{graph.OutputList(p.Feeds)},
		Attrs: graph.Attrs{"f": f, "Tin": r.Types, "Tout": r.Results}})
	if err != nil {
		return p, err
	}
	for i := range n.NumOutputs() {
		p.Fetches = append(p.Fetches, n.Output(i))
	}
	p.Graph, err = e.Done()
	return p, err
}
