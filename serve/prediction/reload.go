package prediction

import (
	"context"
	"strings"

	"github.com/troupe-go/troupe/serve/config"
	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// reload makes the models those of a configuration, and answers when each version is
// available or has failed. As in TensorFlow Serving, a configuration that cannot be
// applied is in the response, not the error of the call.
func (s *server) reload(ctx context.Context, r *messages.ReloadConfigRequest) (*messages.ReloadConfigResponse, error) {
	if !s.reloads {
		return nil, status.Errorf(status.PermissionDenied, "clients may not choose the models of this server (--allow-reload)")
	}
	before := s.counters(r.GetMetricNames())
	list, err := config.Unmarshal(r.GetConfig())
	if err == nil {
		err = s.m.Reconfigure(ctx, list)
	}
	reply := &messages.ReloadConfigResponse{Status: &messages.StatusProto{}}
	if err != nil {
		e := status.From(err)
		reply.Status.ErrorCode, reply.Status.ErrorMessage = int32(e.Code), e.Error()
	}
	for name, was := range before {
		if is, ok := s.counter(name); ok {
			reply.Metric = append(reply.Metric, &messages.Metric{Name: name, ValueIncrease: &messages.Metric_Int64ValueIncrease{Int64ValueIncrease: is - was}})
		}
	}
	sorted.By(reply.Metric, func(a, b *messages.Metric) int { return strings.Compare(a.GetName(), b.GetName()) })
	return reply, nil
}

// counters returns the counters of these names that there are.
func (s *server) counters(names []string) map[string]int64 {
	all := map[string]int64{}
	for _, name := range names {
		if s.counter == nil {
			break
		}
		if x, ok := s.counter(name); ok {
			all[name] = x
		}
	}
	return all
}
