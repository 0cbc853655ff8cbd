package cluster

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/actors/remote"
	"github.com/troupe-go/troupe/cluster/protocol"
	"github.com/troupe-go/troupe/status"
)

// A parcel is a value that a message carries: a description, and buffers. A small one goes
// within the packet; of a large one the packet has the description and a ticket, by which the
// receiver fetches the buffers when it needs them.
type parcel struct {
	step    protocol.StepID // to which it belongs
	head    []byte
	buffers [][]byte
	span    []byte // of feeds: the span of the caller; nil: none
	record  bool   // of feeds: what nodes cost is wanted

	mu     sync.Mutex
	ticket uint64 // 0: none yet
}

// inline is how many bytes go within a packet.
const inline = 24 << 10

// total is what the buffers hold.
func (p *parcel) total() (n int) {
	for _, b := range p.buffers {
		n += len(b)
	}
	return n
}

// The forms of a parcel in a packet.
const (
	formNone byte = iota
	formInline
	formTicket // the buffers are fetched
	formLarge  // the head too
)

// appendParcel encodes a parcel. Its head is small, unless it is a registration's: then the
// head itself is among what is fetched.
func (s *shell) appendParcel(e *encoder, to protocol.Peer, p *parcel) {
	if p == nil {
		e.byte(formNone)
		return
	}
	defer func() {
		e.bytes(p.span)
		e.byte(boolByte(p.record))
	}()
	switch {
	case len(p.head)+p.total() <= inline:
		e.byte(formInline)
		e.bytes(p.head)
		e.uint(uint64(p.total()))
		for _, b := range p.buffers {
			e.b = append(e.b, b...)
		}
	case len(p.head) <= inline:
		e.byte(formTicket)
		e.bytes(p.head)
		e.uint(uint64(p.total()))
		e.uint(s.office.keep(p))
	default:
		e.byte(formLarge)
		e.uint(uint64(len(p.head)))
		e.uint(uint64(p.total()))
		e.uint(s.office.keep(p))
	}
}

// An arrival is a parcel that has come, whose buffers may have to be fetched.
type arrival struct {
	from   string
	ticket uint64 // 0: data is there
	data   []byte // the buffers, one after the other
	head   []byte
	heads  int // of a ticket: the size of the head
	total  int
	span   []byte
	record bool
}

func readArrival(d *decoder, from string) *arrival {
	switch form := d.byte(); form {
	case formNone:
		return nil
	case formInline:
		a := &arrival{from: from, head: d.bytes()}
		a.data = d.bytes()
		a.total = len(a.data)
		a.span, a.record = d.bytes(), d.byte() == 1
		return a
	case formTicket, formLarge:
		a := &arrival{from: from}
		var h uint64
		if form == formTicket {
			a.head = d.bytes()
		} else if h = d.uint(); h > maxHead {
			d.fail()
		}
		n := d.uint()
		if a.ticket = d.uint(); n > maxTotal || a.ticket == 0 {
			d.fail()
		}
		a.heads, a.total = int(h), int(n)
		a.span, a.record = d.bytes(), d.byte() == 1
		return a
	}
	d.fail()
	return nil
}

// maxHead bounds descriptions, which hold graphs, and maxTotal buffers.
const (
	maxHead  = 1 << 30
	maxTotal = 1 << 40
)

// headOf returns the description, fetched if need be.
func (a *arrival) headOf(ctx context.Context, e *remote.Endpoint) ([]byte, error) {
	if a.ticket == 0 || a.head != nil {
		return a.head, nil
	}
	head := make([]byte, a.heads)
	if err := e.Fetch(ctx, a.from, a.ticket<<1|1, [][]byte{head}); err != nil {
		return nil, err
	}
	a.head = head
	return head, nil
}

// fill fills buffers, which together have the arrival's size.
func (a *arrival) fill(ctx context.Context, e *remote.Endpoint, buffers [][]byte) error {
	n := 0
	for _, b := range buffers {
		n += len(b)
	}
	if n != a.total {
		return status.Errorf(status.DataLoss, "a parcel has %d bytes where %d are described", a.total, n)
	}
	if a.ticket != 0 {
		return e.Fetch(ctx, a.from, a.ticket<<1, buffers)
	}
	data := a.data
	for _, b := range buffers {
		data = data[copy(b, data):]
	}
	return nil
}

// An office keeps parcels until they have been fetched, or their steps are over.
type office struct {
	mu      sync.Mutex
	parcels map[uint64]*parcel
	next    atomic.Uint64
}

// keep gives a parcel a ticket, once.
func (o *office) keep(p *parcel) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ticket == 0 {
		p.ticket = o.next.Add(1)
		o.mu.Lock()
		if o.parcels == nil {
			o.parcels = map[uint64]*parcel{}
		}
		o.parcels[p.ticket] = p
		o.mu.Unlock()
	}
	return p.ticket
}

// blob is what another process fetches: the head of a ticket if the lowest bit is set, its
// buffers otherwise, with which the parcel has been delivered, unless it is a registration,
// which may be asked for again.
func (o *office) blob(_ string, ticket uint64) ([][]byte, func(error), error) {
	o.mu.Lock()
	p := o.parcels[ticket>>1]
	o.mu.Unlock()
	if p == nil {
		return nil, nil, status.Errorf(status.Aborted, "the tensor's step is over")
	}
	if ticket&1 == 1 {
		return [][]byte{p.head}, func(error) {}, nil
	}
	return p.buffers, func(err error) {
		if err == nil {
			o.drop(p)
		}
	}, nil
}

// drop forgets a parcel.
func (o *office) drop(p *parcel) {
	p.mu.Lock()
	ticket := p.ticket
	p.mu.Unlock()
	if ticket != 0 {
		o.mu.Lock()
		delete(o.parcels, ticket)
		o.mu.Unlock()
	}
}

// dropIf forgets the parcels of some steps.
func (o *office) dropIf(of func(protocol.StepID) bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for t, p := range o.parcels {
		if of(p.step) {
			delete(o.parcels, t)
		}
	}
}

// size returns how many parcels are kept.
func (o *office) size() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.parcels)
}
