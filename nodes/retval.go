package nodes

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// actRetval takes what is fetched, dead or alive. Alive it may come once: a second
// value is one of another iteration of a loop, and nothing says which is meant.
func actRetval(in []tensor.Value, dead bool) effect {
	if dead {
		return effect{verb: doFetch}
	}
	return effect{verb: doFetch, value: in[0]}
}

func (s *Step) playRetval(a activation, n *node) {
	in, ok := s.inputs(a, n)
	if !ok {
		return
	}
	e, r := actRetval(in, a.dead), &s.results[n.aux]
	switch {
	case e.value.IsZero():
		if r.state == fetchMissing {
			r.state = fetchDead
		}
	case r.state == fetchLive:
		s.fail(a, status.Errorf(status.Internal, "Retval[%d] has already been set.", s.p.fetch(n.aux)))
		return
	default:
		e.value.Hold(1)
		*r = result{e.value, fetchLive}
	}
	s.drop(a.it, n)
}
