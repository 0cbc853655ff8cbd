package profile

// Average returns a running average of costs in nanoseconds, 0 if not known, with one more
// measurement. One far above the average counts for less, as the goroutine may have been
// preempted while the clock ran; one far below replaces it.
func Average(old uint32, nanos int64) uint32 {
	x := uint64(min(max(nanos, 1), 1<<31))
	if old := uint64(old); old != 0 && 8*x > old {
		x = (3*old + min(x, 4*old)) / 4
	}
	return uint32(max(x, 1))
}
