package streams

import (
	"sync/atomic"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/stream"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Memory is a piece of a device's memory. It has one owner, who releases it.
type Memory struct {
	of    *incarnation
	block *stream.Block
	size  int64
	wrote bool // a command that writes it was handed over; the incarnation's lock guards it, and what follows
	lent  int  // copies by other devices that are not known to have ended
	freed bool // its owner has released it; the pool gets the block when nothing is lent
	fault atomic.Pointer[status.Error]
}

var _ devices.Buffer = (*Memory)(nil)

// Size is in bytes.
func (m *Memory) Size() int64 { return m.size }

// Multiplies reports whether the driver multiplies matrices of a type by a library.
func (m *Memory) Multiplies(t tensor.DType) bool {
	d, ok := m.of.driver.(devices.Multiplier)
	return ok && d.Multiplies(t)
}

// Release gives the memory back; commands that were enqueued before still have it.
func (m *Memory) Release() {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.freed = true
	m.rest()
}

// rest gives the block to the pool if nobody needs it any more. The incarnation is locked.
func (m *Memory) rest() {
	if m.freed && m.lent == 0 && m.block != nil {
		m.of.pool.Release(m.block)
		m.block = nil
	}
}

// returned says that another device has ended a copy of the memory.
func (m *Memory) returned() {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.lent--
	m.rest()
}

// Lost is why the device does not have the memory any more, UNAVAILABLE; nil: it has.
func (d *Device) Lost(b devices.Buffer) error {
	m, err := d.memory(b)
	if err != nil {
		return err
	}
	return m.of.ended()
}

// Fault is why the memory has no contents: the error of the command that should have
// written it. It is known once an After behind that command was called.
func (m *Memory) Fault() error {
	if err := m.fault.Load(); err != nil {
		return err
	}
	return nil
}

func (m *Memory) fail(err error) { m.fault.CompareAndSwap(nil, status.From(err)) }

// use notes a use by the next command, and answers the driver's buffer. The incarnation
// is locked.
func (g *incarnation) use(m *Memory, access devices.Access) (devices.Buffer, error) {
	if m.of != g {
		return nil, status.Errorf(status.Unavailable, "device %s has restarted: incarnation %d has lost its memory", m.of.attributes.Name, m.of.attributes.Incarnation)
	}
	if m.freed {
		return nil, status.Errorf(status.Internal, "device %s: memory is used after its release", g.attributes.Name)
	}
	switch {
	case access&devices.Writes != 0:
		m.wrote = true
	case !m.wrote:
		return nil, status.Errorf(status.Internal, "device %s: memory is read that was never written", g.attributes.Name)
	}
	g.uses = append(g.uses, stream.Use{Block: m.block, Access: access})
	return m.block.Buffer, nil
}
