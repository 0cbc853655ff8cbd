package cpu

import (
	"sync/atomic"
	"time"
)

// A crowd is whether other programs, or other goroutines of this one, want the processors
// too. The scheduler then takes the processor from a goroutine that spins in order to give
// it to them, and later lets it wait for as long when it has work; one that sleeps instead
// has its processor soon after it is woken. So nobody spins for a while after a spinning
// goroutine has lost its processor, and for twice as long each time that happens again.
type crowd struct {
	until  atomic.Int64 // since the pool's epoch
	period atomic.Int64 // how long it lasts
}

// lasts reports whether the machine is taken to be crowded.
func (c *crowd) lasts(now time.Duration) bool { return int64(now) < c.until.Load() }

// found notes that a goroutine has lost its processor.
func (c *crowd) found(now time.Duration) {
	until, period := time.Duration(c.until.Load()), time.Duration(c.period.Load())
	switch {
	case now < until: // another goroutine has noted it
		return
	case period > 0 && now-until < period:
		period = min(2*period, mostCrowded)
	default:
		period = leastCrowded
	}
	c.period.Store(int64(period))
	c.until.Store(int64(now + period))
}
