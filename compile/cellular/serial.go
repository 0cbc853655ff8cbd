package cellular

import (
	"sync/atomic"
	"time"
)

// lanes is how many lanes there are in the process.
var lanes atomic.Int64

// serial is the pool of a lane where each core has one of its own: what it shares out it does
// itself.
type serial struct{}

// Parallel calls f for ranges as long as those of the CPU device's pool, so that results are the
// same.
func (serial) Parallel(n, grain int, f func(lo, hi int)) {
	size := max(grain, 1)
	if most := 256; n > most*size {
		size *= (n-1)/(most*size) + 1
	}
	for lo := 0; lo < n; lo += size {
		f(lo, min(lo+size, n))
	}
}

// Workers is 1.
func (serial) Workers() int { return 1 }

// Expect does nothing.
func (serial) Expect(time.Duration) {}
