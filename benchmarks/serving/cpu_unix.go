//go:build unix

package main

import (
	"syscall"
	"time"
)

// used returns the time of CPUs that the process has taken.
func used() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
