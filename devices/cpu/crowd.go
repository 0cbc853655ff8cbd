package cpu

import "time"

// A crowd is whether others want the processor of a worker too: other programs, or other
// goroutines of this one. The scheduler then takes it from a worker that spins in order to
// give it to them, and later lets the worker wait for as long when it has work; one that
// sleeps instead has its processor soon after it is woken. So a worker that has lost its
// processor while it span does not spin for a while, and for twice as long each time that
// happens again. Workers on other processors go on: on a large machine a few of them are
// crowded.
type crowd struct {
	until  time.Duration // since the pool's epoch
	period time.Duration // how long it lasts
}

// lasts reports whether the processor is taken to be crowded.
func (c *crowd) lasts(now time.Duration) bool { return now < c.until }

// found notes that the worker has lost its processor.
func (c *crowd) found(now time.Duration) {
	if c.period > 0 && now-c.until < c.period {
		c.period = min(2*c.period, mostCrowded)
	} else {
		c.period = leastCrowded
	}
	c.until = now + c.period
}
