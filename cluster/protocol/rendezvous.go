package protocol

import (
	"cmp"
	"slices"
)

// A Rendezvous is where the tensors of one step that other workers send meet their
// consumers on this worker, in either order.
type Rendezvous struct {
	arrived map[place]arrival
	wanted  map[place]bool
	offered map[place]bool
}

// A place is a key of one sender's.
type place struct {
	from Peer
	key  string
}

// An arrival is a tensor that has come and is not consumed.
type arrival struct {
	value any
	size  int64
}

// arrive takes a tensor, and returns whether a consumer waits for it, who is to get it.
// ok is false if one of that key is there already.
func (r *Rendezvous) arrive(p place, a arrival) (deliver, ok bool) {
	delete(r.offered, p)
	if r.wanted[p] {
		delete(r.wanted, p)
		return true, true
	}
	if _, twice := r.arrived[p]; twice {
		return false, false
	}
	if r.arrived == nil {
		r.arrived = map[place]arrival{}
	}
	r.arrived[p] = a
	return false, true
}

// want returns the tensor if it has come. If not, the consumer waits; ask reports
// whether the sender is to be asked for it.
func (r *Rendezvous) want(p place) (a arrival, come, ask bool) {
	if a, come = r.arrived[p]; come {
		delete(r.arrived, p)
		return a, true, false
	}
	if r.wanted == nil {
		r.wanted = map[place]bool{}
	}
	r.wanted[p] = true
	ask = r.offered[p]
	delete(r.offered, p)
	return a, false, ask
}

// offer notes that a tensor waits for credit, and reports whether it is to be asked for.
func (r *Rendezvous) offer(p place) (ask bool) {
	if r.wanted[p] {
		return true
	}
	if r.offered == nil {
		r.offered = map[place]bool{}
	}
	r.offered[p] = true
	return false
}

// places returns where tensors wait, in a fixed order.
func (r *Rendezvous) places() []place {
	all := make([]place, 0, len(r.arrived))
	for p := range r.arrived {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.key, b.key)) })
	return all
}

// forget drops what has come from a worker over a connection that is lost.
func (r *Rendezvous) forget(from Peer, out *Outbox) {
	for _, p := range r.places() {
		if p.from == from {
			out.drop(r.arrived[p].value)
			delete(r.arrived, p)
		}
	}
}
