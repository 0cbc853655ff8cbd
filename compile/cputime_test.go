//go:build unix

package compile

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that the process has taken outside the kernel:
// unlike time on the wall it does not depend on what else the machine does.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano())
}
