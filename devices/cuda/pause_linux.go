package cuda

import (
	"syscall"
	"time"
)

// pause sleeps for so long, or some 50 µs more. Go's timers wake an idle process after a
// millisecond.
func pause(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&t, nil) // woken early it looks early
}
