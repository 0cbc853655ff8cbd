package prediction

import (
	"context"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip" // for clients that compress
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/status"
)

// An Option is one of [Register].
type Option func(*server)

// AllowReload lets clients choose the models that are served, and their folders, with
// HandleReloadConfigRequest: whoever may call it can load any model that the process can
// read. Without it the call is refused with PERMISSION_DENIED.
func AllowReload() Option { return func(s *server) { s.reloads = true } }

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
			method("tensorflow.serving.PredictionService", "Predict", s.predict),
			method("tensorflow.serving.PredictionService", "Classify", s.classify),
			method("tensorflow.serving.PredictionService", "Regress", s.regress),
			method("tensorflow.serving.PredictionService", "MultiInference", s.multiInference),
			method("tensorflow.serving.PredictionService", "GetModelMetadata", s.metadata),
		},
	}, s)
	r.RegisterService(&grpc.ServiceDesc{
		ServiceName: "tensorflow.serving.ModelService",
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{
			method("tensorflow.serving.ModelService", "GetModelStatus", s.status),
			method("tensorflow.serving.ModelService", "HandleReloadConfigRequest", s.reload),
		},
	}, s)
	if s.sessions {
		r.RegisterService(&grpc.ServiceDesc{
			ServiceName: "tensorflow.serving.SessionService",
			HandlerType: (*any)(nil),
			Methods:     []grpc.MethodDesc{method("tensorflow.serving.SessionService", "SessionRun", s.sessionRun)},
		}, s)
	}
}

type server struct {
	m                 *serve.Manager
	reloads, sessions bool
}

// method describes a method of a service.
func method[Request, Response any](service, name string, call func(context.Context, *Request) (*Response, error)) grpc.MethodDesc {
	full := "/" + service + "/" + name
	return grpc.MethodDesc{
		MethodName: name,
		Handler: func(server any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
			request := new(Request)
			if err := decode(request); err != nil {
				return nil, err
			}
			handle := func(ctx context.Context, request any) (any, error) {
				response, err := call(ctx, request.(*Request))
				if err != nil {
					return nil, grpcError(err)
				}
				return response, nil
			}
			if intercept == nil {
				return handle(ctx, request)
			}
			return intercept(ctx, request, &grpc.UnaryServerInfo{Server: server, FullMethod: full}, handle)
		},
	}
}

// Recover is an interceptor that makes a panic the INTERNAL error of its call.
func Recover(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (response any, err error) {
	defer func() {
		if r := recover(); r != nil {
			response, err = nil, grpcError(status.Errorf(status.Internal, "%s panicked: %v", info.FullMethod, r))
		}
	}()
	return handle(ctx, request)
}

// grpcError returns an error with the code that gRPC has for it; the numbers are the same.
func grpcError(err error) error {
	e := status.From(err)
	return grpcstatus.Error(codes.Code(e.Code), strings.ToValidUTF8(strings.TrimPrefix(e.Error(), e.Code.String()+": "), "\uFFFD"))
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

// use finds the version that a ModelSpec names. Close must be called.
func (s *server) use(m *messages.ModelSpec) (serve.Spec, serve.Use, error) {
	of, err := spec(m)
	if err != nil {
		return of, serve.Use{}, err
	}
	u, err := s.m.Use(of)
	return of, u, err
}
