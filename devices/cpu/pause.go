package cpu

import "runtime"

// backOff waits a moment for another goroutine that is in the middle of
// something, longer the more often it is called.
func backOff(spins *int) {
	if *spins++; *spins < 100 {
		pause()
	} else {
		runtime.Gosched()
	}
}
