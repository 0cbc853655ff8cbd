//go:build unix

package hostile

import (
	"math"
	"syscall"
	"time"
)

// processorTime returns the processor time that this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return math.MaxInt64 // the clock decides
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
