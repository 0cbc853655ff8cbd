package race

import (
	"context"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan/lower"
	"github.com/troupe-go/troupe/status"
)

// A Program is what a step runs of a graph.
type Program struct {
	Graph   *graph.Graph
	Feeds   []graph.Output
	Fetches []graph.Output
	Targets []*graph.Node
}

// A program is one that is looked at: functions are laid out, nodes are numbered.
type program struct {
	watch   *status.Watch
	strict  bool // see Unordered
	nodes   []*graph.Node
	number  map[*graph.Node]int32
	fed     map[graph.Output]bool
	fetched map[graph.Output]bool
	frames  *graph.Frames
	kept    []bool    // by number: its outputs go somewhere, or it has none, or it changes something
	out     [][]int32 // by number: what waits for it
}

// layOut puts functions in place of their calls and numbers what the step needs.
func layOut(ctx context.Context, p Program) (*program, error) {
	nodes, err := p.Graph.Subgraph(p.Feeds, p.Fetches, p.Targets)
	if err != nil {
		return nil, err
	}
	l, err := lower.Functions(ctx, p.Graph, nodes, p.Feeds)
	if err != nil {
		return nil, err
	}
	q := &program{watch: status.NewWatch(ctx), number: map[*graph.Node]int32{}, fed: map[graph.Output]bool{}, fetched: map[graph.Output]bool{}}
	for _, f := range l.Feeds {
		q.fed[f.Canonical()] = true
	}
	targets, err := l.Targets(p.Fetches, p.Targets)
	if err != nil {
		return nil, err
	}
	var fetches []graph.Output
	for _, f := range p.Fetches {
		o := l.Output(f).Canonical()
		fetches = append(fetches, o)
		if !q.fed[o] {
			q.fetched[o] = true
		}
	}
	if q.nodes, err = l.Subgraph(l.Feeds, fetches, targets); err != nil {
		return nil, err
	}
	for i, n := range q.nodes {
		q.number[n] = int32(i)
	}
	return q, q.link()
}

// link finds consumers and frames.
func (p *program) link() (err error) {
	p.out = make([][]int32, len(p.nodes))
	p.kept = make([]bool, len(p.nodes))
	for o := range p.fetched {
		p.kept[p.number[o.Op]] = true
	}
	for i, n := range p.nodes {
		if err := p.watch.Step(); err != nil {
			return err
		}
		p.kept[i] = p.kept[i] || n.NumOutputs() == 0 || changes(n)
		for _, from := range n.Inputs() {
			if k, ok := p.from(from); ok {
				p.out[k] = append(p.out[k], int32(i))
				p.kept[k] = true
			}
		}
		for _, c := range n.Controls() {
			if k, ok := p.number[c]; ok {
				p.out[k] = append(p.out[k], int32(i))
			}
		}
	}
	p.frames, err = graph.FrameAnalysis{
		Watch: p.watch,
		Nodes: len(p.nodes),
		Inputs: func(i int, yield func(int)) {
			for _, from := range p.nodes[i].Inputs() {
				if k, ok := p.from(from); ok {
					yield(int(k))
				}
			}
			for _, c := range p.nodes[i].Controls() {
				if k, ok := p.number[c]; ok {
					yield(int(k))
				}
			}
		},
		Kind:      func(i int) graph.FrameKind { return p.nodes[i].Class().FrameKind() },
		FrameName: func(i int) string { return p.nodes[i].FrameName() },
		Name:      func(i int) string { return p.nodes[i].Name() },
	}.Run()
	return err
}

// from returns the number of the node that an output comes from, if it is not fed.
func (p *program) from(o graph.Output) (int32, bool) {
	if p.fed[o] {
		return 0, false
	}
	k, ok := p.number[o.Op]
	return k, ok
}

// within reports whether frame f is frame g or inside it.
func (p *program) within(f, g int) bool {
	for f >= 0 && f != g {
		f = p.frames.Frames[f].Parent
	}
	return f == g
}

// common returns the innermost frame that two frames are within.
func (p *program) common(f, g int) int {
	for !p.within(f, g) {
		g = p.frames.Frames[g].Parent
	}
	return g
}
