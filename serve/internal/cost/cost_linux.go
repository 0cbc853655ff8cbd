// Package cost measures what benchmarks of servers take.
package cost

import (
	"syscall"
	"testing"
	"time"
)

// Loop runs the loop of a benchmark and reports the time of CPUs that an operation takes,
// which hardly depends on what else the machine does.
func Loop(b *testing.B, op func()) {
	op()
	began := used()
	n := 0
	for b.Loop() {
		op()
		n++
	}
	b.ReportMetric(float64((used()-began).Microseconds())/float64(n), "CPU-µs/op")
}

func used() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
