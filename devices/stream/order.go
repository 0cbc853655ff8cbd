package stream

import "github.com/troupe-go/troupe/devices"

// A Kind is one of a device's streams.
type Kind uint8

// The streams.
const (
	Compute Kind = iota
	HostToDevice
	DeviceToHost
	DeviceToDevice
	// Lent does no command itself: it follows what streams of other devices copy from this
	// one's memory.
	Lent
	Kinds // how many there are
)

var kindNames = [Kinds]string{"compute", "host-to-device", "device-to-host", "device-to-device", "lent"}

// String is such as "host-to-device".
func (k Kind) String() string { return kindNames[k] }

// A Place is that of the n-th work of a stream, from 1.
type Place struct {
	Stream Kind
	N      uint64
}

// An Order has the streams of one device.
type Order struct {
	last [Kinds]uint64 // works so far
	// known[s][t] is up to where stream s comes after stream t.
	known [Kinds][Kinds]uint64
}

// A Use is what a command does with a block.
type Use struct {
	Block  *Block
	Access devices.Access
}

// Add puts a command at the end of a stream. waits, of which it answers a longer slice,
// are the places in other streams that it must come after and that the stream has
// not waited for, at most one for each. One may follow from the one before, once that
// is waited for.
func (o *Order) Add(s Kind, uses []Use, waits []Place) (Place, []Place) {
	o.last[s]++
	n := o.last[s]
	var after [Kinds]uint64
	for _, u := range uses {
		b := u.Block
		if w := b.wrote; w.N > after[w.Stream] {
			after[w.Stream] = w.N
		}
		if u.Access&devices.Writes != 0 {
			for t, at := range b.read {
				after[t] = max(after[t], at)
			}
		}
	}
	for _, u := range uses { // a block may be there twice
		if u.Access&devices.Reads != 0 {
			u.Block.read[s] = n
		}
	}
	for _, u := range uses {
		if u.Access&devices.Writes != 0 {
			u.Block.wrote, u.Block.read = Place{s, n}, [Kinds]uint64{}
		}
	}
	for t, at := range after {
		if Kind(t) != s && at > o.known[s][t] {
			waits = append(waits, Place{Kind(t), at})
		}
	}
	return Place{s, n}, waits
}

// Last returns the place of the last command of a stream.
func (o *Order) Last(s Kind) Place { return Place{s, o.last[s]} }

// Waited says that stream s, at its end, waits for an event at place p, and so for
// all that p's stream had waited for when it recorded it.
func (o *Order) Waited(s Kind, p Place, known [Kinds]uint64) {
	o.known[s][p.Stream] = max(o.known[s][p.Stream], p.N)
	for t, at := range known {
		o.known[s][t] = max(o.known[s][t], at)
	}
}

// Known is up to where a stream comes after each other one.
func (o *Order) Known(s Kind) [Kinds]uint64 { return o.known[s] }
