package session

import (
	"context"
	"net"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"
)

// clientOf tells clients apart: by the subject of their certificate, or else by the host
// that they call from.
func clientOf(ctx context.Context) string {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return ""
	}
	if t, ok := p.AuthInfo.(credentials.TLSInfo); ok && len(t.State.VerifiedChains) > 0 {
		return "certificate of " + t.State.VerifiedChains[0][0].Subject.String()
	}
	host, _, err := net.SplitHostPort(p.Addr.String())
	if err != nil {
		return p.Addr.String()
	}
	return host
}

// call marks the session as used until what it returns is called.
func (r *remote) call() func() {
	r.mu.Lock()
	r.calls++
	r.mu.Unlock()
	return r.called
}

func (r *remote) called() {
	r.mu.Lock()
	r.calls--
	r.used = time.Now()
	r.mu.Unlock()
}

// idle reports whether no call has used the session since a time.
func (r *remote) idle(since time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls == 0 && r.used.Before(since)
}

// sweep closes the sessions that no call has used since a time, and returns their number.
func (s *Server) sweep(since time.Time) int {
	var idle []*remote
	s.mu.Lock()
	for handle, r := range s.sessions {
		if r.idle(since) {
			idle = append(idle, r)
			delete(s.sessions, handle)
		}
	}
	s.mu.Unlock()
	for _, r := range idle {
		r.close()
		s.options.Logger.Info().Str("session", r.handle).Dur("idle", s.options.IdleTimeout).Msg("idle session closed")
	}
	return len(idle)
}

// sweepEvery sweeps until the server is closed.
func (s *Server) sweepEvery(d time.Duration) {
	t := time.NewTicker(max(d/4, time.Millisecond))
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			s.sweep(now.Add(-d))
		case <-s.done:
			return
		}
	}
}
