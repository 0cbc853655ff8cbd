package partition

import (
	"context"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan"
)

// Crossing returns what a Send that Split has added sends, as the program that was split calls
// it: "x:0", or "^x" for a control edge.
func Crossing(send *graph.Node) string {
	from := send.Inputs()[0]
	for c := from.Op; (c.Type() == "Cast" || c.Type() == "_Download") && isAdded(c); c = from.Op {
		from = c.Inputs()[0]
	}
	if c := from.Op; c.Class() == graph.ClassConstant && len(c.Controls()) == 1 && strings.Contains(c.Name(), ctrl) {
		return "^" + c.Controls()[0].Name()
	}
	return from.String()
}

// isAdded reports whether a node has the name of one that was added.
func isAdded(n *graph.Node) bool { return strings.Contains(n.Name(), "/_") }

// ctrl is in the names of constants that stand for control edges.
const ctrl = "/ctrl/_"

// A Piece is what of a program is on one device, as a program of its own: what it sends
// is among its targets.
type Piece struct {
	plan.Program
	Device string // full name
	// FeedAt and FetchAt are where its feeds and fetches stand among those of all.
	FeedAt, FetchAt []int
}

// Graphs returns the pieces of a program that has been split, each a graph of its own, by
// device. Devices that have none are left out.
func Graphs(ctx context.Context, p *plan.Program) ([]Piece, error) {
	e, err := p.Graph.EditPart(ctx, p.Nodes, p.Feeds)
	if err != nil {
		return nil, err
	}
	for _, t := range p.Split.Transfers { // the edges that join them
		if err := e.RemoveControl(e.Copy(t.Recv), e.Copy(t.Send)); err != nil {
			return nil, err
		}
	}
	at := make(map[*graph.Node]int, len(p.Nodes))
	for _, n := range p.Nodes {
		at[e.Copy(n)] = p.Placement.Device(n)
	}
	g, err := e.Done()
	if err != nil {
		return nil, err
	}
	need := make([][]*graph.Node, len(p.Devices))
	for _, n := range g.Nodes() {
		need[at[n]] = append(need[at[n]], n)
	}
	var all []Piece
	for i := range p.Devices {
		if len(need[i]) == 0 {
			continue
		}
		part, err := piece(ctx, p, i, e, g, need[i])
		if err != nil {
			return nil, err
		}
		all = append(all, part)
	}
	return all, nil
}

// Whole returns a program that was not split as the only piece, on a device.
func Whole(ctx context.Context, p *plan.Program, device string) (Piece, error) {
	r := Piece{Device: device}
	own, err := p.Graph.EditPart(ctx, p.Nodes, p.Feeds)
	if err != nil {
		return r, err
	}
	if r.Graph, err = own.Done(); err != nil {
		return r, err
	}
	r.Nodes, r.Feeds = r.Graph.Nodes(), own.Feeds
	for k := range p.Feeds {
		r.FeedAt = append(r.FeedAt, k)
	}
	for k, f := range p.Fetches {
		r.Fetches, r.FetchAt = append(r.Fetches, own.Output(f)), append(r.FetchAt, k)
	}
	for _, t := range p.Targets {
		r.Targets = append(r.Targets, own.Copy(t))
	}
	return r, nil
}

// piece returns that of device i, of the nodes need of g, which e made.
func piece(ctx context.Context, p *plan.Program, i int, e *graph.Part, g *graph.Graph, need []*graph.Node) (Piece, error) {
	r := Piece{Device: p.Devices[i].Name}
	var fed []graph.Output
	for k, f := range p.Feeds {
		if p.Placement.Device(f.Op) == i {
			fed, r.FeedAt = append(fed, e.Output(f)), append(r.FeedAt, k)
		}
	}
	own, err := g.EditPart(ctx, need, fed)
	if err != nil {
		return r, err
	}
	if r.Graph, err = own.Done(); err != nil {
		return r, err
	}
	r.Nodes, r.Feeds = r.Graph.Nodes(), own.Feeds
	for k, f := range p.Fetches {
		if p.Placement.Device(f.Op) == i {
			r.Fetches, r.FetchAt = append(r.Fetches, own.Output(e.Output(f))), append(r.FetchAt, k)
		}
	}
	for _, t := range p.Targets {
		if p.Placement.Device(t) == i {
			r.Targets = append(r.Targets, own.Copy(e.Copy(t)))
		}
	}
	for _, t := range p.Split.Transfers {
		if t.From == i {
			r.Targets = append(r.Targets, own.Copy(e.Copy(t.Send)))
		}
	}
	return r, nil
}
