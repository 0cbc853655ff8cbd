package session

import (
	"math"
	"runtime/debug"
)

// assumedMemory is taken where the system does not tell how much there is.
const assumedMemory = 4 << 30

// defaultMemoryLimit is three quarters of the memory that the process may
// have: the machine's, its container's, or GOMEMLIMIT, whichever is least.
func defaultMemoryLimit() int64 {
	total := physicalMemory()
	if total <= 0 {
		total = assumedMemory
	}
	if limit := debug.SetMemoryLimit(-1); limit > 0 && limit < math.MaxInt64 {
		total = min(total, limit)
	}
	return total / 4 * 3
}
