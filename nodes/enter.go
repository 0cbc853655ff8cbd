package nodes

import (
	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/nodes/unit/code"
	"github.com/troupe-go/troupe/tensor"
)

// actEnter brings its input, or death, into a frame. The first Enter to act makes
// the frame below the iteration that it acts in. A constant Enter's token goes to
// every iteration of the frame, also those to come, an ordinary one's to the
// first.
func actEnter(in []tensor.Value, dead bool) effect {
	if dead {
		return effect{verb: doEnter}
	}
	return effect{verb: doEnter, value: in[0]}
}

func (s *Step) playEnter(a activation, n *node) {
	in, ok := s.inputs(a, n)
	if !ok {
		return
	}
	v := actEnter(in, a.dead).value
	static := s.p.statics[n.aux]
	f := a.it.Child(static)
	if f == nil {
		f = s.frames.Enter(static, a.it)
	}
	f.PendingEnters--
	dead := v.IsZero()
	if u := s.unitOf(n.aux); u != nil && !f.Unfused {
		if !dead {
			v.Hold(1)
		}
		f.Queued = append(f.Queued, frames.Held{Node: a.node, Dead: dead, Value: v})
		s.drop(a.it, n)
		if f.PendingEnters == 0 {
			s.playLoop(u, f)
		}
		return
	}
	s.enter(f, a.node, dead, v)
	s.drop(a.it, n)
	s.settle(f)
}

// unitOf returns the unit that a frame is played as; nil if it is not.
func (s *Step) unitOf(f int32) *code.Unit {
	if !s.useUnits || s.p.units == nil {
		return nil
	}
	if u := s.p.units[f]; u == nil || !u.Waits || s.inbox != nil {
		return u
	}
	return nil
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
