package prediction

import (
	"context"

	"github.com/troupe-go/troupe/serve/config"
	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/status"
)

// reload makes the models those of a configuration, and answers when each version is
// available or has failed. As in TensorFlow Serving, a configuration that cannot be
// applied is in the response, not the error of the call.
func (s *server) reload(ctx context.Context, r *messages.ReloadConfigRequest) (*messages.ReloadConfigResponse, error) {
	if !s.reloads {
		return nil, status.Errorf(status.PermissionDenied, "clients may not choose the models of this server (--allow-reload)")
	}
	list, err := config.Unmarshal(r.GetConfig())
	if err == nil {
		err = s.m.Reconfigure(ctx, list)
	}
	reply := &messages.ReloadConfigResponse{Status: &messages.StatusProto{}}
	if err != nil {
		e := status.From(err)
		reply.Status.ErrorCode, reply.Status.ErrorMessage = int32(e.Code), e.Error()
	}
	return reply, nil
}
