package session

import (
	"context"

	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// mostCallables bounds the callables of a session.
const mostCallables = 100_000

// A callable is a prepared step that a client knows by a number.
type callable struct {
	step
	options *wire.RunOptions
}

// makeCallable prepares a step.
func (s *Server) makeCallable(ctx context.Context, q *master.MakeCallableRequest) (*master.MakeCallableResponse, error) {
	r, err := s.find(q.GetSessionHandle())
	if err != nil {
		return nil, err
	}
	defer r.call()()
	o := q.GetOptions()
	if len(o.GetTensorConnection()) > 0 {
		return nil, status.Errorf(status.Unimplemented, "tensor connections are not supported; feed and fetch the tensors instead")
	}
	c := &callable{step{feeds: o.GetFeed(), fetches: o.GetFetch()}, o.GetRunOptions()}
	if err := r.prepare(ctx, &c.step, o.GetTarget()); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.callables) >= mostCallables {
		return nil, status.Errorf(status.ResourceExhausted, "the session has %d callables, the most it may have; release some", mostCallables)
	}
	r.next++
	r.callables[r.next] = c
	return &master.MakeCallableResponse{Handle: r.next}, nil
}

// runCallable runs a prepared step.
func (s *Server) runCallable(ctx context.Context, q *callRequest) (*response, error) {
	defer q.free()
	r, err := s.find(q.handle)
	if err != nil {
		return nil, err
	}
	defer r.call()()
	r.mu.Lock()
	c := r.callables[q.number]
	r.mu.Unlock()
	if c == nil {
		return nil, status.Invalid("No such callable handle: %d", q.number)
	}
	if len(q.feeds) != len(c.feeds) {
		return nil, status.Invalid("Expected %d feeds but got %d", len(c.feeds), len(q.feeds))
	}
	feeds := make([]*session.Tensor, len(c.feeds))
	limit := r.limit
	for i, b := range q.feeds {
		if feeds[i], err = decode(c.feeds[i], b, &limit); err != nil {
			return nil, err
		}
	}
	t := &trace{remote: r}
	if c.options != nil {
		t.set(c.options)
	}
	fetched, err := c.call.CallWithOptions(ctx, t.options, feeds...)
	if err != nil {
		return nil, r.ended(err)
	}
	answer := &response{}
	for _, x := range fetched {
		if err := answer.tensor("", x); err != nil {
			return nil, err
		}
	}
	if m := t.message(ctx, &c.step, false); len(m) > 0 {
		answer.last = wire.AppendField(answer.last, metadataField, m)
	}
	answer.finish()
	return answer, nil
}

// releaseCallable forgets a prepared step.
func (s *Server) releaseCallable(ctx context.Context, q *master.ReleaseCallableRequest) (*master.ReleaseCallableResponse, error) {
	r, err := s.find(q.GetSessionHandle())
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.callables[q.GetHandle()] == nil {
		return nil, status.Invalid("No such callable handle: %d", q.GetHandle())
	}
	delete(r.callables, q.GetHandle())
	return &master.ReleaseCallableResponse{}, nil
}
