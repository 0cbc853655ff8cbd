package protocol

import "slices"

// A neighbour is another process, as a master or a worker sees it.
type neighbour struct {
	link *Link
	flow flow // between workers
	idle int  // beats for which it has been due to be forgotten
}

// Neighbours are the processes that a process has links with.
type neighbours struct {
	at    map[Peer]*neighbour
	order []Peer
	// counter is the highest number of a connection with a process that was forgotten. Later
	// links count from there: packets of those connections may still be on their way, and
	// must not open one.
	counter uint64
}

// add returns the process at an address, with a link of the config's patience if it is new.
func (ns *neighbours) add(p Peer, self Incarnation, dials bool, config *Config) *neighbour {
	n := ns.at[p]
	if n == nil {
		n = &neighbour{link: NewLink(self, dials, config.Patience, ns.counter)}
		ns.at[p] = n
		i, _ := slices.BinarySearch(ns.order, p)
		ns.order = slices.Insert(ns.order, i, p)
	}
	return n
}

// forget forgets processes that are not connected, that nothing has needed, and that have sent
// nothing, for twice the patience. Otherwise a process would dial, or keep, each one that it has
// ever had a link with. It is called in each period of the timer; what comes from a process
// resets its idle.
func (ns *neighbours) forget(config *Config, needed func(Peer) bool, out *Outbox) {
	ns.order = slices.DeleteFunc(ns.order, func(p Peer) bool {
		n := ns.at[p]
		if n.link.Open() || needed(p) {
			n.idle = 0
			return false
		}
		if n.idle++; n.idle < 2*config.patience() {
			return false
		}
		ns.counter = max(ns.counter, n.link.Counter())
		delete(ns.at, p)
		out.do(Effect{Kind: Forget, Peer: p})
		return true
	})
}

// cancel drops what is blocked of steps, to all processes.
func (ns *neighbours) cancel(of func(StepID) bool, out *Outbox) {
	for _, p := range ns.order {
		ns.at[p].flow.cancel(of, out)
	}
}
