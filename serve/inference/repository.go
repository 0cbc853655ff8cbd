package inference

import (
	"context"
	"maps"
	"slices"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/inference/messages"
)

func (s *server) index(_ context.Context, r *messages.RepositoryIndexRequest) (*messages.RepositoryIndexResponse, error) {
	reply := &messages.RepositoryIndexResponse{}
	for _, x := range s.m.V2Index(r.GetReady()) {
		reply.Models = append(reply.Models, &messages.RepositoryIndexResponse_ModelIndex{Name: x.Name, Version: x.Version, State: x.State, Reason: x.Reason})
	}
	return reply, nil
}

func (s *server) load(ctx context.Context, r *messages.RepositoryModelLoadRequest) (*messages.RepositoryModelLoadResponse, error) {
	if err := s.controls(r.GetParameters()); err != nil {
		return nil, err
	}
	if err := s.m.Load(ctx, r.GetModelName()); err != nil {
		return nil, err
	}
	return &messages.RepositoryModelLoadResponse{}, nil
}

func (s *server) unload(_ context.Context, r *messages.RepositoryModelUnloadRequest) (*messages.RepositoryModelUnloadResponse, error) {
	if err := s.controls(r.GetParameters()); err != nil {
		return nil, err
	}
	if err := s.m.Unload(r.GetModelName()); err != nil {
		return nil, err
	}
	return &messages.RepositoryModelUnloadResponse{}, nil
}

// controls reports whether a client may load and unload models, with these parameters.
func (s *server) controls(parameters map[string]*messages.ModelRepositoryParameter) error {
	if !s.control {
		return serve.ControlRefused()
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if err := serve.V2Parameter(name); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) config(_ context.Context, r *messages.ModelConfigRequest) (*messages.ModelConfigResponse, error) {
	of, err := spec(r.GetName(), r.GetVersion())
	if err != nil {
		return nil, err
	}
	c, err := s.m.V2Config(of)
	if err != nil {
		return nil, err
	}
	config := &messages.ModelConfig{Name: c.Name, Platform: c.Platform, Backend: c.Backend, MaxBatchSize: c.MaxBatchSize}
	for _, t := range c.Input {
		config.Input = append(config.Input, &messages.ModelConfig_Input{Name: t.Name, DataType: typeOf(t), Dims: t.Dims})
	}
	for _, t := range c.Output {
		config.Output = append(config.Output, &messages.ModelConfig_Output{Name: t.Name, DataType: typeOf(t), Dims: t.Dims})
	}
	return &messages.ModelConfigResponse{Config: config}, nil
}

func typeOf(t serve.V2ConfigTensor) messages.ModelConfig_DataType {
	return messages.ModelConfig_DataType(messages.ModelConfig_DataType_value[t.DataType])
}
