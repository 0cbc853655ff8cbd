package nodes

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// actKernel returns what a node of any other operation does: it runs its kernel once
// all that it waits for has come. If any of that is dead the kernel does not run,
// and the node is dead too. Else each output goes to its readers, and control
// edges are alive. An output without a value that somebody reads is an error of
// the kernel.
func actKernel(dead bool) effect {
	if dead {
		return effect{verb: doDie}
	}
	return effect{verb: doRun}
}

// missing returns the error of a kernel that leaves an output without a value.
func missing(output int) error {
	return status.Errorf(status.Internal, "the kernel left output %d without a value", output)
}

// propagate delivers a kernel's outputs and clears them.
func (s *Step) propagate(a activation, n *node, out []tensor.Value) {
	for o := range out {
		v := out[o]
		pt := s.p.ports[n.ports+int32(o)]
		switch {
		case v.IsZero():
			if pt.lo != pt.hi {
				s.fail(a, missing(o))
				return
			}
		case pt.lo == pt.hi:
			s.arena.Reclaim(v)
			out[o] = tensor.Value{}
		default:
			s.deliver(a.it, pt, v)
			out[o] = tensor.Value{}
		}
	}
	s.control(a.it, n, false)
}
