package session

import (
	"crypto/tls"
	"math"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/keepalive"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// Options configures a server. The zero value serves without authentication, with limits
// for one trusted client.
type Options struct {
	// Session configures every session; a client's ConfigProto is used for what it
	// leaves open. Resources are the server's containers; nil creates them, with
	// MemoryLimit for what they hold. Files nil permits no file.
	Session session.SessionOptions
	// Cluster is the number of tasks of each job, {"ps": 1, "worker": 2}, in place of the
	// ServerDef that configures TensorFlow's servers. All tasks are in this process: each
	// has devices and containers under its name, and [Server.ServeTask] gives it an
	// address. nil is one task of the job "localhost".
	Cluster map[string]int
	// Workers is, in place of Cluster, the addresses of processes `troupe worker`
	// ([cluster.Worker]) by job and task, {"ps": {"10.0.0.1:2222"}}: the nodes on a task's
	// devices run there, and its variables and queues belong to it. Session.Cluster has
	// the token, the TLS configuration and the failure bound for them; Session.Files is not
	// used, as workers have their own. A worker that fails ends steps with UNAVAILABLE or
	// ABORTED and its name.
	Workers map[string][]string
	// MaxSessions bounds the number of open sessions; 0 is 1,000. CreateSession beyond
	// it fails with RESOURCE_EXHAUSTED.
	MaxSessions int
	// MaxClientSessions bounds the open sessions of one client, which is the subject of a
	// client certificate, or else a host; 0 is no bound of its own.
	MaxClientSessions int
	// IdleTimeout is how long a session may be unused before it is closed, as clients that
	// end abruptly do not close theirs; 0 is any time.
	IdleTimeout time.Duration
	// MaxMessage bounds the bytes of one request; 0 is 2 GiB, the most that the client
	// sends.
	MaxMessage int
	// MaxGraph bounds the nodes of one session's graph; 0 is 10 million.
	MaxGraph int
	// TLS configures the transport, with client certificates if it requires them; nil is
	// plain text, which is all that the sessions of TensorFlow's Python package speak.
	TLS *tls.Config
	// Token, if not "", must be sent with each call as "authorization: Bearer TOKEN";
	// other calls fail with UNAUTHENTICATED.
	Token string
	// Known, in place of Token, reports whether an authorization is right.
	Known func(authorization string) bool
	// Logger receives an event for each session that is opened or closed, and for each
	// panic; nil logs nothing.
	Logger *zerolog.Logger
}

const (
	defaultSessions = 1000
	defaultGraph    = 10_000_000
)

// resolve checks the options and fills in defaults.
func (o *Options) resolve() error {
	switch {
	case o.MaxSessions < 0:
		return status.Invalid("MaxSessions is %d; it must not be negative", o.MaxSessions)
	case o.MaxClientSessions < 0:
		return status.Invalid("MaxClientSessions is %d; it must not be negative", o.MaxClientSessions)
	case o.IdleTimeout < 0:
		return status.Invalid("IdleTimeout is %v; it must not be negative", o.IdleTimeout)
	case o.MaxMessage < 0 || o.MaxMessage > math.MaxInt32:
		return status.Invalid("MaxMessage is %d; it must be between 0 and %d", o.MaxMessage, math.MaxInt32)
	case o.MaxGraph < 0:
		return status.Invalid("MaxGraph is %d; it must not be negative", o.MaxGraph)
	}
	if o.MaxSessions == 0 {
		o.MaxSessions = defaultSessions
	}
	if o.MaxMessage == 0 {
		o.MaxMessage = math.MaxInt32
	}
	if o.MaxGraph == 0 {
		o.MaxGraph = defaultGraph
	}
	if o.Logger == nil {
		nop := zerolog.Nop()
		o.Logger = &nop
	}
	if o.Session.Files == nil {
		o.Session.Files = &files.Policy{}
	}
	if o.Session.Resources == nil && o.Workers == nil {
		o.Session.Resources = session.NewResources(o.Session.MemoryLimit)
	}
	return nil
}

// A Server serves sessions. It is safe for concurrent use.
type Server struct {
	options Options
	members atomic.Pointer[members]
	done    chan struct{} // closed when Close begins
	swept   sync.WaitGroup

	mu        sync.Mutex
	endpoints map[devices.Spec]*endpoint
	sessions  map[string]*remote
	opening   map[string]int // sessions that are being created, by client
	closed    bool
}

// New creates a server. It fails with INVALID_ARGUMENT for invalid options.
func New(o Options) (*Server, error) {
	if err := o.resolve(); err != nil {
		return nil, err
	}
	m, err := o.members()
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: o, done: make(chan struct{}),
		endpoints: map[devices.Spec]*endpoint{}, sessions: map[string]*remote{}, opening: map[string]int{},
	}
	s.members.Store(m)
	if o.IdleTimeout > 0 {
		s.swept.Go(func() { s.sweepEvery(o.IdleTimeout) })
	}
	return s, nil
}

// Of a request, window bytes may be on the way: gRPC's own window begins at 64 kB and grows
// with each message, so that the first megabytes of a feed would wait for round trips. Sockets
// are read and written by socketBuffer bytes.
const (
	window       = 16 << 20
	socketBuffer = 128 << 10
)

// grpcOptions configure the server of a task.
func (s *Server) grpcOptions() []grpc.ServerOption {
	o := &s.options
	opts := []grpc.ServerOption{
		grpc.ForceServerCodecV2(newCodec()),
		experimental.BufferPool(requests{}), // which does not clear what is written anyway
		grpc.MaxRecvMsgSize(o.MaxMessage),
		grpc.MaxSendMsgSize(math.MaxInt32),
		grpc.UnaryInterceptor(s.intercept),
		grpc.ConnectionTimeout(20 * time.Second),
		grpc.InitialWindowSize(window),
		grpc.InitialConnWindowSize(window),
		grpc.ReadBufferSize(socketBuffer),
		grpc.WriteBufferSize(socketBuffer),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: time.Minute, Timeout: 20 * time.Second}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
		grpc.MaxConcurrentStreams(uint32(1000 * runtime.GOMAXPROCS(0))),
		grpc.NumStreamWorkers(uint32(4 * runtime.GOMAXPROCS(0))), // whose stacks have grown
	}
	if o.TLS != nil {
		opts = append(opts, grpc.Creds(credentials.NewTLS(o.TLS)))
	}
	return opts
}

// Serve accepts connections on l until the server is closed, and then returns nil. It
// closes l. Of a cluster it serves the first task, by job and number; see
// [Server.ServeTask].
func (s *Server) Serve(l net.Listener) error {
	first := s.members.Load().tasks[0]
	job, _ := first.Job()
	task, _ := first.Task()
	return s.ServeTask(l, job, task)
}

// Close ends all running steps, and closes all sessions and their connections. It resets no
// container: what those of the server hold goes to the garbage collector with the server.
// It may be called again.
func (s *Server) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.done)
	}
	s.mu.Unlock()
	s.swept.Wait()
	s.closeSessions(nil)
	for _, e := range s.all() {
		e.grpc.Stop()
	}
	s.closeSessions(nil) // one that was being created
	return nil
}

// Drain refuses new calls, waits for those that run, and closes the server. When done is
// closed it stops waiting.
func (s *Server) Drain(done <-chan struct{}) error {
	drained := make(chan struct{})
	go func() {
		var wg sync.WaitGroup
		for _, e := range s.all() {
			wg.Go(e.grpc.GracefulStop)
		}
		wg.Wait()
		close(drained)
	}()
	select {
	case <-drained:
	case <-done:
	}
	err := s.Close()
	<-drained
	return err
}

// Sessions returns the number of open sessions.
func (s *Server) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

// closeSessions closes the sessions that were opened at an endpoint; nil stands for all.
func (s *Server) closeSessions(at *endpoint) {
	var all []*remote
	s.mu.Lock()
	for handle, r := range s.sessions {
		if at == nil || r.endpoint == at {
			all = append(all, r)
			delete(s.sessions, handle)
		}
	}
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, r := range all {
		wg.Go(r.close)
	}
	wg.Wait()
}

// find returns the session of a handle.
func (s *Server) find(handle string) (*remote, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.sessions[handle]; r != nil {
		return r, nil
	}
	return nil, status.Errorf(status.Aborted, "Session %s is not found.", handle)
}
