package nodes

import (
	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// actExit sends its input out of its frame, which it does once. A dead one waits for
// the end of the frame: in all iterations but the last it is dead as the loop
// goes on, and tells nobody.
func actExit(in []tensor.Value, dead bool) effect {
	if dead {
		return effect{verb: doLinger}
	}
	return effect{verb: doLeave, value: in[0]}
}

func (s *Step) playExit(a activation, n *node) {
	in, ok := s.inputs(a, n)
	if !ok {
		return
	}
	f, e := a.it.Frame, actExit(in, a.dead)
	switch {
	case e.verb == doLeave && f.Left[n.aux]:
		s.fail(a, s.leftTwice(a))
		return
	case e.verb == doLeave:
		f.Left[n.aux] = true
		s.arrive(f.Parent, n, false, e.value)
	case a.it.Index == f.Newest():
		f.DeadExits = append(f.DeadExits, a.node)
	}
	s.drop(a.it, n)
}

// leftTwice returns the error of an Exit with a second value. Which iteration made
// which of the two depends on the schedule, so it names the frame's entry.
func (s *Step) leftTwice(a activation) error {
	f := a.it.Frame
	err := status.Invalid("an Exit of frame %q has a value in more than one iteration", f.Static.Name)
	err.Node, err.Op, err.Tag, err.Device = s.p.name(a.node), s.p.op(a.node), f.Parent.Tag(), s.p.Device(a.node)
	return err
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
