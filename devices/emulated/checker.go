package emulated

import (
	"slices"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
)

// A clock is a vector clock: how many commands of each agent have happened, by device. A
// device's agents are the host, as far as it is about that device, and then its queues.
// What is missing is 0.
type clock []part

type part struct {
	of *Device
	n  []uint64
}

func (c *clock) set(of *Device, agent int, n uint64) {
	i := slices.IndexFunc(*c, func(p part) bool { return p.of == of })
	if i < 0 {
		i = len(*c)
		*c = append(*c, part{of: of})
	}
	p := &(*c)[i]
	for len(p.n) <= agent {
		p.n = append(p.n, 0)
	}
	p.n[agent] = n
}

// join takes in another clock, but for what is about devices that have ended.
func (c *clock) join(other clock) {
	for _, p := range other {
		if p.of.over.Load() {
			continue
		}
		for agent, n := range p.n {
			if !c.has(p.of, agent, n) {
				c.set(p.of, agent, n)
			}
		}
	}
}

// has reports whether work n of an agent has happened.
func (c clock) has(of *Device, agent int, n uint64) bool { return n <= c.count(of, agent) }

// count returns how many commands of an agent have happened.
func (c clock) count(of *Device, agent int) uint64 {
	for _, p := range c {
		if p.of == of && agent < len(p.n) {
			return p.n[agent]
		}
	}
	return 0
}

func (c clock) clone() clock {
	own := slices.Clone(c)
	for i := range own {
		own[i].n = slices.Clone(own[i].n)
	}
	return own
}

// devices calls f, locked, for each device that the clock knows something of.
func (c clock) devices(f func(d *Device)) {
	for _, p := range c {
		p.of.mu.Lock()
		f(p.of)
		p.of.mu.Unlock()
	}
}

// A touch is a command's access to a piece of memory.
type touch struct {
	work  *work
	of    *Device // whose agent
	agent int
	at    uint64 // the agent's count
}

// who returns the command, with its device if that is not d.
func (t *touch) who(d *Device) string {
	if t.of == d {
		return t.work.String()
	}
	return t.work.at(t.of)
}

// A memory is a buffer of the device or of the host, with its last accesses.
// The device's lock guards it.
type memory struct {
	device *Device
	name   string
	host   bool
	size   int64
	bytes  []byte
	wrote  *touch   // the last that wrote it; nil: nobody
	read   []*touch // since, the last of each agent
	freed  *work    // who released it
}

// check reports whether clock, that of command w of a device's agent, orders an access after all
// that it must come after, and records it.
func (m *memory) check(w *work, access devices.Access, of *Device, agent int, at clock) error {
	if m.freed != nil {
		return status.Errorf(status.Internal, "%s uses %s, which was released", w, m.name)
	}
	if m.wrote == nil && access&devices.Reads != 0 {
		return status.Errorf(status.Internal, "%s reads %s, which was never written", w, m.name)
	}
	unordered := func(t *touch, does, did string) error {
		first, second := (&touch{work: w, of: of}).who(m.device), t.who(m.device)
		return status.Errorf(status.Internal, "nothing orders %s, which %s %s, after %s, which %s it", first, does, m.name, second, did)
	}
	does := "reads"
	if access&devices.Writes != 0 {
		does = "writes"
	}
	if m.wrote != nil && !m.settled(m.wrote, at, agent) {
		return unordered(m.wrote, does, "writes")
	}
	if access&devices.Writes != 0 {
		for _, t := range m.read {
			if !m.settled(t, at, agent) {
				return unordered(t, does, "reads")
			}
		}
		m.wrote, m.read = &touch{w, of, agent, at.count(of, agent)}, nil
		return nil
	}
	t := &touch{w, of, agent, at.count(of, agent)}
	for i := range m.read {
		if m.read[i].of == of && m.read[i].agent == agent {
			m.read[i] = t
			return nil
		}
	}
	m.read = append(m.read, t)
	return nil
}

// settled reports whether a touch comes before what an agent does at a clock. The host
// also knows what it was told. A device that has ended touches nothing.
func (m *memory) settled(t *touch, at clock, agent int) bool {
	return at.has(t.of, t.agent, t.at) || (agent == 0 || m.host) && m.device.done.has(t.of, t.agent, t.at) || t.of.over.Load()
}

// quiet reports whether nobody is at the memory any more, as far as the host was told.
func (m *memory) quiet() bool {
	for _, t := range append(slices.Clone(m.read), m.wrote) {
		if t != nil && !m.settled(t, m.device.clock, 0) {
			return false
		}
	}
	return true
}

// Size is in bytes.
func (m *memory) Size() int64 { return m.size }

// host is the command that stands for whatever the host does itself.
var host = &work{name: "the host"}

// Bytes returns a use by the host.
func (m *memory) Bytes() []byte {
	d := m.device
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clock.set(d, 0, d.clock.count(d, 0)+1)
	if err := m.check(host, devices.Writes, d, 0, d.clock); err != nil {
		d.fail(err)
		d.wake()
	}
	return m.bytes[:m.size]
}

// Release poisons the memory, so that a later use of it is found.
func (m *memory) Release() {
	d := m.device
	d.mu.Lock()
	defer d.mu.Unlock()
	if m.freed == nil && !d.closed && d.err == nil {
		for _, t := range append(slices.Clone(m.read), m.wrote) {
			if t != nil && !m.settled(t, d.clock, 0) {
				d.fail(status.Errorf(status.Internal, "%s is released while %s may still use it", m.name, t.who(d)))
				d.wake()
				break
			}
		}
	}
	if m.freed != nil {
		d.fail(status.Errorf(status.Internal, "%s is released twice", m.name))
		d.wake()
		return
	}
	m.freed = host
	if !m.host {
		d.used -= m.size
	}
	if d.err == nil {
		fill(m.bytes)
	}
}

// fill poisons memory.
func fill(b []byte) {
	for i := range b {
		b[i] = poison
	}
}
