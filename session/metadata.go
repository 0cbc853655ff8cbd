package session

import (
	"runtime/metrics"
	"time"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/profile"
)

// StepStats is the cost of each node of a run. Package profile writes it as a trace for
// Chrome and Perfetto or as TensorFlow's RunMetadata, and accumulates many of them into
// a cost model.
type StepStats = profile.Stats

// A Sampler profiles many runs at a bounded cost; see [RunOptions].
type Sampler = profile.Sampler

// A Transfer is the traffic of one edge between devices.
type Transfer = profile.Transfer

// RunMetadata describes a finished run.
type RunMetadata struct {
	StepID int64
	Engine string
	Nodes  int // in the program: what the feeds and fetches need of the graph
	// Rewritten is the effect of each rewriting pass when the program was compiled.
	Rewritten []RewritePass
	Elapsed   time.Duration // of the step alone, without waiting for its turn
	// Stats is the cost of each node, if RunOptions.Profile was set.
	Stats *StepStats
	// Transfers is the traffic between devices by edge, if RunOptions.Profile was set
	// and there are several devices.
	Transfers []Transfer
	// Devices is the memory use of the session's accelerators after the run.
	Devices []DeviceMemory
	// Allocated is the number of bytes that the whole process, other goroutines
	// included, allocated on the Go heap during the run.
	Allocated uint64
}

// A stopwatch takes the figures of a RunMetadata.
type stopwatch struct {
	start     time.Time
	allocated uint64
}

func startWatch() stopwatch {
	return stopwatch{time.Now(), heapAllocated()}
}

func (w stopwatch) stop(m *RunMetadata, s *Session, p *program, step *kernel.Step) {
	*m = RunMetadata{
		StepID:    step.ID,
		Engine:    s.Engine(),
		Nodes:     p.nodes.NumNodes(),
		Rewritten: p.passes,
		Elapsed:   time.Since(w.start),
		Allocated: heapAllocated() - w.allocated,
		Devices:   s.accel.memory(),
	}
	if t := step.Transfers; t != nil {
		m.Transfers, step.Transfers = t.List(), nil
	}
	if r := step.Profile; r != nil {
		m.Stats, step.Profile = r.Stats(), nil
	}
}

func heapAllocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
