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
	Ready   State = iota // it has not begun, or was parked for others that could go on
	Waiting              // it was parked until a kernel is done, whose outputs come to its slots
	Over                 // it has come to its end, or failed
)

// patienceMost is how many operations that may wait a unit plays one after another
// while others could go on.
const patienceMost = 64

// Begin prepares the machine of a loop, whose Enters have come, for [Machine.Resume].
func (m *Machine) Begin(env *Env) {
	m.env, m.fault, m.at, m.busy = env, nil, nil, false
	m.pc, m.state, m.patience, m.started = 0, Ready, patienceMost, m.started[:0]
}

// Resume plays the unit until it is parked or comes to its end: it returns true at
// its end. Otherwise [Machine.State] tells whether it was parked. One that waits for a
// kernel may go on when the kernel is done, with its outputs.
func (m *Machine) Resume() bool {
	if m.state == Waiting && !m.goOn() {
		return false
	}
	if m.env.Meter != nil {
		return m.execMetered()
	}
	return m.exec()
}

// goOn takes the outputs of what the machine has waited for.
func (m *Machine) goOn() bool {
	m.state = Over
	if len(m.started) == 0 {
		return m.took(m.at)
	}
	for i, c := range m.started {
		in := m.env.Started(i, m.slab[c.Out:c.Out+c.Nout])
		if !m.outputs(c) {
			return false
		}
		for k, v := range in {
			in[k] = tensor.Value{}
			m.env.Ctx.Arena.Drop(v)
		}
	}
	m.started = m.started[:0]
	return true
}

// start begins to run a kernel that may wait. What is not done has its own inputs and
// outputs: nothing of it is in the slots before it is awaited.
func (m *Machine) start(c *code.Call, pc int) int {
	if m.env.Alarm.Load() && !m.env.Attend() {
		return halt
	}
	m.patience--
	in, out := m.bring(c)
	done, err := m.env.Start(c.Kernel, c.Node, in, out)
	switch {
	case err != nil:
		return m.fail(c.Node, c.Loop, err)
	case done:
		if !m.took(c) {
			return halt
		}
		return pc
	}
	for _, v := range in {
		if !v.Plain() {
			v.Hold(1)
		}
	}
	m.give(c)
	m.busy = false
	m.started = append(m.started, c)
	return pc
}

// await parks the machine until all is done that was started, or for others that could go on.
func (m *Machine) await(pc int) int {
	if len(m.started) > 0 {
		m.pc, m.state = int32(pc), Waiting
		return halt
	}
	if m.patience <= 0 && m.yields(pc) {
		return halt
	}
	return pc
}

// yields parks the machine before the instruction pc if others could go on.
func (m *Machine) yields(pc int) bool {
	m.patience = patienceMost
	if !m.env.Others() {
		return false
	}
	m.pc, m.state = int32(pc), Ready
	return true
}

// bring brings the inputs of a call to where they are wanted.
func (m *Machine) bring(c *code.Call) (in, out []tensor.Value) {
	slab := m.slab
	for _, g := range c.Gathers {
		slab[g.To] = slab[g.From]
	}
	m.at, m.busy = c, true
	out = slab[c.Out : c.Out+c.Nout : c.Out+c.Nout]
	for i := range out {
		if o := &out[i]; !o.IsZero() {
			*o = tensor.Value{}
		}
	}
	return slab[c.In : c.In+c.Nin : c.In+c.Nin], out
}

// State returns whether the machine can go on.
func (m *Machine) State() State { return m.state }

// wait runs a kernel that may wait. The slots of its inputs and outputs stay as they are
// until it is done: nothing else of the machine runs.
func (m *Machine) wait(c *code.Call, pc int) int {
	if m.env.Alarm.Load() && !m.env.Attend() {
		return halt
	}
	if m.patience--; m.patience <= 0 && m.yields(pc-1) {
		return halt
	}
	in, out := m.bring(c)
	done, err := m.env.Wait(c.Kernel, c.Node, in, out)
	switch {
	case err != nil:
		return m.fail(c.Node, c.Loop, err)
	case !done:
		m.pc, m.state = int32(pc), Waiting
		return halt
	case !m.took(c):
		return halt
	}
	return pc
}

// took takes the outputs of a kernel that may wait, and gives up its inputs.
func (m *Machine) took(c *code.Call) bool {
	if !m.outputs(c) {
		return false
	}
	m.give(c)
	m.busy = false
	return true
}

// outputs takes the outputs of a kernel that may wait.
func (m *Machine) outputs(c *code.Call) bool {
	out := m.slab[c.Out : c.Out+c.Nout]
	for o := range out {
		if v := &out[o]; v.Plain() {
			if v.IsZero() && !c.Unread.Has(o) {
				m.fail(c.Node, c.Loop, status.Errorf(status.Internal, "the kernel left output %d without a value", o))
				return false
			}
		} else if c.Plain || c.Unread.Has(o) {
			m.unheld(c, v)
		} else {
			v.Hold(1)
		}
	}
	return true
}

// give gives up inputs of a call.
func (m *Machine) give(c *code.Call) {
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
}
