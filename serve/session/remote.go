package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// A remote is a session of a client: a graph, and a session over it.
type remote struct {
	handle  string
	graph   *session.Graph
	session *session.Session
	private *session.Resources // of a session that shares nothing; else nil

	extending sync.Mutex // held while the graph grows
	mu        sync.Mutex
	version   int64 // of the graph: the number of extensions
	partials  map[string]*partial
	callables map[int64]*callable
	next      int64 // handle of the next callable
}

// newHandle returns a name that no one can guess.
func newHandle() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// createSession opens a session over a graph.
func (s *Server) createSession(ctx context.Context, q *master.CreateSessionRequest) (*master.CreateSessionResponse, error) {
	if err := s.admit(); err != nil {
		return nil, err
	}
	r, err := s.open(ctx, q)
	s.mu.Lock()
	s.opening--
	if err == nil && s.closed {
		err = status.Errorf(status.Unavailable, "the server is closing")
		defer r.close()
	}
	if err == nil {
		s.sessions[r.handle] = r
	}
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	s.options.Logger.Info().Str("session", r.handle).Int("nodes", r.graph.NumNodes()).Msg("session created")
	return &master.CreateSessionResponse{SessionHandle: r.handle}, nil
}

// admit reserves room for a session.
func (s *Server) admit() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return status.Errorf(status.Unavailable, "the server is closing")
	case len(s.sessions)+s.opening >= s.options.MaxSessions:
		return status.Errorf(status.ResourceExhausted, "the server has %d open sessions, the most it allows; close some", len(s.sessions))
	}
	s.opening++
	return nil
}

// open makes a session.
func (s *Server) open(ctx context.Context, q *master.CreateSessionRequest) (*remote, error) {
	var config wire.ConfigProto
	if err := proto.Unmarshal(q.GetConfig(), &config); err != nil {
		return nil, status.Invalid("Unparseable ConfigProto: %v", err)
	}
	r := &remote{
		handle:    newHandle(),
		graph:     session.NewGraph(),
		partials:  map[string]*partial{},
		callables: map[int64]*callable{},
	}
	if err := s.grow(ctx, r, q.GetGraphDef()); err != nil {
		return nil, err
	}
	o := s.options.Session
	o.Config = q.GetConfig()
	if config.GetIsolateSessionState() {
		r.private = session.NewResources(o.MemoryLimit)
		o.Resources = r.private
	}
	var err error
	if r.session, err = session.NewSession(r.graph, &o); err != nil {
		return nil, err
	}
	return r, nil
}

// grow adds nodes and functions to the graph.
func (s *Server) grow(ctx context.Context, r *remote, def []byte) error {
	if _, err := r.graph.ImportGraphDefContext(ctx, def, graph.ImportOptions{Extend: true, InternalNames: true}); err != nil {
		return err
	}
	if n := r.graph.NumNodes(); n > s.options.MaxGraph {
		return status.Errorf(status.ResourceExhausted, "the graph has %d nodes, and the server allows %d", n, s.options.MaxGraph)
	}
	return nil
}

// extendSession adds nodes to a session's graph.
func (s *Server) extendSession(ctx context.Context, q *master.ExtendSessionRequest) (*master.ExtendSessionResponse, error) {
	r, err := s.find(q.GetSessionHandle())
	if err != nil {
		return nil, err
	}
	r.extending.Lock()
	defer r.extending.Unlock()
	r.mu.Lock()
	version := r.version
	r.mu.Unlock()
	if want := q.GetCurrentGraphVersion(); want != version {
		return nil, status.Errorf(status.Aborted, "Current version is %d but caller expected %d.", version, want)
	}
	if err := s.grow(ctx, r, q.GetGraphDef()); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version++
	return &master.ExtendSessionResponse{NewGraphVersion: r.version}, nil
}

// closeSession closes a session, whose running steps end.
func (s *Server) closeSession(ctx context.Context, q *master.CloseSessionRequest) (*master.CloseSessionResponse, error) {
	s.mu.Lock()
	r := s.sessions[q.GetSessionHandle()]
	delete(s.sessions, q.GetSessionHandle())
	s.mu.Unlock()
	if r == nil {
		return nil, status.Errorf(status.Aborted, "Session %s is not found. Possibly, this master has restarted.", q.GetSessionHandle())
	}
	r.close()
	s.options.Logger.Info().Str("session", r.handle).Msg("session closed")
	return &master.CloseSessionResponse{}, nil
}

// close closes the session and what belongs to it alone.
func (r *remote) close() {
	r.session.Close()
	if r.private != nil {
		r.private.Clear()
	}
}

// reset closes all sessions and clears containers: those that are named, or the default
// one.
func (s *Server) reset(ctx context.Context, q *master.ResetRequest) (*master.ResetResponse, error) {
	s.closeSessions()
	s.options.Session.Resources.Reset(q.GetContainer()...)
	return &master.ResetResponse{}, nil
}
