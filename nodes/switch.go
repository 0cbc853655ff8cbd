package nodes

import (
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/tensor"
)

// actSwitch returns what Switch and RefSwitch do: input 0 goes to output 0 if the
// predicate, input 1, is false, else to output 1. The other output is dead: what
// only it leads to never acts.
func actSwitch(in []tensor.Value, dead bool) effect {
	if dead {
		return effect{verb: doDie}
	}
	p := in[1]
	if p.NumElements() != 1 {
		return effect{verb: doRefuse, value: p}
	}
	taken := int32(0)
	if tensor.At0[bool](&p) {
		taken = 1
	}
	return effect{verb: doChoose, port: taken, value: in[0]}
}

// actSwitchN returns what _SwitchN does: input 0 goes to the output that the index, input
// 1, numbers, to the last one if there is no such output. The others are dead.
func actSwitchN(in []tensor.Value, dead bool, outs int32) effect {
	if dead {
		return effect{verb: doDie}
	}
	p := in[1]
	if p.NumElements() != 1 {
		return effect{verb: doRefuse, value: p}
	}
	taken := tensor.At0[int32](&p)
	if taken < 0 || taken >= outs {
		taken = outs - 1
	}
	return effect{verb: doChoose, port: taken, value: in[0]}
}

func (s *Step) playSwitch(a activation, n *node) {
	in, ok := s.inputs(a, n)
	if !ok {
		return
	}
	var e effect
	if n.kind == kind.Switch {
		e = actSwitch(in, a.dead)
	} else {
		e = actSwitchN(in, a.dead, n.nout)
	}
	switch e.verb {
	case doChoose:
		for o := range n.nout {
			if o != e.port {
				s.kill(a.it, n, o)
			}
		}
		s.emit(a.it, n, e.port, e.value)
		s.control(a.it, n, false)
	case doRefuse:
		s.fail(a, kind.NotScalar(e.value))
		return
	default:
		s.die(a.it, n)
	}
	s.drop(a.it, n)
}
