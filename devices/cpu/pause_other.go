//go:build !amd64 && !arm64

package cpu

// pause tells the processor that this is a loop that waits, where Go can.
func pause() {}
