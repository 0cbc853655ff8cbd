package session

import (
	"context"
	"slices"

	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// mostPartials bounds the partial runs of a session that have begun and not ended.
const mostPartials = 10_000

// partialRunSetup begins a step that is fed and fetched in parts.
func (s *Server) partialRunSetup(ctx context.Context, q *master.PartialRunSetupRequest) (*master.PartialRunSetupResponse, error) {
	r, err := s.find(q.GetSessionHandle())
	if err != nil {
		return nil, err
	}
	defer r.call()()
	feeds, err := r.inputs(q.GetFeed())
	if err != nil {
		return nil, err
	}
	fetches, err := r.outputs(q.GetFetch())
	if err != nil {
		return nil, err
	}
	targets, err := r.targets(q.GetTarget())
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	full := len(r.partials) >= mostPartials
	r.mu.Unlock()
	if full {
		return nil, status.Errorf(status.ResourceExhausted, "the session has %d partial runs that have not ended, the most it may have", mostPartials)
	}
	// The step outlives this call.
	pr, err := r.session.NewPartialRunContext(context.WithoutCancel(ctx), feeds, fetches, targets)
	if err != nil {
		return nil, err
	}
	handle := newHandle()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.partials[handle] = &partial{run: pr, left: len(feeds) + len(fetches), feeds: feeds, fetches: fetches}
	return &master.PartialRunSetupResponse{PartialRunHandle: handle}, nil
}

// A partial is a step in parts.
type partial struct {
	run  *session.PartialRun
	left int // feeds and fetches to come
	// feeds and fetches are those of the setup.
	feeds, fetches []session.Output
}

// check refuses feeds and fetches that the setup did not name.
func (p *partial) check(feeds map[session.Output]*session.Tensor, fetches []session.Output) error {
	for o := range feeds {
		if !slices.Contains(p.feeds, o) {
			return status.Invalid("The feed %s was not specified in partial_run_setup.", o)
		}
	}
	for _, o := range fetches {
		if !slices.Contains(p.fetches, o) {
			return status.Invalid("The fetch %s was not specified in partial_run_setup.", o)
		}
	}
	return nil
}

// feeds decodes what a part feeds.
func (r *remote) feeds(q *stepRequest) (map[session.Output]*session.Tensor, error) {
	outputs, err := r.inputs(q.feedNames())
	if err != nil {
		return nil, err
	}
	feeds := make(map[session.Output]*session.Tensor, len(outputs))
	limit := r.limit
	for i, o := range outputs {
		name := string(q.feeds[i].name)
		if feeds[o], err = decode(name, q.feeds[i].tensor, &limit); err != nil {
			return nil, err
		}
	}
	return feeds, nil
}

// runPart runs a part of a step. When all has been fed and fetched, or a part has failed,
// the handle is released.
func (s *Server) runPart(ctx context.Context, r *remote, q *stepRequest, answer *response) error {
	r.mu.Lock()
	p := r.partials[q.partial]
	r.mu.Unlock()
	if p == nil {
		return status.Invalid("Must run PartialRunSetup before performing partial runs")
	}
	feeds, err := r.feeds(q)
	if err != nil {
		return err
	}
	names := texts(q.fetches)
	fetches, err := r.outputs(names)
	if err != nil {
		return err
	}
	targets, err := r.targets(texts(q.targets))
	if err != nil {
		return err
	}
	if err := p.check(feeds, fetches); err != nil {
		return err
	}
	fetched, err := p.run.RunContext(ctx, feeds, fetches, targets)
	for i, x := range fetched {
		if err = answer.tensor(names[i], x); err != nil {
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		p.left -= len(feeds) + len(fetches)
	}
	if p.left == 0 {
		delete(r.partials, q.partial)
	}
	return err
}
