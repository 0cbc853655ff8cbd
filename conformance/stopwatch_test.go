package conformance

import "time"

// A stopwatch measures what something takes: by the clock, or in processor time of the
// whole process if that is less, so that a busy machine does not count.
type stopwatch struct {
	at   time.Time
	used time.Duration
}

func startWatch() stopwatch { return stopwatch{time.Now(), processorTime()} }

func (w stopwatch) elapsed() time.Duration {
	return max(min(time.Since(w.at), processorTime()-w.used), 0)
}
