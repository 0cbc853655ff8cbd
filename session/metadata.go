package session

import (
	"runtime/metrics"
	"time"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/profile"
)

// StepStats is what the nodes of a run took; see package profile, which also writes it
// as a trace for Chrome and Perfetto, as TensorFlow's RunMetadata, and adds up many of
// them to a cost model.
type StepStats = profile.Stats

// A Sampler is a profile of many runs at a bounded cost; see [RunOptions].
type Sampler = profile.Sampler

// A Transfer is what went along one edge from device to device.
type Transfer = profile.Transfer

// RunMetadata tells what a run took.
type RunMetadata struct {
	StepID int64
	Engine string
	Nodes  int // in the program: what the feeds and fetches need of the graph
	// Rewritten is what each pass of rewriting did to the program when it was made.
	Rewritten []RewritePass
	Elapsed   time.Duration // of the step alone, without waiting for its turn
	// Stats is what each node took, if RunOptions.Profile asked for it.
	Stats *StepStats
	// Transfers is what went between devices, by edge, if RunOptions.Profile asked for it
	// and there are several.
	Transfers []Transfer
	// Devices is the memory of the session's accelerators after the run.
	Devices []DeviceMemory
	// Allocated is the bytes that the whole process allocated on the Go heap
	// meanwhile; other goroutines' allocations count too.
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
		Rewritten: p.nodes.Rewritten(),
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
