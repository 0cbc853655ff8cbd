package nodes

import "github.com/troupe-go/troupe/tensor"

// actForward returns what Identity, RefIdentity and LoopCond do: the input is the
// output. LoopCond only marks the predicate that a loop's Switches share.
func actForward(in []tensor.Value, dead bool) effect {
	if dead {
		return effect{verb: doDie}
	}
	return effect{verb: doPass, value: in[0]}
}

func (s *Step) playForward(a activation, n *node) {
	in, ok := s.inputs(a, n)
	if !ok {
		return
	}
	s.pass(a.it, n, actForward(in, a.dead))
	s.drop(a.it, n)
}
