package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/access"
	"github.com/troupe-go/troupe/serve/inference"
	"github.com/troupe-go/troupe/serve/metrics"
	"github.com/troupe-go/troupe/serve/page"
	"github.com/troupe-go/troupe/serve/prediction"
	"github.com/troupe-go/troupe/serve/reflection"
	sessions "github.com/troupe-go/troupe/serve/session"
)

// A front is the servers through which clients reach a manager.
type front struct {
	m       *modelServer
	o       sessions.Options
	rules   access.Rules
	models  *serve.Manager
	set     *metrics.Set
	metrics http.Handler

	connections *access.Connections // nil: they are not bounded
	listeners   map[string]net.Listener
	web         []*http.Server
	grpc        *grpc.Server
	health      *health.Server
	failed      chan error // of a server that ended by itself
	served      sync.WaitGroup
}

// listen opens the addresses.
func (f *front) listen() error {
	f.listeners = map[string]net.Listener{}
	f.failed = make(chan error, 8)
	most := f.m.connections
	if most <= 0 {
		most = connections()
	}
	if most > 0 {
		f.connections = access.NewConnections(most, func(c access.Crowd) {
			f.o.Logger.Error().Int("connections", c.Open).Int("closed", c.Idle).Int("refused", c.Refused).
				Msg("there are as many connections as may be (--max-connections, limit of open files): the longest idle ones are closed, or new ones refused")
		})
	}
	for name, address := range map[string]string{"rest": f.m.rest, "grpc": f.m.grpc, "admin": f.m.admin, "pprof": f.m.pprof, "socket": f.m.serving.socket} {
		if address == "" {
			continue
		}
		var l net.Listener
		var err error
		if name == "socket" {
			if l, err = net.Listen("unix", address); err != nil {
				err = failure{err}
			}
		} else {
			l, err = listen(address)
		}
		if err != nil {
			return err
		}
		if f.connections != nil && (name == "rest" || name == "grpc" || name == "socket") {
			l = f.connections.Listen(l)
		}
		f.listeners[name] = l
	}
	return nil
}

func (f *front) close() {
	for _, l := range f.listeners {
		l.Close()
	}
}

// start answers requests.
func (f *front) start() {
	f.rules.Rate, f.rules.Burst = f.m.rate, f.m.burst
	gate := access.New(f.rules)
	rest := serve.Handler(f.models, serve.HTTP{MaxBody: f.m.body, Timeout: f.m.serving.restTimeout, Control: f.m.trust.reload, CORS: f.m.serving.cors})
	all := http.NewServeMux()
	all.Handle("/", rest)
	all.Handle("/metrics", f.metrics)
	all.Handle("/monitoring/prometheus/metrics", f.metrics)
	if p := f.m.serving.metricsPath; p != "" && p != "/metrics" && p != "/monitoring/prometheus/metrics" {
		all.Handle(p, f.metrics)
	}
	if l := f.listeners["rest"]; l != nil {
		if f.o.TLS != nil {
			l = tls.NewListener(l, f.o.TLS)
		}
		streams, stop := context.WithCancel(context.Background())
		f.http(l, f.quickly(gate.HTTP(rest), f.pages(streams, gate.HTTP(all))), 2*time.Minute)
		f.web[len(f.web)-1].RegisterOnShutdown(stop)
	}
	if l := f.listeners["admin"]; l != nil {
		mux := http.NewServeMux()
		mux.Handle("/metrics", f.metrics)
		mux.Handle("/healthz", rest)
		mux.Handle("/readyz", rest)
		f.http(l, mux, 10*time.Second)
	}
	if l := f.listeners["pprof"]; l != nil {
		mux := http.NewServeMux()
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
		f.http(l, mux, 0)
	}
	if f.listeners["grpc"] == nil && f.listeners["socket"] == nil {
		return
	}
	f.health = health.NewServer() // serving, until it is shut down
	f.grpc = f.predictions(gate)
	for _, name := range []string{"grpc", "socket"} {
		if l := f.listeners[name]; l != nil {
			f.served.Go(func() {
				if err := f.grpc.Serve(l); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
					f.failed <- err
				}
			})
		}
	}
}

// quickly sends the requests of models to their handler, and others through the muxes.
func (f *front) quickly(models, others http.Handler) http.Handler {
	metrics := f.m.serving.metricsPath
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := r.URL.Path; r.Method == http.MethodPost && (strings.HasPrefix(p, "/v1/models/") || strings.HasPrefix(p, "/v2/models/")) && p != metrics {
			models.ServeHTTP(w, r)
			return
		}
		others.ServeHTTP(w, r)
	})
}

// pages adds the pages to the handler of requests: that of the models at /, and with --live
// that of their sessions. The end of ctx ends their streams, so that the server can end.
func (f *front) pages(ctx context.Context, requests http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", requests)
	o := page.Options{Known: f.o.Known, Anyone: true} // as for requests
	if f.m.live {
		o.Live = "/live/"
		mux.Handle("/live/", http.StripPrefix("/live", until(ctx, liveOf(f.models, f.o.Known))))
	}
	if !f.m.noPage {
		models := until(ctx, page.Handler(f.models, o))
		mux.Handle("/{$}", models)
		mux.Handle("/events", models)
	}
	return mux
}

// http answers requests over HTTP. Clients that are slow to ask are dropped.
func (f *front) http(l net.Listener, h http.Handler, idle time.Duration) {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 5 * time.Minute, IdleTimeout: idle, MaxHeaderBytes: 64 << 10, ErrorLog: errorLog(f.o.Logger)}
	if f.connections != nil {
		s.ConnState = f.connections.State
	}
	f.web = append(f.web, s)
	f.served.Go(func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			f.failed <- err
		}
	})
}

// predictions returns a server of TensorFlow Serving's gRPC interface.
func (f *front) predictions(gate *access.Gate) *grpc.Server {
	body := f.m.body
	if body <= 0 {
		body = 64 << 20
	}
	options := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(int(min(body, math.MaxInt32))), grpc.MaxSendMsgSize(math.MaxInt32),
		grpc.ChainUnaryInterceptor(gate.Unary, prediction.Observe(f.models), prediction.Recover),
		grpc.ChainStreamInterceptor(gate.Stream), grpc.InTapHandle(prediction.Refuse(f.models)),
		grpc.ConnectionTimeout(20 * time.Second),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: time.Minute, Timeout: 20 * time.Second, MaxConnectionAge: f.m.serving.maxAge}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
		grpc.MaxConcurrentStreams(uint32(256 * runtime.GOMAXPROCS(0))),
		grpc.NumStreamWorkers(uint32(8 * runtime.GOMAXPROCS(0))), // whose stacks have grown already
	}
	if f.o.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(f.o.TLS)))
	}
	server := grpc.NewServer(options...)
	prediction.Register(server, f.models, append(f.m.trust.options(), prediction.Counters(f.set.Counter))...)
	inference.Register(server, f.models, f.m.trust.inference()...)
	healthpb.RegisterHealthServer(server, f.health)
	if err := reflection.Register(server); err != nil { // a mistake in the program
		panic(err)
	}
	return server
}

// announce prints where models are served.
func (f *front) announce(w io.Writer) {
	scheme := "http"
	if f.o.TLS != nil {
		scheme = "https"
	}
	if l := f.listeners["rest"]; l != nil {
		for _, name := range f.models.Models() {
			fmt.Fprintf(w, "serving %s://%s/v1/models/%s\n", scheme, l.Addr(), plain.Line(name))
		}
		if !f.m.noPage {
			fmt.Fprintf(w, "page at %s://%s/\n", scheme, l.Addr())
		}
	}
	for _, s := range []struct{ name, text string }{{"admin", "health and metrics"}, {"pprof", "profiles"}, {"grpc", "gRPC"}, {"socket", "gRPC"}} {
		if l := f.listeners[s.name]; l != nil {
			fmt.Fprintf(w, "serving %s at %s\n", s.text, l.Addr())
		}
	}
}

// wait waits for the end of ctx, or for a server that fails.
func (f *front) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-f.failed:
		return failure{err}
	}
}

// idle goes on for a while.
func (f *front) idle(d time.Duration) {
	if f.health != nil {
		f.health.Shutdown()
	}
	select {
	case <-time.After(d):
	case <-f.failed:
	}
}

// stop refuses new requests, and waits for those that run.
func (f *front) stop(drain time.Duration) {
	late, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	if f.health != nil {
		f.health.Shutdown()
	}
	var stopped sync.WaitGroup
	for _, s := range f.web {
		stopped.Go(func() {
			if s.Shutdown(late) != nil {
				s.Close()
			}
		})
	}
	if f.grpc != nil {
		timer := time.AfterFunc(drain, f.grpc.Stop)
		defer timer.Stop()
		stopped.Go(f.grpc.GracefulStop)
	}
	stopped.Wait()
	f.served.Wait()
}

// ticker ticks every d; never if that is 0.
func ticker(d time.Duration) (<-chan time.Time, func()) {
	if d <= 0 {
		return nil, func() {}
	}
	t := time.NewTicker(d)
	return t.C, t.Stop
}

// A fileStamp tells whether a file has changed.
type fileStamp struct {
	size int64
	time time.Time
	err  string
}

func stamp(name string) fileStamp {
	info, err := os.Stat(name)
	if err != nil {
		return fileStamp{err: err.Error()}
	}
	return fileStamp{size: info.Size(), time: info.ModTime()}
}
