package inference

import (
	"context"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/inference/messages"
)

func (s *server) statistics(_ context.Context, r *messages.ModelStatisticsRequest) (*messages.ModelStatisticsResponse, error) {
	of, err := spec(r.GetName(), r.GetVersion())
	if err != nil {
		return nil, err
	}
	list, err := s.m.V2Statistics(of)
	if err != nil {
		return nil, err
	}
	reply := &messages.ModelStatisticsResponse{}
	for _, x := range list {
		i := x.InferenceStats
		of := &messages.ModelStatistics{
			Name: x.Name, Version: x.Version, LastInference: uint64(x.LastInference), InferenceCount: uint64(x.InferenceCount), ExecutionCount: uint64(x.ExecutionCount),
			InferenceStats: &messages.InferStatistics{
				Success: times(i.Success), Fail: times(i.Fail), Queue: times(i.Queue), ComputeInput: times(i.ComputeInput), ComputeInfer: times(i.ComputeInfer),
				ComputeOutput: times(i.ComputeOutput), CacheHit: times(i.CacheHit), CacheMiss: times(i.CacheMiss),
			},
		}
		for _, b := range x.BatchStats {
			of.BatchStats = append(of.BatchStats, &messages.InferBatchStatistics{
				BatchSize: uint64(b.BatchSize), ComputeInput: times(b.ComputeInput), ComputeInfer: times(b.ComputeInfer), ComputeOutput: times(b.ComputeOutput),
			})
		}
		reply.ModelStats = append(reply.ModelStats, of)
	}
	return reply, nil
}

func times(d serve.V2Duration) *messages.StatisticDuration {
	return &messages.StatisticDuration{Count: uint64(d.Count), Ns: uint64(d.NS)}
}
