//go:build !unix

package conformance

import "time"

var processStart = time.Now()

// processorTime returns wall-clock time: nothing better is portable.
func processorTime() time.Duration { return time.Since(processStart) }
