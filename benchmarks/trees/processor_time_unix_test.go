//go:build unix

package trees_test

import (
	"syscall"
	"time"
)

// processorTime returns the time of processors that the process has taken: unlike time on
// the wall it does not depend on what else the machine does.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
