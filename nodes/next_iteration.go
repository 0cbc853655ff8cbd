package nodes

import (
	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/tensor"
)

// actNext sends its input to its frame's next iteration, which starts with
// the first token for it, as soon as fewer than parallel_iterations are alive. A
// dead one tells nobody: that is how loops end.
func actNext(in []tensor.Value, dead bool) effect {
	if dead {
		return effect{verb: doNothing}
	}
	return effect{verb: doIterate, value: in[0]}
}

func (s *Step) playNext(a activation, n *node) {
	in, ok := s.inputs(a, n)
	if !ok {
		return
	}
	f, e := a.it.Frame, actNext(in, a.dead)
	switch {
	case e.verb == doNothing:
	case a.it.Index < f.Newest():
		s.arrive(f.Iteration(a.it.Index+1), n, false, e.value)
	case f.Full():
		e.value.Hold(1)
		f.Queued = append(f.Queued, frames.Held{Node: a.node, Value: e.value})
	default:
		s.arrive(s.advance(f), n, false, e.value)
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
