//go:build !unix

package hostile

import (
	"math"
	"time"
)

// processorTime is not known: the clock decides.
func processorTime() time.Duration { return math.MaxInt64 }
