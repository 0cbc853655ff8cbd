package remote

import (
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/eventstream"
	"github.com/asynkron/protoactor-go/remote"
	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/troupe-go/troupe/status"
)

// A Handler gets what others send. Its functions may be called at the same time.
type Handler struct {
	// Packet takes what was posted, pushed or returned by the process at an address, which
	// nothing proves. It must not block, and may keep data. What was pushed can be replied to
	// on the connection that it came by, whose other end gets it as a packet; otherwise
	// reply is nil. A reply is dropped if too many wait.
	Packet func(from string, data []byte, reply Reply)
	// Blob returns the buffers that a Fetch asks for. They must not change while they are
	// sent. done is called when they have been sent, with what went wrong.
	Blob func(from string, ticket uint64) (buffers [][]byte, done func(error), err error)
	// Ask responds to a request.
	Ask func(ctx context.Context, request []byte) ([]byte, error)
}

// A Reply sends a small message back, on the connection on which another one came.
type Reply func(data []byte)

// An Endpoint is a process on the network. It is safe for concurrent use.
type Endpoint struct {
	options Options
	handler Handler
	address string
	header  []byte // of posts: the address
	system  *actor.ActorSystem
	remote  *remote.Remote
	events  *eventstream.Subscription
	closing chan struct{}

	mu     sync.RWMutex
	closed bool
	peers  map[string]*peer
}

// Listen opens an endpoint.
func Listen(o Options, h Handler) (*Endpoint, error) {
	if err := o.resolve(); err != nil {
		return nil, err
	}
	host, text, _ := net.SplitHostPort(o.Listen)
	port, err := strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return nil, status.Invalid("address %q: %q is not a port", o.Listen, text)
	}
	e := &Endpoint{options: o, handler: h, closing: make(chan struct{}), peers: map[string]*peer{}}
	logger := slog.New(zerolog.NewSlogHandler(o.Log.Level(zerolog.ErrorLevel)))
	e.system = actor.NewActorSystem(actor.WithDeadLetterThrottleCount(0), actor.WithDeadLetterThrottleInterval(time.Millisecond), actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return logger }))
	if _, err := e.system.Root.SpawnNamed(actor.PropsFromFunc(e.receive), mailbox); err != nil {
		return nil, status.Errorf(status.Internal, "the actor %s did not start: %w", mailbox, err)
	}
	server := append(o.serve(),
		grpc.UnaryInterceptor(e.guardUnary), grpc.StreamInterceptor(e.guardStream), grpc.UnknownServiceHandler(e.stream))
	dial := append(o.dial(), grpc.WithStreamInterceptor(e.patient))
	config := remote.Configure(host, port,
		remote.WithServerOptions(server...), remote.WithDialOptions(dial...), remote.WithAdvertisedHost(o.Advertise),
		remote.WithEndpointWriterBatchSize(maxBatch), remote.WithEndpointWriterQueueSize(1024),
		remote.WithEndpointManagerBatchSize(maxBatch), remote.WithEndpointManagerQueueSize(1024))
	e.remote = remote.NewRemote(e.system, config)
	if err := e.start(); err != nil {
		e.system.Shutdown()
		return nil, err
	}
	e.address = e.system.Address()
	e.header = append(binary.AppendUvarint(nil, uint64(len(e.address))), e.address...)
	e.events = e.system.EventStream.Subscribe(e.follow)
	return e, nil
}

// start starts Proto.Actor's remote, which panics if it cannot listen.
func (e *Endpoint) start() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = status.Errorf(status.Unavailable, "%s: %v", e.options.Listen, r)
		}
	}()
	e.remote.Start()
	return nil
}

// Address returns the address by which others reach the endpoint.
func (e *Endpoint) Address() string { return e.address }

// receive is the actor of posts.
func (e *Endpoint) receive(ctx actor.Context) {
	m, ok := ctx.Message().(*wrapperspb.BytesValue)
	if !ok {
		return
	}
	n, k := binary.Uvarint(m.Value)
	if k <= 0 || n > uint64(len(m.Value)-k) {
		return
	}
	e.handler.Packet(string(m.Value[k:k+int(n)]), m.Value[k+int(n):], nil)
}

// follow notes which addresses are connected.
func (e *Endpoint) follow(event any) {
	switch ev := event.(type) {
	case *remote.EndpointConnectedEvent:
		e.peer(ev.Address).connected(true)
	case *remote.EndpointTerminatedEvent:
		e.peer(ev.Address).connected(false)
	}
}

// Post sends a small message by Proto.Actor's remote. It is dropped if too many wait for
// a connection.
func (e *Endpoint) Post(to string, data []byte) {
	if len(data) > maxPacket {
		e.options.Log.Error().Int("bytes", len(data)).Msg("a packet is too large")
		return
	}
	if p := e.peer(to); p == nil || !p.mayPost() {
		return
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	if !e.closed {
		value := append(append(make([]byte, 0, len(e.header)+len(data)), e.header...), data...)
		e.system.Root.Send(actor.NewPID(to, mailbox), &wrapperspb.BytesValue{Value: value})
	}
}

// patient makes Proto.Actor's remote wait for a connection, which it would otherwise try
// again after two seconds, and ends the wait with the endpoint.
func (e *Endpoint) patient(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	ctx, cancel := context.WithCancel(ctx)
	stop := make(chan struct{})
	go func() {
		select {
		case <-e.closing:
			cancel()
		case <-stop:
		}
	}()
	s, err := streamer(ctx, desc, cc, method, append(opts, grpc.WaitForReady(true))...)
	close(stop)
	if err == nil {
		return s, nil
	}
	defer cancel()
	select {
	case <-e.closing:
		return &void{ctx: ctx}, nil // a failure would make it sleep
	default:
		return nil, err
	}
}

// A void is a stream to nowhere, for a remote that is being stopped.
type void struct {
	grpc.ClientStream
	ctx       context.Context
	connected bool
}

func (v *void) Context() context.Context { return v.ctx }
func (*void) CloseSend() error           { return nil }
func (*void) SendMsg(any) error          { return nil }

// RecvMsg accepts the connection, then ends.
func (v *void) RecvMsg(m any) error {
	r, ok := m.(*remote.RemoteMessage)
	if !ok || v.connected {
		return io.EOF
	}
	v.connected = true
	r.MessageType = &remote.RemoteMessage_ConnectResponse{ConnectResponse: &remote.ConnectResponse{}}
	return nil
}

// closePatience bounds how long Close waits for Proto.Actor's remote.
const closePatience = 5 * time.Second

// Close ends all streams and stops listening.
func (e *Endpoint) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	peers := e.peers
	e.peers = nil
	e.mu.Unlock()
	e.system.EventStream.Unsubscribe(e.events)
	close(e.closing)
	for _, p := range peers {
		p.close()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.shutdown()
	}()
	select {
	case <-done:
	case <-time.After(closePatience):
		return status.Errorf(status.DeadlineExceeded, "Proto.Actor's remote did not stop within %v", closePatience)
	}
	e.system.Shutdown()
	return nil
}

// shutdown stops Proto.Actor's remote, which may panic where a stream ends meanwhile.
func (e *Endpoint) shutdown() {
	defer func() {
		if r := recover(); r != nil {
			e.options.Log.Warn().Interface("panic", r).Msg("Proto.Actor's remote panicked while it was stopped")
			e.remote.Shutdown(false)
		}
	}()
	e.remote.Shutdown(true)
}
