package batching

import (
	"fmt"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/region"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// Whole returns the loop as a program for one caller, from its variables to their last values. Its
// nodes and its frame have the names that they have where the loop is lowered.
func (l *Loop) Whole(args []Arg) (Program, error) {
	g := graph.New()
	b := graph.NewBuilder(g)
	p := Program{Graph: g}
	for i, t := range l.Types {
		if t == tensor.Resource && args[i].Invariant {
			p.Feeds = append(p.Feeds, b.Op("VarHandleOp", graph.Attrs{"dtype": args[i].Handle.Type, "shape": registry.ShapeAttr(args[i].Handle.Shape.Attr()), "shared_name": fmt.Sprint("argument ", i)}))
			continue
		}
		p.Feeds = append(p.Feeds, b.Op("Placeholder", graph.Attrs{"dtype": t, "shape": registry.ShapeAttr(shape.Shape{}.Attr())}))
	}
	if err := b.Err(); err != nil {
		return p, err
	}
	loop, err := region.Root(writer{g}).Loop(region.LoopSpec{Frame: l.Name, Init: p.Feeds, ParallelIterations: 1})
	if err != nil {
		return p, err
	}
	inCond, inBody := l.Name+"/cond/", l.Name+"/body/"
	if l.framed {
		inCond, inBody = "", ""
	}
	cond, err := inRegion(loop.Cond, g, inCond, l.cond, loop.Vars)
	if err != nil {
		return p, err
	}
	if err := loop.Test(cond[0]); err != nil {
		return p, err
	}
	next, err := inRegion(loop.Body, g, inBody, l.body, loop.Current)
	if err != nil {
		return p, err
	}
	p.Fetches, err = loop.Close(next)
	return p, err
}

// inRegion adds a copy of a function to a region, with names that begin with a prefix.
func inRegion(r *region.Region, g *graph.Graph, prefix string, f *function, args []graph.Output) ([]graph.Output, error) {
	at := map[graph.Output]graph.Output{}
	copies := map[*graph.Node]*graph.Node{}
	for i, a := range f.args {
		at[a] = args[i]
	}
	for _, n := range f.nodes {
		in := make([]graph.Output, n.NumInputs())
		for i, from := range n.Inputs() {
			in[i] = at[from]
		}
		name := prefix + n.Name()
		if g.Operation(name) != nil { // else it stays, also where it is the scope of others
			name = g.UniqueName(name)
		}
		spec := graph.CopySpec{Name: name, Inputs: in}
		for _, c := range n.Controls() { // which may say in which branch of a conditional it is
			if copies[c] != nil {
				spec.Controls = append(spec.Controls, copies[c])
			}
		}
		if len(in)+len(spec.Controls) == 0 {
			spec.Controls = []*graph.Node{r.Pivot}
		}
		c, err := g.AddCopy(n, spec)
		if err != nil {
			return nil, err
		}
		copies[n] = c
		r.Own(c)
		for i := range n.NumOutputs() {
			at[n.Output(i)] = c.Output(i)
		}
	}
	out := make([]graph.Output, len(f.results))
	for i, res := range f.results {
		out[i] = at[res]
	}
	return out, nil
}

// A writer adds nodes to a graph.
type writer struct{ g *graph.Graph }

func (w writer) Write(role region.Role, spec graph.OpSpec) (*graph.Node, error) {
	if spec.Name == "" {
		spec.Name = string(role)
	}
	spec.Name = w.g.UniqueName(spec.Name)
	return w.g.AddOperation(spec)
}

func (w writer) Close(merge *graph.Node, from graph.Output) error {
	return w.g.SetBackEdge(merge, 1, from)
}
