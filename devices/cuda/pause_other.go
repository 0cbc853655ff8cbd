//go:build !linux

package cuda

import "time"

func pause(d time.Duration) { time.Sleep(d) }
