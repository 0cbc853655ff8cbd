package main

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/prediction"
	sessions "github.com/troupe-go/troupe/serve/session"
)

// modelServer serves models over HTTP and gRPC.
type modelServer struct {
	rest, grpc       string
	path, name       string // as TensorFlow Serving's flags have them
	running, waiting int
	latest           int
	watch            time.Duration
	body             int64
	batch            batchFlags
}

func (m *modelServer) add(fl *pflag.FlagSet) {
	m.batch.add(fl)
	fl.StringVar(&m.rest, "rest", ":8501", "serve models at `ADDRESS`")
	fl.StringVar(&m.grpc, "grpc", ":8500", "serve models over gRPC at `ADDRESS`; \"\": not at all")
	fl.StringVar(&m.path, "model_base_path", "", "serve the model in `DIR`, as TensorFlow Serving does")
	fl.StringVar(&m.name, "model_name", "default", "the `NAME` of the model in --model_base_path")
	fl.IntVar(&m.running, "running", 0, "run at most `N` requests of a model at a time; 0: 4 for each CPU")
	fl.IntVar(&m.waiting, "waiting", 0, "let at most `N` more requests of a model wait; 0: 64 times as many")
	fl.IntVar(&m.latest, "latest", 1, "serve the `N` greatest versions of each model")
	fl.DurationVar(&m.watch, "watch", 2*time.Second, "look for new versions every `DURATION`; 0: never")
	fl.Int64Var(&m.body, "max-body", 0, "refuse requests of more than `BYTES`; 0: 64 MiB")
}

// serve serves models until ctx ends, and then what still runs for as long as drain.
func (m *modelServer) serve(ctx context.Context, cmd *cobra.Command, args []string, drain time.Duration, o sessions.Options) error {
	options := serve.Options{Session: o.Session, Running: m.running, Waiting: m.waiting, Timeout: o.Session.Timeout, Logger: o.Logger}
	options.Session.Timeout = 0 // of the request, waiting included
	var err error
	if options.Batching, err = m.batch.batching(); err != nil {
		return err
	}
	models := serve.New(options)
	end := func() {
		late, cancel := context.WithTimeout(context.Background(), drain)
		defer cancel()
		models.Close(late) // whose error is that requests were ended
	}
	defer end()
	for _, arg := range args {
		name, path, named := strings.Cut(arg, "=")
		if !named {
			absolute, err := filepath.Abs(arg)
			if err != nil {
				return failure{err}
			}
			name, path = filepath.Base(absolute), arg
		}
		if err := m.addModel(ctx, models, name, path); err != nil {
			return err
		}
	}
	if m.path != "" {
		if err := m.addModel(ctx, models, m.name, m.path); err != nil {
			return err
		}
	}
	l, err := listen(m.rest)
	if err != nil {
		return err
	}
	scheme := "http"
	if o.TLS != nil {
		l, scheme = tls.NewListener(l, o.TLS), "https"
	}
	for _, name := range models.Models() {
		fmt.Fprintf(cmd.OutOrStdout(), "serving %s://%s/v1/models/%s\n", scheme, l.Addr(), plain.Line(name))
	}
	if m.grpc == "" {
		return m.run(ctx, l, models, drain, o)
	}
	lg, err := listen(m.grpc)
	if err != nil {
		l.Close()
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "serving gRPC at %s\n", lg.Addr())
	server := predictions(models, o, m.body)
	served := make(chan error, 1)
	go func() { served <- server.Serve(lg) }()
	err = m.run(ctx, l, models, drain, o)
	late := time.AfterFunc(drain, server.Stop)
	server.GracefulStop()
	late.Stop()
	if e := <-served; err == nil && e != nil && !errors.Is(e, grpc.ErrServerStopped) {
		err = failure{e}
	}
	return err
}

// predictions returns a server of TensorFlow Serving's gRPC interface.
func predictions(models *serve.Manager, o sessions.Options, body int64) *grpc.Server {
	if body <= 0 {
		body = 64 << 20
	}
	options := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(int(min(body, math.MaxInt32))), grpc.MaxSendMsgSize(math.MaxInt32),
		grpc.ChainUnaryInterceptor(authenticated(o.Token), prediction.Recover),
		grpc.ConnectionTimeout(20 * time.Second),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: time.Minute, Timeout: 20 * time.Second}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
		grpc.MaxConcurrentStreams(uint32(256 * runtime.GOMAXPROCS(0))),
	}
	if o.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(o.TLS)))
	}
	server := grpc.NewServer(options...)
	prediction.Register(server, models)
	healthpb.RegisterHealthServer(server, health.NewServer()) // serving, as long as it answers
	return server
}

// authenticated lets only calls through that have the token, and questions for health.
func authenticated(token string) grpc.UnaryServerInterceptor {
	want := []byte("Bearer " + token)
	return func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		ok := token == "" || info.FullMethod == healthpb.Health_Check_FullMethodName
		for _, v := range md.Get("authorization") {
			ok = ok || subtle.ConstantTimeCompare([]byte(v), want) == 1
		}
		if !ok {
			return nil, grpcstatus.Error(codes.Unauthenticated, "the call has no token, or another one")
		}
		return handle(ctx, request)
	}
}

func (m *modelServer) addModel(ctx context.Context, models *serve.Manager, name, path string) error {
	if err := models.Add(ctx, serve.Config{Name: name, Path: path, Policy: serve.Policy{Latest: m.latest}}); err != nil {
		return failure{fmt.Errorf("%s: %w", plain.Line(path), err)}
	}
	return nil
}

// run answers requests until ctx ends.
func (m *modelServer) run(ctx context.Context, l net.Listener, models *serve.Manager, drain time.Duration, o sessions.Options) error {
	handler := serve.Handler(models, serve.HTTP{MaxBody: m.body, Logger: o.Logger})
	if o.Token != "" {
		handler = authorized(handler, o.Token)
	}
	server := &http.Server{
		Handler: handler,
		// Clients that are slow to ask are dropped.
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 5 * time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	watching, cancel := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if m.watch <= 0 {
			return
		}
		tick := time.NewTicker(m.watch)
		defer tick.Stop()
		models.Watch(watching, tick.C)
	}()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-watching.Done()
		late, cancel := context.WithTimeout(context.Background(), drain)
		defer cancel()
		if server.Shutdown(late) != nil {
			server.Close()
		}
	}()
	err := server.Serve(l)
	cancel()
	<-watched
	<-stopped
	if !errors.Is(err, http.ErrServerClosed) {
		return failure{err}
	}
	return nil
}

// authorized lets only requests through that have the token.
func authorized(h http.Handler, token string) http.Handler {
	want := []byte("Bearer " + token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			w.Write([]byte(`{ "error": "the request has no token, or another one" }`))
			return
		}
		h.ServeHTTP(w, r)
	})
}
