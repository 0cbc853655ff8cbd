package nodes

import (
	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/tensor"
)

// What a node does is a function of its inputs, and of whether something that it
// waited for was dead: an act…, in the file of its kind. It answers an effect, for
// it knows neither the step nor its neighbours; whoever plays the node carries the
// effect out.
type effect struct {
	verb  verb
	port  int32        // the output that lives; of a Merge, the input that does
	value tensor.Value // the zero Value is death
}

// A verb is what is to be done. "Here" is the iteration that the node acted in.
type verb uint8

const (
	doNothing verb = iota // nobody is told
	doOrder               // control edges here, alive
	doDie                 // death on every output and control edge here
	doPass                // value on output 0 here, and control edges
	doChoose              // value on output port here, death on the others, and control edges
	doMerge               // value on output 0 here, the number port on output 1, and control edges
	doFetch               // value is what was fetched
	doEnter               // as doPass or doDie, in the frame that the node enters
	doLeave               // as doPass, in the iteration around the frame
	doLinger              // as doDie, in the iteration around the frame if it ends with this iteration
	doIterate             // as doPass, in the frame's next iteration
	doRefuse              // the step fails, as value is no predicate
	doRun                 // the kernel runs; then its outputs go here, and control edges
)

var verbs = [...]string{"nothing", "order", "die", "pass", "choose", "merge", "fetch", "enter", "leave", "linger", "iterate", "refuse", "run"}

// String returns one word.
func (v verb) String() string { return verbs[v] }

// play lets a node act that runs no kernel. What each kind's effects mean to the
// step stands beside its behaviour.
func (s *Step) play(a activation, n *node) {
	switch n.kind {
	case kind.Forward, kind.LoopCond:
		s.playForward(a, n)
	case kind.NoOp:
		s.control(a.it, n, actNoOp(a.dead).verb == doDie)
	case kind.Trigger:
		s.control(a.it, n, actTrigger().verb == doDie)
	case kind.Const:
		s.pass(a.it, n, actConst(s.p.consts[n.aux], a.dead))
	case kind.Arg:
		s.pass(a.it, n, actArg(s.feeds[n.aux]))
	case kind.Retval:
		s.playRetval(a, n)
	case kind.Switch, kind.SwitchN:
		s.playSwitch(a, n)
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

// inputs are what a node gets that acts: its slots, with references read where it
// wants values; false if the step fails.
func (s *Step) inputs(a activation, n *node) ([]tensor.Value, bool) {
	if n.flags&flagDeref != 0 && !a.dead {
		in := s.readRefs(a, n)
		return in, in != nil
	}
	return a.it.Inputs[n.in : n.in+n.nin : n.in+n.nin], true
}

// pass carries doPass or doDie out.
func (s *Step) pass(it *frames.Iteration, n *node, e effect) {
	if e.verb == doDie {
		s.die(it, n)
		return
	}
	s.emit(it, n, 0, e.value)
	s.control(it, n, false)
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

// die sends death on every output and control edge of n to nodes of iteration it.
func (s *Step) die(it *frames.Iteration, n *node) {
	for o := range n.nout + 1 {
		s.kill(it, n, o)
	}
}
