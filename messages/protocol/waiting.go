package protocol

import "math/bits"

func trailing(w uint64) int { return bits.TrailingZeros64(w) }

// Idle lists the nodes that have not acted in one of the frame's iterations, as far
// as the frame has heard; of the root frame, all.
func (f *Frame) Idle(it *Iteration) []int32 {
	if f.Parent < 0 {
		return f.Members
	}
	var all []int32
	for local, n := range f.Members {
		if it.acted[local/64]&(1<<(local%64)) == 0 {
			all = append(all, n)
		}
	}
	return all
}
