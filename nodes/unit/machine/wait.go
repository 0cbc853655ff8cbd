package machine

import (
	"github.com/troupe-go/troupe/nodes/unit/code"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A State says whether a machine can go on.
type State uint8

// The states.
const (
	Ready   State = iota // it has not begun, or was put aside for others that could go on
	Waiting              // it was put aside until a kernel is done, whose outputs come to its slots
	Over                 // it has come to its end, or failed
)

// patienceMost is how many operations that may wait a unit plays one after another
// while others could go on.
const patienceMost = 64

// Begin prepares the machine of a loop, whose Enters have come, for [Machine.Resume].
func (m *Machine) Begin(env *Env) {
	m.env, m.fault, m.at, m.busy = env, nil, nil, false
	m.pc, m.state, m.patience = 0, Ready, patienceMost
}

// Resume plays the unit until it is put aside or comes to its end: it returns true at
// its end. Otherwise [Machine.State] tells whether it was put aside. One that waits for a
// kernel may go on when the kernel is done, with its outputs.
func (m *Machine) Resume() bool {
	if m.state == Waiting && !m.took(m.at) {
		m.state = Over
		return false
	}
	m.state = Over
	if m.env.Meter != nil {
		return m.execMetered()
	}
	return m.exec()
}

// State returns whether the machine can go on.
func (m *Machine) State() State { return m.state }

// wait runs a kernel that may wait. The slots of its inputs and outputs stay as they are
// until it is done: nothing else of the machine runs.
func (m *Machine) wait(c *code.Call) int {
	if m.env.Alarm.Load() && !m.env.Attend() {
		return failed
	}
	if m.patience--; m.patience <= 0 {
		if m.patience = patienceMost; m.env.Others() {
			m.state = Ready
			return yields
		}
	}
	slab := m.slab
	for _, g := range c.Gathers {
		slab[g.To] = slab[g.From]
	}
	m.at, m.busy = c, true
	out := slab[c.Out : c.Out+c.Nout : c.Out+c.Nout]
	for i := range out {
		if o := &out[i]; !o.IsZero() {
			*o = tensor.Value{}
		}
	}
	done, err := m.env.Wait(c.Kernel, c.Node, slab[c.In:c.In+c.Nin:c.In+c.Nin], out)
	switch {
	case err != nil:
		m.fail(c.Node, c.Loop, err)
		return failed
	case !done:
		m.state = Waiting
		return waits
	case !m.took(c):
		return failed
	}
	return passed
}

// took takes the outputs of a kernel that may wait, and gives up its inputs.
func (m *Machine) took(c *code.Call) bool {
	out := m.slab[c.Out : c.Out+c.Nout]
	for o := range out {
		if v := &out[o]; v.Plain() {
			if v.IsZero() && !c.Unread.Has(o) {
				return m.fail(c.Node, c.Loop, status.Errorf(status.Internal, "the kernel left output %d without a value", o))
			}
		} else if c.Plain || c.Unread.Has(o) {
			m.unheld(c, v)
		} else {
			v.Hold(1)
		}
	}
	for i := range c.Gives {
		g := &c.Gives[i]
		if g.Home >= 0 && !m.slab[g.Home].Plain() {
			m.slab[g.Home] = tensor.Value{}
		}
		if v := m.slab[g.Slot]; !v.Plain() {
			m.slab[g.Slot] = tensor.Value{}
			m.env.Ctx.Arena.Drop(v)
		}
	}
	m.busy = false
	return true
}
