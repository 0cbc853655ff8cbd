package nodes

import (
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/tensor"
)

// actMerge returns what Merge and RefMerge do: it forwards the live input of the lowest
// position, and says on its second output which that is. It is dead if no input
// is alive; whether a control edge is dead does not matter. As it acts when every
// input that can come in the iteration has come (see mergeWaits), what it takes
// does not depend on the schedule.
func actMerge(in []tensor.Value) effect {
	for i := range in {
		if !in[i].IsZero() {
			return effect{verb: doMerge, port: int32(i), value: in[i]}
		}
	}
	return effect{verb: doDie}
}

func (s *Step) playMerge(a activation, n *node) {
	// Its inputs can be alive though an edge was dead.
	in, ok := s.inputs(activation{it: a.it, node: a.node}, n)
	if !ok {
		return
	}
	e := actMerge(in)
	if e.verb == doDie {
		s.die(a.it, n)
		return
	}
	s.emit(a.it, n, 0, e.value)
	if pt := s.p.ports[n.ports+1]; pt.lo != pt.hi {
		s.deliver(a.it, pt, tensor.Scalar(e.port))
	}
	s.control(a.it, n, false)
	s.drop(a.it, n)
}

// mergeWaits returns how many tokens a Merge waits for, in a frame's first iteration
// and in later ones, of those that from lists. In the first nothing comes from a
// NextIteration. Afterwards nothing comes from an Enter that is not constant, and
// one token from all NextIterations together, since a dead one sends none.
func mergeWaits(from []mergeInput) (first, later uint32) {
	next := false
	for _, f := range from {
		switch {
		case f.kind == kind.Next:
			next = true
		case f.kind == kind.Enter && !f.constant:
			first++
		default:
			first++
			later++
		}
	}
	if next {
		later++
	}
	return first, later
}

// A mergeInput is what a Merge must know of a node that sends to it.
type mergeInput struct {
	kind     kind.Kind
	constant bool // an Enter that is
}
