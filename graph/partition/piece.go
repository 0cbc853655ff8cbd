package partition

import (
	"context"

	"github.com/troupe-go/troupe/graph"
)

// A Piece is what runs on one device.
type Piece struct {
	Program
	// FeedAt and FetchAt are where its feeds and fetches stand among those of all.
	FeedAt, FetchAt []int
}

// Piece is what runs on device i, as a graph of its own: its Sends, too, are targets.
// It is for one goroutine at a time.
func (p *Pieces) Piece(ctx context.Context, i int) (*Piece, error) {
	if p.alone == nil {
		if err := p.separate(ctx); err != nil {
			return nil, err
		}
	}
	at := func(n *graph.Node) bool { return p.device[n] == i }
	var need []*graph.Node
	for _, n := range p.alone.Nodes() {
		if m := p.joined(n); m != nil && at(m) {
			need = append(need, n)
		}
	}
	r := &Piece{}
	var fed []graph.Output
	for k, f := range p.Feeds {
		if at(f.Op) {
			fed, r.FeedAt = append(fed, p.apart.Output(f)), append(r.FeedAt, k)
		}
	}
	e, err := p.alone.EditPart(ctx, need, fed)
	if err != nil {
		return nil, err
	}
	g, err := e.Done()
	if err != nil {
		return nil, err
	}
	r.Graph, r.Nodes, r.Feeds = g, g.Nodes(), e.Feeds
	for k, f := range p.Fetches {
		if at(f.Op) {
			r.Fetches, r.FetchAt = append(r.Fetches, e.Output(p.apart.Output(f))), append(r.FetchAt, k)
		}
	}
	for _, t := range p.Targets {
		if at(t) {
			r.Targets = append(r.Targets, e.Copy(p.apart.Copy(t)))
		}
	}
	for _, t := range p.Transfers {
		if t.From == i {
			r.Targets = append(r.Targets, e.Copy(p.apart.Copy(t.Send)))
		}
	}
	return r, nil
}

// joined is the node of the pieces side by side that n, of those apart, is a copy of.
func (p *Pieces) joined(n *graph.Node) *graph.Node { return p.Graph.Operation(n.Name()) }

// separate takes the pieces apart: no Recv waits for its Send any more.
func (p *Pieces) separate(ctx context.Context) error {
	e, err := p.Graph.EditPart(ctx, p.Nodes, p.Feeds)
	if err != nil {
		return err
	}
	for _, t := range p.Transfers {
		if err := e.RemoveControl(e.Copy(t.Recv), e.Copy(t.Send)); err != nil {
			return err
		}
	}
	p.apart = e
	p.alone, err = e.Done()
	return err
}
