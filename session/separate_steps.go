package session

import (
	"context"
	"sync"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

// runApart runs a step whose pieces are steps of their own, the first on the caller's
// goroutine and the others on theirs. The first that fails ends the others, and its
// error is the step's.
func (s *Session) runApart(p *program, c *call) error {
	outer := c.step.Context
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	meeting := &resource.LocalRendezvous{}
	var once sync.Once
	var failed error
	play := func(piece *compile.Piece) {
		step := c.step
		step.Context, step.Rendezvous = ctx, meeting
		feeds, fetched := make([]tensor.Value, len(piece.Feeds)), make([]tensor.Value, len(piece.Fetches))
		for i, k := range piece.Feeds {
			feeds[i] = c.feeds[k]
		}
		if err := s.engine.Run(&step, piece.Program, feeds, fetched); err != nil {
			once.Do(func() {
				failed = err
				meeting.Abort(err)
				cancel()
			})
			return
		}
		for i, k := range piece.Fetches {
			c.fetched[k] = fetched[i]
		}
	}
	var away sync.WaitGroup
	for i := range p.pieces[1:] {
		away.Go(func() { play(&p.pieces[1+i]) })
	}
	play(&p.pieces[0])
	away.Wait()
	return failed
}

// logPlacement tells the logger where the nodes of a program were placed, if that is
// asked for.
func (s *Session) logPlacement(p *compile.Planned) {
	if !s.options.LogPlacement {
		return
	}
	placed := p.Placed()
	if placed == nil {
		s.log.Info().Str("device", s.places[0].Name).Msg("all nodes are on one device")
		return
	}
	placed.Each(func(name, op, device string) {
		s.log.Info().Str("node", plain.Line(name)).Str("op", plain.Line(op)).Str("device", plain.Line(device)).Msg("placed")
	})
}
