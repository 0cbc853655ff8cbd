package session

import (
	"runtime/metrics"
	"time"
)

// RunMetadata tells what a run took.
type RunMetadata struct {
	StepID int64
	Engine string
	Nodes  int // in the program: what the feeds and fetches need of the graph
	// Rewritten is what each pass of rewriting did to the program when it was made.
	Rewritten []RewritePass
	Elapsed   time.Duration // of the step alone, without waiting for its turn
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

func (w stopwatch) stop(m *RunMetadata, s *Session, p *program, step int64) {
	*m = RunMetadata{
		StepID:    step,
		Engine:    s.Engine(),
		Nodes:     p.nodes.NumNodes(),
		Rewritten: p.nodes.Rewritten(),
		Elapsed:   time.Since(w.start),
		Allocated: heapAllocated() - w.allocated,
	}
}

func heapAllocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
