package serve

import (
	"cmp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/sorted"
)

// statistics count what a version has answered, as the Open Inference Protocol's extension
// reports it.
type statistics struct {
	last       atomic.Int64 // when the last request ended; nanoseconds since 1970
	examples   atomic.Int64
	executions atomic.Int64

	success, fail, queue, infer duration
	sizes                       sync.Map // *duration by the examples that ran together
}

// A duration counts times.
type duration struct{ count, ns atomic.Int64 }

func (d *duration) add(took time.Duration) {
	d.count.Add(1)
	d.ns.Add(int64(took))
}

func (d *duration) report() V2Duration { return V2Duration{d.count.Load(), d.ns.Load()} }

// answered counts a request.
func (s *statistics) answered(p *place, examples int, now time.Time, err error) {
	s.last.Store(now.UnixNano())
	took := now.Sub(p.came)
	if err != nil {
		s.fail.add(took)
		return
	}
	s.success.add(took)
	s.queue.add(p.wait)
	s.infer.add(p.ran)
	s.examples.Add(int64(max(1, examples)))
}

// executed counts a step.
func (s *statistics) executed(examples int, took time.Duration) {
	s.executions.Add(1)
	examples = max(1, examples)
	d, ok := s.sizes.Load(examples)
	if !ok {
		d, _ = s.sizes.LoadOrStore(examples, &duration{})
	}
	d.(*duration).add(took)
}

// V2Statistics are those of a version, with the names of the protocol's extension. What
// becomes of a request's inputs and outputs besides running is not told apart, so that
// compute_input and compute_output are 0; nothing is cached.
type V2Statistics struct {
	Name           string              `json:"name"`
	Version        string              `json:"version"`
	LastInference  int64               `json:"last_inference"`  // milliseconds since 1970
	InferenceCount int64               `json:"inference_count"` // examples of requests that succeeded
	ExecutionCount int64               `json:"execution_count"` // steps, which may serve several requests
	InferenceStats V2InferStatistics   `json:"inference_stats"`
	BatchStats     []V2BatchStatistics `json:"batch_stats"` // in the order of their sizes
}

// V2InferStatistics are times of requests: of all that succeeded and failed, and of the
// parts of the first.
type V2InferStatistics struct {
	Success       V2Duration `json:"success"`
	Fail          V2Duration `json:"fail"`
	Queue         V2Duration `json:"queue"`
	ComputeInput  V2Duration `json:"compute_input"`
	ComputeInfer  V2Duration `json:"compute_infer"`
	ComputeOutput V2Duration `json:"compute_output"`
	CacheHit      V2Duration `json:"cache_hit"`
	CacheMiss     V2Duration `json:"cache_miss"`
}

// V2BatchStatistics are times of steps with a number of examples.
type V2BatchStatistics struct {
	BatchSize     int64      `json:"batch_size"`
	ComputeInput  V2Duration `json:"compute_input"`
	ComputeInfer  V2Duration `json:"compute_infer"`
	ComputeOutput V2Duration `json:"compute_output"`
}

// A V2Duration is a number of times and their sum.
type V2Duration struct {
	Count int64 `json:"count"`
	NS    int64 `json:"ns"`
}

func (s *statistics) report(name string, version int64) V2Statistics {
	r := V2Statistics{
		Name: name, Version: strconv.FormatInt(version, 10), LastInference: s.last.Load() / int64(time.Millisecond),
		InferenceCount: s.examples.Load(), ExecutionCount: s.executions.Load(),
		InferenceStats: V2InferStatistics{Success: s.success.report(), Fail: s.fail.report(), Queue: s.queue.report(), ComputeInfer: s.infer.report()},
		BatchStats:     []V2BatchStatistics{},
	}
	s.sizes.Range(func(size, d any) bool {
		r.BatchStats = append(r.BatchStats, V2BatchStatistics{BatchSize: int64(size.(int)), ComputeInfer: d.(*duration).report()})
		return true
	})
	sorted.By(r.BatchStats, func(a, b V2BatchStatistics) int { return cmp.Compare(a.BatchSize, b.BatchSize) })
	return r
}

// V2Statistics returns the statistics of the available versions of a model, the greatest
// first, or of the version that the spec names; of all models if it names none. It fails
// with NOT_FOUND if there are none.
func (m *Manager) V2Statistics(s Spec) ([]V2Statistics, error) {
	list := []V2Statistics{}
	names := []string{s.Model}
	if s.Model == "" {
		names = m.Models()
	}
	for _, name := range names {
		m.mu.Lock()
		var of []*version
		if served := m.models[name]; served != nil && !m.closed {
			for n, v := range served.versions {
				if v.state == Available && (!s.HasVersion || n == s.Version) {
					of = append(of, v)
				}
			}
		}
		m.mu.Unlock()
		sorted.By(of, func(a, b *version) int { return cmp.Compare(b.number, a.number) })
		for _, v := range of {
			list = append(list, v.statistics.report(name, v.number))
		}
	}
	if s.Model != "" && len(list) == 0 {
		return nil, notFound(s)
	}
	return list, nil
}
