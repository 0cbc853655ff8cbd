//go:build !unix

package trees_test

import "time"

var began = time.Now()

// processorTime returns the time on the wall, where that of processors is not known.
func processorTime() time.Duration { return time.Since(began) }
