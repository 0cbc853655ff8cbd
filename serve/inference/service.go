package inference

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // for clients that compress

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/inference/messages"
	"github.com/troupe-go/troupe/serve/internal/unary"
	"github.com/troupe-go/troupe/status"
)

const service = "inference.GRPCInferenceService"

// An Option is one of [Register].
type Option func(*server)

// AllowControl lets clients load and unload the models of the server's configuration;
// without it that is PERMISSION_DENIED.
func AllowControl() Option { return func(s *server) { s.control = true } }

// Register adds the service to a gRPC server.
func Register(r grpc.ServiceRegistrar, m *serve.Manager, options ...Option) {
	s := &server{m: m}
	for _, o := range options {
		o(s)
	}
	r.RegisterService(&grpc.ServiceDesc{
		ServiceName: service,
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{
			unary.Method(service, "ServerLive", s.live),
			unary.Method(service, "ServerReady", s.ready),
			unary.Method(service, "ModelReady", s.modelReady),
			unary.Method(service, "ServerMetadata", s.metadata),
			unary.Method(service, "ModelMetadata", s.modelMetadata),
			unary.Method(service, "ModelInfer", s.infer),
			unary.Method(service, "RepositoryIndex", s.index),
			unary.Method(service, "RepositoryModelLoad", s.load),
			unary.Method(service, "RepositoryModelUnload", s.unload),
			unary.Method(service, "ModelStatistics", s.statistics),
			unary.Method(service, "ModelConfig", s.config),
		},
		Streams: []grpc.StreamDesc{{StreamName: "ModelStreamInfer", Handler: s.stream, ServerStreams: true, ClientStreams: true}},
	}, s)
}

type server struct {
	m       *serve.Manager
	control bool // clients may load and unload models
}

func (s *server) live(context.Context, *messages.ServerLiveRequest) (*messages.ServerLiveResponse, error) {
	return &messages.ServerLiveResponse{Live: true}, nil
}

func (s *server) ready(context.Context, *messages.ServerReadyRequest) (*messages.ServerReadyResponse, error) {
	return &messages.ServerReadyResponse{Ready: s.m.Ready()}, nil
}

// modelReady reports whether a model can be used; one that is not there is not ready.
func (s *server) modelReady(_ context.Context, r *messages.ModelReadyRequest) (*messages.ModelReadyResponse, error) {
	of, err := spec(r.GetName(), r.GetVersion())
	if err != nil {
		return nil, err
	}
	u, err := s.m.Use(of)
	if err == nil {
		u.Close()
	}
	return &messages.ModelReadyResponse{Ready: err == nil}, nil
}

func (s *server) metadata(context.Context, *messages.ServerMetadataRequest) (*messages.ServerMetadataResponse, error) {
	return &messages.ServerMetadataResponse{Name: serve.V2Name, Version: serve.V2Version, Extensions: serve.V2Extensions}, nil
}

func (s *server) modelMetadata(_ context.Context, r *messages.ModelMetadataRequest) (*messages.ModelMetadataResponse, error) {
	of, err := spec(r.GetName(), r.GetVersion())
	if err != nil {
		return nil, err
	}
	meta, err := s.m.V2Metadata(of)
	if err != nil {
		return nil, err
	}
	tensors := func(list []serve.V2Tensor) (all []*messages.ModelMetadataResponse_TensorMetadata) {
		for _, t := range list {
			all = append(all, &messages.ModelMetadataResponse_TensorMetadata{Name: t.Name, Datatype: t.Datatype, Shape: t.Shape})
		}
		return all
	}
	return &messages.ModelMetadataResponse{
		Name: meta.Name, Versions: meta.Versions, Platform: meta.Platform, Inputs: tensors(meta.Inputs), Outputs: tensors(meta.Outputs),
	}, nil
}

// spec names a model and, if text is not empty, a version.
func spec(model, text string) (s serve.Spec, err error) {
	s.Model = model
	s.Version, s.HasVersion, err = serve.V2ModelVersion(text)
	return s, err
}

// stream answers requests in their order, each with a response or an error message.
func (s *server) stream(_ any, stream grpc.ServerStream) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = unary.Error(status.Errorf(status.Internal, "ModelStreamInfer panicked: %v", r))
		}
	}()
	for {
		r := &messages.ModelInferRequest{}
		if err := stream.RecvMsg(r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		reply := &messages.ModelStreamInferResponse{}
		response, err := s.infer(stream.Context(), r)
		if reply.InferResponse = response; err != nil {
			reply.ErrorMessage = fmt.Sprintf("%v: %s", status.From(err).Code, unary.Message(err))
			reply.InferResponse = &messages.ModelInferResponse{ModelName: r.GetModelName(), Id: r.GetId()}
		}
		if err := stream.SendMsg(reply); err != nil {
			return err
		}
	}
}
