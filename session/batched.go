package session

import (
	"context"
	"math"
	"slices"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/compile/cellular"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan/batching"
	"github.com/troupe-go/troupe/status"
)

// batch compiles the run a second time, with the loops and calls that can be batched. Without such
// there is no second program, nor on devices.
func (p *program) batch(ctx context.Context, g *Graph, s *Session) error {
	spec := p.spec(s)
	spec.Batch = true
	p.least = math.MaxInt
	spec.Found = func(f batching.Finding) {
		switch {
		case f.Calls != nil && f.Calls.Worthwhile() || f.Callee != "" && f.Open:
			p.least = 1
		case f.Batch != nil || f.Callee == "" && f.Open:
			p.least = min(p.least, 2)
		}
	}
	made, err := compile.Make(ctx, g, spec)
	has := func(op string) bool {
		return slices.ContainsFunc(made.Nodes, func(n *graph.Node) bool { return n.Type() == op })
	}
	if err != nil || made.Split != nil || !has(batching.Op) && !has(batching.CallOp) {
		if ended := status.FromContext(ctx); ended != nil {
			s.functions.Discard(p.nodes)
			return ended
		}
		return nil // what is wrong with the run is told by the program as it is
	}
	if p.batched, err = made.Layout(ctx, s.engine.Name() == "actors"); err != nil {
		s.functions.Discard(p.nodes)
		return status.From(err)
	}
	return nil
}

// playBatched plays the step with its loops and calls batched if enough others play the program, too:
// one other for loops, and none for calls that are company for each other. A step that is recorded or
// profiled is played as it is, so that the record has each of its nodes.
func (s *Session) playBatched(p *program, c *call) error {
	defer p.playing.Add(-1)
	few := int(p.playing.Add(1)) < p.least && cellular.WatchOf(c.step.Context) == nil
	if few || c.step.Record != nil || c.step.Profile != nil {
		return c.runner.Run(&c.step, c.feeds, c.fetched)
	}
	return c.batched.Run(&c.step, c.feeds, c.fetched)
}
