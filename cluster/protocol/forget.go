package protocol

// A forgetting decides when a process that is not connected is forgotten: when nothing has
// needed it, and it has sent nothing, for twice the patience. Otherwise a worker would dial,
// or keep, each process that has ever reached it.
type forgetting struct {
	// counter is the highest number of a connection with a process that was forgotten. Later
	// links count from there: packets of those connections may still be on their way, and
	// must not open one.
	counter uint64
}

// due counts a beat of a link, and reports whether its process is to be forgotten. idle is
// the link's; what comes from the process resets it.
func (f *forgetting) due(l *Link, idle *int, needed bool, patience int) bool {
	if l.Open() || needed {
		*idle = 0
		return false
	}
	if *idle++; *idle < 2*max(patience, minPatience) {
		return false
	}
	f.counter = max(f.counter, l.Counter())
	return true
}
