package cellular

import "sync/atomic"

var batches, rows atomic.Int64

// Counts returns how many iterations of batches have run in the process, and of how many callers
// in all: their quotient is the mean size of a batch.
func Counts() (iterations, callers int64) { return batches.Load(), rows.Load() }
