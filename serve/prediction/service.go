package prediction

import (
	"context"

	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // for clients that compress
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/internal/unary"
	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/status"
)

// An Option is one of [Register].
type Option func(*server)

// AllowReload lets clients choose the models that are served, and their folders, with
// HandleReloadConfigRequest: whoever may call it can load any model that the process can
// read. Without it the call is refused with PERMISSION_DENIED.
func AllowReload() Option { return func(s *server) { s.reloads = true } }

// Counters let a reload say by how much counters have increased meanwhile, those that the
// request names: read returns the value of one, false if there is none of the name.
func Counters(read func(name string) (int64, bool)) Option {
	return func(s *server) { s.counter = read }
}

// AllowSessionRun adds SessionService, whose SessionRun feeds and fetches any tensor of a
// model and runs any operation, those that write variables included.
func AllowSessionRun() Option { return func(s *server) { s.sessions = true } }

// Register adds the services to a gRPC server.
func Register(r grpc.ServiceRegistrar, m *serve.Manager, options ...Option) {
	s := &server{m: m}
	for _, o := range options {
		o(s)
	}
	r.RegisterService(&grpc.ServiceDesc{
		ServiceName: "tensorflow.serving.PredictionService",
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{
			unary.Method("tensorflow.serving.PredictionService", "Predict", s.predict),
			unary.Method("tensorflow.serving.PredictionService", "Classify", s.classify),
			unary.Method("tensorflow.serving.PredictionService", "Regress", s.regress),
			unary.Method("tensorflow.serving.PredictionService", "MultiInference", s.multiInference),
			unary.Method("tensorflow.serving.PredictionService", "GetModelMetadata", s.metadata),
		},
	}, s)
	r.RegisterService(&grpc.ServiceDesc{
		ServiceName: "tensorflow.serving.ModelService",
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{
			unary.Method("tensorflow.serving.ModelService", "GetModelStatus", s.status),
			unary.Method("tensorflow.serving.ModelService", "HandleReloadConfigRequest", s.reload),
		},
	}, s)
	if s.sessions {
		r.RegisterService(&grpc.ServiceDesc{
			ServiceName: "tensorflow.serving.SessionService",
			HandlerType: (*any)(nil),
			Methods:     []grpc.MethodDesc{unary.Method("tensorflow.serving.SessionService", "SessionRun", s.sessionRun)},
		}, s)
	}
}

type server struct {
	m                 *serve.Manager
	reloads, sessions bool
	counter           func(string) (int64, bool) // nil: there are none
}

// Recover is an interceptor that makes a panic the INTERNAL error of its call.
func Recover(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (response any, err error) {
	defer func() {
		if r := recover(); r != nil {
			response, err = nil, unary.Error(status.Errorf(status.Internal, "%s panicked: %v", info.FullMethod, r))
		}
	}()
	return handle(ctx, request)
}

// spec reads a ModelSpec.
func spec(m *messages.ModelSpec) (s serve.Spec, err error) {
	s = serve.Spec{Model: m.GetName(), Signature: m.GetSignatureName()}
	if s.Model == "" {
		return s, status.Invalid("Missing ModelSpec")
	}
	switch v := m.GetVersionChoice().(type) {
	case *messages.ModelSpec_Version:
		s.Version, s.HasVersion = v.Version.GetValue(), true
	case *messages.ModelSpec_VersionLabel:
		s.Label = v.VersionLabel
	}
	if s.Signature == "" {
		s.Signature = "serving_default"
	}
	return s, nil
}

// used returns the ModelSpec of a reply: the version that was used.
func used(s serve.Spec, version int64) *messages.ModelSpec {
	return &messages.ModelSpec{
		Name: s.Model, SignatureName: s.Signature,
		VersionChoice: &messages.ModelSpec_Version{Version: wrapperspb.Int64(version)},
	}
}

// run is use for a request that runs something. It fails before the request's tensors are read
// if the model takes no more.
func (s *server) run(ctx context.Context, m *messages.ModelSpec) (serve.Spec, serve.Use, error) {
	if err := s.m.Full(m.GetName()); err != nil {
		return serve.Spec{}, serve.Use{}, err
	}
	return s.use(ctx, m)
}

// use finds the version that a ModelSpec names. Close must be called.
func (s *server) use(ctx context.Context, m *messages.ModelSpec) (serve.Spec, serve.Use, error) {
	of, err := spec(m)
	if err != nil {
		return of, serve.Use{}, err
	}
	of.Key = unary.Key(ctx)
	u, err := s.m.Use(of)
	return of, u, err
}
