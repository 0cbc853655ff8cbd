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

// A callable is a prepared step.
type callable struct {
	call    *session.Callable
	feeds   []string
	fetches []string
	options *wire.RunOptions
}

// makeCallable prepares a step.
func (s *Server) makeCallable(ctx context.Context, q *master.MakeCallableRequest) (*master.MakeCallableResponse, error) {
	r, err := s.find(q.GetSessionHandle())
	if err != nil {
		return nil, err
	}
	o := q.GetOptions()
	if len(o.GetTensorConnection()) > 0 {
		return nil, status.Errorf(status.Unimplemented, "tensor connections are not supported; feed and fetch the tensors instead")
	}
	feeds, err := r.outputs(o.GetFeed())
	if err != nil {
		return nil, err
	}
	fetches, err := r.outputs(o.GetFetch())
	if err != nil {
		return nil, err
	}
	targets, err := r.targets(o.GetTarget())
	if err != nil {
		return nil, err
	}
	call, err := r.session.MakeCallableContext(ctx, feeds, fetches, targets)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.callables) >= mostCallables {
		return nil, status.Errorf(status.ResourceExhausted, "the session has %d callables, the most it may have; release some", mostCallables)
	}
	r.next++
	r.callables[r.next] = &callable{call, o.GetFeed(), o.GetFetch(), o.GetRunOptions()}
	return &master.MakeCallableResponse{Handle: r.next}, nil
}

// runCallable runs a prepared step.
func (s *Server) runCallable(ctx context.Context, q *master.RunCallableRequest) (*master.RunCallableResponse, error) {
	r, err := s.find(q.GetSessionHandle())
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	c := r.callables[q.GetHandle()]
	r.mu.Unlock()
	if c == nil {
		return nil, status.Invalid("No such callable handle: %d", q.GetHandle())
	}
	if len(q.GetFeed()) != len(c.feeds) {
		return nil, status.Invalid("Expected %d feeds but got %d", len(c.feeds), len(q.GetFeed()))
	}
	feeds := make([]*session.Tensor, len(c.feeds))
	for i, b := range q.GetFeed() {
		if feeds[i], err = decode(c.feeds[i], b); err != nil {
			return nil, err
		}
	}
	t := newTrace(r, c.options)
	fetched, err := c.call.CallWithOptions(ctx, t.options, feeds...)
	if err != nil {
		return nil, err
	}
	response := &master.RunCallableResponse{Metadata: t.message(ctx, nil, nil, nil)}
	for i, v := range fetched {
		b, err := v.MarshalProto()
		if err != nil {
			return nil, status.Within(err, "the fetched tensor %s", c.fetches[i])
		}
		response.Fetch = append(response.Fetch, b)
	}
	return response, nil
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
