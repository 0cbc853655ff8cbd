package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// A remote is a session of a client: a graph, and a session over it.
type remote struct {
	handle   string
	endpoint *endpoint
	client   string
	members  *members       // of the server, when the session was opened
	tasks    []devices.Spec // whose devices it has, the endpoint's first
	limit    int64          // bytes that the feeds of a step may have
	// costsEvery and costsAfter are build_cost_model and build_cost_model_after of the
	// client's configuration: of which runs of a step it wants the costs.
	costsEvery, costsAfter int64

	graph   *session.Graph
	session *session.Session
	private *session.Resources // of a session that shares nothing; else nil

	extending sync.Mutex // held while the graph grows
	mu        sync.Mutex
	version   int64 // of the graph: the number of extensions
	partials  map[string]*partial
	steps     map[string]*step
	callables map[int64]*callable
	next      int64            // handle of the next callable
	runs      map[string]int64 // of each step, if costs are wanted
	calls     int              // that run
	used      time.Time        // when the latest ended
	closed    atomic.Bool
}

// newHandle returns a name that no one can guess.
func newHandle() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// createSession opens a session over a graph.
func (s *endpoint) createSession(ctx context.Context, q *master.CreateSessionRequest) (*master.CreateSessionResponse, error) {
	client := clientOf(ctx)
	if err := s.admit(client); err != nil {
		return nil, err
	}
	r, err := s.open(ctx, q, client)
	s.mu.Lock()
	if s.opening[client]--; s.opening[client] == 0 {
		delete(s.opening, client)
	}
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

// admit reserves room for a session of a client.
func (s *Server) admit(client string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, own := len(s.sessions), s.opening[client]
	for _, n := range s.opening {
		all += n
	}
	if s.options.MaxClientSessions > 0 {
		for _, r := range s.sessions {
			if r.client == client {
				own++
			}
		}
	}
	switch {
	case s.closed:
		return status.Errorf(status.Unavailable, "the server is closing")
	case all >= s.options.MaxSessions:
		return status.Errorf(status.ResourceExhausted, "the server has %d open sessions, the most it allows; close some", all)
	case s.options.MaxClientSessions > 0 && own >= s.options.MaxClientSessions:
		return status.Errorf(status.ResourceExhausted, "the client (%s) has %d open sessions, the most the server allows it; close some", client, own)
	}
	s.opening[client]++
	return nil
}

// open makes a session.
func (s *endpoint) open(ctx context.Context, q *master.CreateSessionRequest, client string) (*remote, error) {
	var config wire.ConfigProto
	if err := proto.Unmarshal(q.GetConfig(), &config); err != nil {
		return nil, status.Invalid("Unparseable ConfigProto: %v", err)
	}
	r := &remote{
		handle:    newHandle(),
		endpoint:  s,
		client:    client,
		members:   s.members.Load(),
		steps:     map[string]*step{},
		runs:      map[string]int64{},
		used:      time.Now(),
		graph:     session.NewGraph(),
		partials:  map[string]*partial{},
		callables: map[int64]*callable{},
	}
	if err := s.grow(ctx, r, q.GetGraphDef()); err != nil {
		return nil, err
	}
	o := s.options.Session
	o.Config = q.GetConfig()
	o.StrictPlacement = o.StrictPlacement || !config.GetAllowSoftPlacement()
	r.costsEvery, r.costsAfter = config.GetGraphOptions().GetBuildCostModel(), max(config.GetGraphOptions().GetBuildCostModelAfter(), 0)
	var err error
	if r.tasks, err = s.processes(r.members, config.GetDeviceFilters()); err != nil {
		return nil, err
	}
	for _, p := range r.tasks {
		o.Processes = append(o.Processes, p.String())
	}
	switch {
	case r.members.workers != nil:
		r.session, err = s.openAway(ctx, r.members, r.graph, o, &config, r.tasks)
	case config.GetIsolateSessionState():
		r.private = session.NewResources(o.MemoryLimit)
		o.Resources = r.private
		fallthrough
	default:
		r.session, err = session.NewSession(r.graph, &o)
	}
	if err != nil {
		return nil, err
	}
	if r.limit = r.session.MemoryLimit(); r.limit <= 0 {
		r.limit = math.MaxInt64
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
	defer r.call()()
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
	r.closed.Store(true)
	r.session.Close()
	if r.private != nil {
		r.private.Clear()
	}
}

// reset closes the task's sessions and clears containers: those that are named, or the
// default one, of the tasks that the filters let through.
func (s *endpoint) reset(ctx context.Context, q *master.ResetRequest) (*master.ResetResponse, error) {
	pass, err := filter(q.GetDeviceFilters())
	if err != nil {
		return nil, err
	}
	s.closeSessions(s)
	if m := s.members.Load(); m.workers != nil {
		cleared := slices.DeleteFunc(slices.Clone(m.tasks), func(p devices.Spec) bool { return !pass(p) })
		return &master.ResetResponse{}, s.resetWorkers(ctx, m, cleared, q.GetContainer())
	}
	s.options.Session.Resources.ResetIn(func(process string) bool {
		p, err := devices.Parse(process)
		return err == nil && pass(p)
	}, q.GetContainer()...)
	return &master.ResetResponse{}, nil
}
