package nodes

import (
	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/nodes/unit"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// play runs an activation of a node that the machine plays itself.
func (s *Step) play(a activation, n *node) {
	switch n.kind {
	case kind.Forward, kind.LoopCond:
		s.playForward(a, n)
	case kind.NoOp:
		s.control(a.it, n, a.dead)
	case kind.Trigger:
		s.control(a.it, n, false)
	case kind.Const:
		s.playConst(a, n)
	case kind.Arg:
		s.emit(a.it, n, 0, s.feeds[n.aux])
		s.control(a.it, n, false)
	case kind.Retval:
		s.playRetval(a, n)
	case kind.Switch:
		s.playSwitch(a, n)
	case kind.SwitchN:
		s.playSwitchN(a, n)
	case kind.Merge:
		s.playMerge(a, n)
	case kind.Enter:
		s.playEnter(a, n)
	case kind.Exit:
		s.playExit(a, n)
	case kind.Next:
		s.playNext(a, n)
	}
}

// emit sends v on output o of n to nodes of iteration it.
func (s *Step) emit(it *frames.Iteration, n *node, o int32, v tensor.Value) {
	if pt := s.p.ports[n.ports+o]; pt.lo != pt.hi {
		s.deliver(it, pt, v)
	}
}

// kill sends death on output o of n to nodes of iteration it.
func (s *Step) kill(it *frames.Iteration, n *node, o int32) {
	if pt := s.p.ports[n.ports+o]; pt.lo != pt.hi {
		s.signal(it, pt, true)
	}
}

// control sends along n's control edges to nodes of iteration it.
func (s *Step) control(it *frames.Iteration, n *node, dead bool) {
	if pt := s.p.ports[n.ports+n.nout]; pt.lo != pt.hi {
		s.signal(it, pt, dead)
	}
}

// die does what a dead node does: death on every output, to iteration it.
func (s *Step) die(it *frames.Iteration, n *node) {
	for o := range n.nout + 1 {
		s.kill(it, n, o)
	}
}

// input takes the node's only input for one that hands it on.
func (s *Step) input(a activation, n *node, i int32) (tensor.Value, bool) {
	v := a.it.Inputs[n.in+i]
	if n.flags&flagDeref == 0 || !v.IsRef() || n.def != nil && n.def.InputTypes()[i].IsRef() {
		return v, true
	}
	r, ok := v.Cell().Read()
	if !ok {
		s.fail(a, uninitialized(v))
		return v, false
	}
	return r, true
}

// uninitialized is the error of reading an empty variable.
func uninitialized(v tensor.Value) error {
	name := ""
	if c, ok := v.Cell().(interface{ CellName() string }); ok {
		name = c.CellName()
	}
	return status.Errorf(status.FailedPrecondition, "Attempting to use uninitialized value %s", name)
}

func (s *Step) playForward(a activation, n *node) {
	if a.dead {
		s.die(a.it, n)
	} else {
		v, ok := s.input(a, n, 0)
		if !ok {
			return
		}
		s.emit(a.it, n, 0, v)
		s.control(a.it, n, false)
	}
	s.drop(a.it, n)
}

func (s *Step) playConst(a activation, n *node) {
	if a.dead {
		s.die(a.it, n)
		return
	}
	s.emit(a.it, n, 0, s.p.consts[n.aux])
	s.control(a.it, n, false)
}

// playRetval notes a fetch. One that comes twice was made in a loop.
func (s *Step) playRetval(a activation, n *node) {
	r := &s.results[n.aux]
	if a.dead {
		if r.state == fetchMissing {
			r.state = fetchDead
		}
		s.drop(a.it, n)
		return
	}
	if r.state == fetchLive {
		s.fail(a, status.Errorf(status.Internal, "Retval[%d] has already been set.", n.aux))
		return
	}
	v, ok := s.input(a, n, 0)
	if !ok {
		return
	}
	v.Hold(1)
	*r = result{v, fetchLive}
	s.drop(a.it, n)
}

// playSwitch sends input 0 to output 0 if input 1 is false, else to output 1;
// the other output is dead.
func (s *Step) playSwitch(a activation, n *node) {
	if a.dead {
		s.die(a.it, n)
		s.drop(a.it, n)
		return
	}
	v, ok := s.input(a, n, 0)
	if !ok {
		return
	}
	p, ok := s.input(a, n, 1)
	if !ok {
		return
	}
	if p.NumElements() != 1 {
		s.fail(a, notScalar(p))
		return
	}
	taken := int32(0)
	if tensor.At0[bool](&p) {
		taken = 1
	}
	s.kill(a.it, n, 1-taken)
	s.emit(a.it, n, taken, v)
	s.control(a.it, n, false)
	s.drop(a.it, n)
}

// notScalar is the error of a Switch whose predicate is not one value.
func notScalar(p tensor.Value) error {
	return status.Invalid("The second input must be a scalar, but it has shape %s", tensor.FormatDims(p.Dims()))
}

// playSwitchN sends input 0 to the output that input 1 numbers, the last one
// if there is no such output.
func (s *Step) playSwitchN(a activation, n *node) {
	if a.dead {
		s.die(a.it, n)
		s.drop(a.it, n)
		return
	}
	v, ok := s.input(a, n, 0)
	if !ok {
		return
	}
	p, ok := s.input(a, n, 1)
	if !ok {
		return
	}
	if p.NumElements() != 1 {
		s.fail(a, notScalar(p))
		return
	}
	taken := tensor.At0[int32](&p)
	if taken < 0 || taken >= n.nout {
		taken = n.nout - 1
	}
	for o := range n.nout {
		if o != taken {
			s.kill(a.it, n, o)
		}
	}
	s.emit(a.it, n, taken, v)
	s.control(a.it, n, false)
	s.drop(a.it, n)
}

// playMerge hands on the live input of the lowest position. It acts when every
// input that can come in this iteration has come, so what it takes does not
// depend on the schedule.
func (s *Step) playMerge(a activation, n *node) {
	for i := range n.nin {
		if a.it.Inputs[n.in+i].IsZero() {
			continue
		}
		v, ok := s.input(a, n, i)
		if !ok {
			return
		}
		s.emit(a.it, n, 0, v)
		if pt := s.p.ports[n.ports+1]; pt.lo != pt.hi {
			s.deliver(a.it, pt, tensor.Scalar(i))
		}
		s.control(a.it, n, false)
		s.drop(a.it, n)
		return
	}
	s.die(a.it, n)
}

// playEnter brings a value, or death, into a frame.
func (s *Step) playEnter(a activation, n *node) {
	static := s.p.statics[n.aux]
	f := a.it.Child(static)
	if f == nil {
		f = s.frames.Enter(static, a.it)
	}
	var v tensor.Value
	if !a.dead {
		var ok bool
		if v, ok = s.input(a, n, 0); !ok {
			return
		}
	}
	f.PendingEnters--
	if u := s.unitOf(n.aux); u != nil && !f.Apart {
		if !a.dead {
			v.Hold(1)
		}
		f.Queued = append(f.Queued, frames.Held{Node: a.node, Dead: a.dead, Value: v})
		s.drop(a.it, n)
		if f.PendingEnters == 0 {
			s.playLoop(u, f)
		}
		return
	}
	s.enter(f, a.node, a.dead, v)
	s.drop(a.it, n)
	s.settle(f)
}

// unitOf is the unit that a frame is played as; nil if it is not.
func (s *Step) unitOf(f int32) *unit.Unit {
	if !s.useUnits || s.p.units == nil {
		return nil
	}
	return s.p.units[f]
}

// enter lets what Enter node i brings into a frame.
func (s *Step) enter(f *frames.Instance, i int32, dead bool, v tensor.Value) {
	n := &s.p.nodes[i]
	if n.flags&flagConstant == 0 {
		s.arrive(f.Iteration(0), n, dead, v)
		return
	}
	if !dead {
		v.Hold(1)
	}
	f.Constants = append(f.Constants, frames.Held{Node: i, Dead: dead, Value: v})
	for k := range f.Alive() {
		s.arrive(f.At(k), n, dead, v)
	}
}

// arrive delivers what an Enter or NextIteration brings to an iteration.
func (s *Step) arrive(it *frames.Iteration, n *node, dead bool, v tensor.Value) {
	if dead {
		s.die(it, n)
		return
	}
	s.emit(it, n, 0, v)
	s.control(it, n, false)
}

// playExit sends a value out of its frame, which happens once. A dead one waits
// for the end of the frame.
func (s *Step) playExit(a activation, n *node) {
	f := a.it.Frame
	if a.dead {
		if a.it.Index == f.Newest() {
			f.DeadExits = append(f.DeadExits, a.node)
		}
	} else {
		v, ok := s.input(a, n, 0)
		if !ok {
			return
		}
		if f.Left[n.aux] {
			s.fail(a, s.leftTwice(a))
			return
		}
		f.Left[n.aux] = true
		s.arrive(f.Parent, n, false, v)
	}
	s.drop(a.it, n)
}

// leftTwice is the error of an Exit with a second value. Which iteration made
// which of the two depends on the schedule, so it names the frame's entry.
func (s *Step) leftTwice(a activation) error {
	f := a.it.Frame
	err := status.Invalid("an Exit of frame %q has a value in more than one iteration", f.Static.Name)
	err.Node, err.Op, err.Tag, err.Device = s.p.name(a.node), s.p.op(a.node), f.Parent.Tag(), s.p.device
	return err
}

// playNext sends a value to the next iteration, starting it if it may start.
// A dead one goes nowhere.
func (s *Step) playNext(a activation, n *node) {
	if !a.dead {
		v, ok := s.input(a, n, 0)
		if !ok {
			return
		}
		f := a.it.Frame
		switch {
		case a.it.Index < f.Newest():
			s.arrive(f.Iteration(a.it.Index+1), n, false, v)
		case f.Full():
			v.Hold(1)
			f.Queued = append(f.Queued, frames.Held{Node: a.node, Value: v})
		default:
			s.arrive(s.advance(f), n, false, v)
		}
	}
	s.drop(a.it, n)
}

// advance starts the next iteration of a frame: queued values first, then the
// constants.
func (s *Step) advance(f *frames.Instance) *frames.Iteration {
	it := s.frames.Advance(f)
	for _, h := range f.Queued {
		s.arrive(it, &s.p.nodes[h.Node], h.Dead, h.Value)
		s.arena.Drop(h.Value)
	}
	clear(f.Queued)
	f.Queued = f.Queued[:0]
	for _, h := range f.Constants {
		s.arrive(it, &s.p.nodes[h.Node], h.Dead, h.Value)
	}
	return it
}

// settle retires what has ended in a frame, and the frame, and so on outward.
func (s *Step) settle(f *frames.Instance) {
	for f.Parent != nil {
		for s.frames.Retire(f, s.giveBack) {
			if len(f.Queued) > 0 && !f.Full() {
				s.advance(f)
			}
		}
		if !f.Done() {
			return
		}
		parent := f.Parent
		for _, h := range f.Constants {
			s.arena.Drop(h.Value)
		}
		// While the dead exits are delivered the frame still counts as a child,
		// so the parent cannot retire under them.
		for _, x := range f.DeadExits {
			s.die(parent, &s.p.nodes[x])
		}
		s.frames.Leave(f)
		if parent.Outstanding > 0 {
			return
		}
		f = parent.Frame
	}
}
