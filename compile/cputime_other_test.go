//go:build !unix

package compile

import "time"

var began = time.Now()

// cpuTime is time on the wall, where there is nothing better.
func cpuTime() time.Duration { return time.Since(began) }
