package remote

import (
	"crypto/tls"
	"net"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/keepalive"

	"github.com/troupe-go/troupe/status"
)

// Options configure an endpoint.
type Options struct {
	// Listen is the address HOST:PORT to listen on; "" is 127.0.0.1 and any port. Without
	// a host only this machine can connect.
	Listen string
	// Advertise is the address by which others reach it; "" is the one that it listens on.
	Advertise string
	// TLS has certificates for both directions: its Certificates are shown to both
	// servers and clients, RootCAs checks servers, ClientCAs and ClientAuth clients. nil:
	// no encryption.
	TLS *tls.Config
	// Token is shown and required with each call; "" is none.
	Token string
	// Insecure permits an address that is not loopback without TLS and token.
	Insecure bool
	// Silence is after how long without an acknowledgement of what was sent a connection
	// is broken and made again; 0 is 2 s.
	Silence time.Duration
	// Log gets what goes wrong; nil logs nothing.
	Log *zerolog.Logger
}

// maxPacket bounds what one Post or Push carries, maxBatch how many of Proto.Actor's
// messages go together, maxMessage a message of gRPC: a batch with its envelopes, or a
// chunk.
const (
	maxPacket  = 64 << 10
	maxBatch   = 64
	maxMessage = maxBatch*(maxPacket+1024) + 1<<20
	chunk      = 256 << 10
	window     = 4 << 20 // of a stream: what is on its way before it is read
	// socketBuffer is how much is read from and written to a socket at a time.
	socketBuffer = 128 << 10
)

// resolve fills in defaults and refuses an open port.
func (o *Options) resolve() error {
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	host, port, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return status.Invalid("address %q: %v", o.Listen, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if !Loopback(host) && o.Token == "" && o.TLS == nil && !o.Insecure {
		return status.Errorf(status.FailedPrecondition, "address %s can be reached from other machines: it needs a token or TLS", o.Listen)
	}
	o.Listen = net.JoinHostPort(host, port)
	if o.Silence <= 0 {
		o.Silence = 2 * time.Second
	}
	if o.Log == nil {
		nop := zerolog.Nop()
		o.Log = &nop
	}
	return nil
}

// Loopback reports whether only this machine reaches a host.
func Loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// dial returns how others are dialed.
func (o *Options) dial() []grpc.DialOption {
	creds := insecure.NewCredentials()
	if o.TLS != nil {
		creds = credentials.NewTLS(o.TLS)
	}
	all := []grpc.DialOption{
		grpc.WithTransportCredentials(creds),
		grpc.WithNoProxy(),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: o.Silence}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 250 * time.Millisecond},
			MinConnectTimeout: o.Silence,
		}),
		experimental.WithBufferPool(framePool{}),
		grpc.WithReadBufferSize(socketBuffer),
		grpc.WithWriteBufferSize(socketBuffer),
		grpc.WithInitialWindowSize(window),
		grpc.WithInitialConnWindowSize(4 * window),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
	}
	if o.Token != "" {
		all = append(all, grpc.WithPerRPCCredentials(bearer(o.Token)))
	}
	return all
}

// serve returns how others are served.
func (o *Options) serve() []grpc.ServerOption {
	all := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxSendMsgSize(maxMessage),
		experimental.BufferPool(framePool{}),
		grpc.ReadBufferSize(socketBuffer),
		grpc.WriteBufferSize(socketBuffer),
		grpc.InitialWindowSize(window),
		grpc.InitialConnWindowSize(4 * window),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 10 * time.Second, Timeout: o.Silence}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
		grpc.MaxConcurrentStreams(1 << 16),
	}
	if o.TLS != nil {
		all = append(all, grpc.Creds(credentials.NewTLS(o.TLS)))
	}
	return all
}
