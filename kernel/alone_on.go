//go:build invariants

package kernel

import "sync/atomic"

// alone counts the work that a kernel has shared out and that is not done yet. A step's
// memory belongs to the goroutine that runs the kernel: ranges take theirs from a [SharedScratch].
type alone struct{ open int32 }

func (s *alone) begin() { atomic.AddInt32(&s.open, 1) }
func (s *alone) end()   { atomic.AddInt32(&s.open, -1) }

// none panics if work is shared out.
func (s *alone) none(what string) {
	if atomic.LoadInt32(&s.open) > 0 {
		panic("invariant: " + what + " while work is shared out")
	}
}
