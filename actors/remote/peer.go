package remote

import (
	"context"
	"encoding/binary"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/troupe-go/troupe/status"
)

// A peer is another endpoint, as this one sees it.
type peer struct {
	e       *Endpoint
	address string
	ctx     context.Context // ends when the peer is closed
	cancel  context.CancelFunc
	// forgotten ends with Forget, and not with Close, which stops Proto.Actor's remote: it must
	// not hear then of streams that end.
	forgotten context.Context
	forget    context.CancelFunc
	queue     chan []byte // of pushes; made with the first

	sending sync.Mutex  // held while a push is sent
	stream  *pushStream // guarded by sending; nil: it is not open

	posts atomic.Int64 // given to Proto.Actor while it was not connected; -1: it is

	mu    sync.Mutex
	conn  *grpc.ClientConn
	state pushing
	done  sync.WaitGroup
}

// A pushStream is a stream of pushes.
type pushStream struct {
	grpc.ClientStream
	onWay atomic.Int64 // bytes of frames that it has not written
}

// pushing is how far the stream of pushes has come.
type pushing uint8

const (
	idle pushing = iota
	opening
	ready
)

// maxUnconnected bounds the posts that wait for a connection, pushQueue the pushes that
// wait to be written.
const (
	maxUnconnected = 32
	pushQueue      = 1024
	// mostOnWay is how many bytes of pushes may wait to be written for another one to be
	// sent at once: gRPC blocks from 64 kB on.
	mostOnWay = 32 << 10
)

// peer returns another endpoint; nil when this one is closed.
func (e *Endpoint) peer(address string) *peer {
	e.mu.RLock()
	p := e.peers[address]
	closed := e.closed
	e.mu.RUnlock()
	if p != nil || closed {
		return p
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	if p = e.peers[address]; p == nil {
		p = &peer{e: e, address: address}
		p.ctx, p.cancel = context.WithCancel(context.Background())
		p.forgotten, p.forget = context.WithCancel(context.Background())
		e.peers[address] = p
	}
	return p
}

// known returns another endpoint if there has been traffic with it; nil if not.
func (e *Endpoint) known(address string) *peer {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.peers[address]
}

// Forget ends the connections with another endpoint, and the attempts to make them. They are
// made again when something is sent there.
func (e *Endpoint) Forget(address string) {
	e.mu.Lock()
	p := e.peers[address]
	delete(e.peers, address)
	if p != nil {
		e.forgotten.Add(1)
	}
	e.mu.Unlock()
	if p == nil {
		return
	}
	p.forget()
	p.cancel()
	go func() { // its streams may be ending on the caller's goroutine
		defer e.forgotten.Done()
		p.close()
	}()
}

// connected notes whether Proto.Actor has a connection.
func (p *peer) connected(yes bool) {
	if p == nil {
		return
	}
	if yes {
		p.posts.Store(-1)
	} else {
		p.posts.Store(0)
	}
}

// mayPost reports whether Proto.Actor may be given one more message.
func (p *peer) mayPost() bool {
	for {
		n := p.posts.Load()
		switch {
		case n < 0:
			return true
		case n >= maxUnconnected:
			return false
		case p.posts.CompareAndSwap(n, n+1):
			return true
		}
	}
}

// client returns the connection for streams, which is made when it is first used.
func (p *peer) client() (*grpc.ClientConn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return nil, status.Errorf(status.Canceled, "the endpoint is closed")
	}
	if p.conn == nil {
		conn, err := grpc.NewClient("passthrough:///"+p.address, p.e.options.dial()...)
		if err != nil {
			return nil, status.Invalid("address %q: %v", p.address, err)
		}
		p.conn = conn
	}
	return p.conn, nil
}

// Push sends a small message on the stream; until that is open, by Post. It is dropped if
// too many wait.
func (e *Endpoint) Push(to string, data []byte) {
	p := e.peer(to)
	if p == nil {
		return
	}
	p.mu.Lock()
	state := p.state
	if state == idle && p.ctx.Err() == nil {
		p.state = opening
		if p.queue == nil {
			p.queue = make(chan []byte, pushQueue)
		}
		p.done.Go(p.push)
	}
	p.mu.Unlock()
	if state != ready {
		e.Post(to, data)
		return
	}
	if p.sendNow(data) {
		return
	}
	select {
	case p.queue <- data:
	default:
	}
}

// sendNow sends a push on the caller's goroutine, unless it would have to wait: it saves two
// changes of goroutine.
func (p *peer) sendNow(data []byte) bool {
	if len(p.queue) > 0 || !p.sending.TryLock() {
		return false
	}
	defer p.sending.Unlock()
	s := p.stream
	if s == nil || s.onWay.Load() > mostOnWay {
		return false
	}
	b := frames.Get().(*[]byte)
	*b = append(binary.AppendUvarint((*b)[:0], uint64(len(data))), data...)
	s.onWay.Add(int64(len(*b)))
	s.SendMsg(&frame{send: mem.BufferSlice{mem.NewBuffer(b, s)}}) // push learns of a failure
	return true
}

// frames has buffers that are large enough for gRPC to return them.
var frames = sync.Pool{New: func() any { b := make([]byte, 0, 2<<10); return &b }}

// Get is part of [mem.BufferPool], and not called.
func (*pushStream) Get(n int) *[]byte { b := make([]byte, n); return &b }

// Put takes back a buffer that has been written.
func (s *pushStream) Put(b *[]byte) {
	s.onWay.Add(-int64(len(*b)))
	if cap(*b) <= mostFrame {
		frames.Put(b)
	}
}

// mostFrame bounds the buffers that are kept.
const mostFrame = 64 << 10

// push opens the stream, and writes what is queued until it breaks.
func (p *peer) push() {
	err := p.pushUntil()
	p.mu.Lock()
	p.state = idle // the next Push opens another one
	p.mu.Unlock()
	if err != nil && p.ctx.Err() == nil {
		p.e.options.Log.Debug().Str("peer", p.address).Err(err).Msg("the stream broke")
	}
}

func (p *peer) pushUntil() error {
	conn, err := p.client()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	s, err := p.open(ctx, conn, methodPush, grpc.WaitForReady(true))
	if err != nil {
		return err
	}
	broken := make(chan error, 1)
	p.done.Go(func() { broken <- p.replies(s) })
	if _, err := s.Header(); err != nil {
		return err
	}
	p.use(&pushStream{ClientStream: s})
	defer p.use(nil)
	p.mu.Lock()
	p.state = ready
	p.mu.Unlock()
	for {
		select {
		case data := <-p.queue:
			p.sending.Lock()
			err := s.SendMsg(of(p.together(data)))
			p.sending.Unlock()
			if err != nil {
				return err
			}
		case err := <-broken:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// replies takes what comes back on a stream of pushes, until it ends.
func (p *peer) replies(s grpc.ClientStream) error {
	for {
		var f frame
		if err := s.RecvMsg(&f); err != nil {
			return err
		}
		if !apart(f.bytes(), func(data []byte) { p.e.handler.Packet(p.address, data, nil) }) {
			return status.Errorf(status.DataLoss, "a frame that holds no packets")
		}
	}
}

// use makes a stream that of pushes.
func (p *peer) use(s *pushStream) {
	p.sending.Lock()
	defer p.sending.Unlock()
	p.stream = s
}

// together returns a frame's content: a packet, and those that have been queued meanwhile, each
// after its length.
func (p *peer) together(data []byte) []byte {
	all := append(binary.AppendUvarint(make([]byte, 0, len(data)+binary.MaxVarintLen32), uint64(len(data))), data...)
	for len(all) < maxPacket {
		select {
		case data := <-p.queue:
			all = append(binary.AppendUvarint(all, uint64(len(data))), data...)
		default:
			return all
		}
	}
	return all
}

// apart calls f for each packet of a frame.
func apart(all []byte, f func([]byte)) bool {
	for len(all) > 0 {
		n, k := binary.Uvarint(all)
		if k <= 0 || n > uint64(len(all)-k) {
			return false
		}
		end := k + int(n)
		f(all[k:end:end])
		all = all[end:]
	}
	return true
}

var streamDesc = grpc.StreamDesc{ServerStreams: true, ClientStreams: true}

// open opens a stream.
func (p *peer) open(ctx context.Context, conn *grpc.ClientConn, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	ctx = metadata.AppendToOutgoingContext(ctx, fromKey, p.e.address)
	return conn.NewStream(ctx, &streamDesc, method, append(opts, grpc.CallContentSubtype(codecName))...)
}

// close ends the peer's streams and waits for their goroutines.
func (p *peer) close() {
	p.cancel()
	p.done.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != nil {
		p.conn.Close()
	}
}

// fromGRPC returns an error of gRPC as one of ours.
func fromGRPC(err error) *status.Error {
	code := status.Unavailable
	s, ok := grpcstatus.FromError(err)
	text := err.Error()
	if ok {
		text = reason(s.Message())
		if s.Code() != codes.Unknown {
			code = status.Code(s.Code())
		}
	}
	return &status.Error{Code: code, Message: text, Cause: err}
}

// reason returns what a message of gRPC's about a connection says of the network: what is
// behind "latest balancer error: connection error: desc = \"transport: Error while dialing: ".
func reason(text string) string {
	_, network, ok := strings.Cut(text, "transport: Error while dialing: ")
	if !ok {
		return text
	}
	network = strings.TrimSuffix(network, `"`)
	if _, call, ok := strings.Cut(network, ": connect: "); ok { // of "dial tcp ADDRESS", which the caller knows
		return call
	}
	return network
}

// toGRPC returns an error of ours as one of gRPC.
func toGRPC(err error) error {
	if err == nil {
		return nil
	}
	e := status.From(err)
	return grpcstatus.Error(codes.Code(e.Code), e.Message)
}
