package nodes

import (
	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/profile/recording"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A tape records a step; see package recording. A step without one looks for it only
// where it would look for a trace or a clock anyway.
type tape struct {
	*recording.Step
	event int32 // of the node that acts now
	tags  map[iterationKey]int32
}

type iterationKey struct {
	around int32
	frame  int
	index  int
}

// takeTape lets the step be recorded.
func (s *Step) takeTape() {
	s.tape = &tape{Step: s.ctx.Step.Record.Begin(s.p), event: -1, tags: map[iterationKey]int32{}}
	s.seen, s.left, s.useUnits = true, always, false
}

// tag returns the recording's number of an iteration.
func (t *tape) tag(it *frames.Iteration) int32 {
	if it == nil || it.Frame.Parent == nil {
		return 0
	}
	key := iterationKey{t.tag(it.Frame.Parent), it.Frame.Static.Index, it.Index}
	n, ok := t.tags[key]
	if !ok {
		n = t.Tag(recording.Tag{Parent: key.around, Frame: it.Frame.Static.Name, Index: int32(it.Index)})
		t.tags[key] = n
	}
	return n
}

// record records that a node acts.
func (s *Step) record(a activation) {
	n := &s.p.nodes[a.node]
	in := a.it.Inputs[n.in : n.in+n.nin]
	if n.kind == kind.Arg {
		in = s.feeds[n.aux : n.aux+1]
	}
	dead, port := Outcome(n.kind, a.dead, in, n.nout)
	s.tape.event = s.tape.Act(a.node, s.tape.tag(a.it), dead, port, in)
}

// Outcome returns what recordings say of a node that acts with these inputs, of which some
// token was dead: whether it is dead, and which of its outputs has a value; see
// [recording.Event].
func Outcome(k kind.Kind, died bool, in []tensor.Value, outs int32) (dead bool, port int32) {
	switch k {
	case kind.Trigger:
		died = false
	case kind.Merge:
		died = actMerge(in).verb == doDie
	}
	if died {
		return true, recording.None
	}
	if k != kind.Switch && k != kind.SwitchN || in[1].IsRef() {
		return false, recording.All
	}
	e := effect{}
	if k == kind.Switch {
		e = actSwitch(in, false)
	} else {
		e = actSwitchN(in, false, outs)
	}
	if e.verb != doChoose {
		return false, recording.All
	}
	return false, e.port
}

// runRecorded is run, with the tape.
func (s *Step) runRecorded(k kernel.Kernel, node int32, in, out []tensor.Value) error {
	begin := s.tape.Clock()
	var err error
	if s.meter != nil {
		err = s.runMetered(k, node, in, out)
	} else {
		err = k.Run(&s.ctx, in, out)
	}
	if err == nil {
		s.tape.Ran(s.tape.event, begin, s.tape.Clock(), 0, out)
	}
	return err
}

// lend lets an activation that is handed out be recorded. What its kernel calls is
// recorded within it. Other kernels keep the step that all share, whose context the driver
// may replace while they run.
func (s *Step) lend(h *Activation) {
	h.tape, h.event, h.Worker = s.tape, s.tape.event, -1
	s.tape.Starts(h.event)
	if h.Async() {
		own := *s.ctx.Step
		own.Record = s.tape.Called(h.event)
		h.ctx.Step = &own
	}
}

// recordEnd records the end of an activation that was handed out.
func (a *Activation) recordEnd(failed bool) {
	if !failed && a.tapeEnd > 0 {
		a.tape.Ran(a.event, a.tapeBegin, a.tapeEnd, a.Worker, a.out)
	}
	a.tape.Ends(a.event)
	a.tape.event = a.event
}

// returnTape ends the recording of a step.
func (s *Step) returnTape(err *status.Error) {
	if err != nil {
		s.tape.End(err)
	} else {
		s.tape.End(nil)
	}
	s.tape, s.left = nil, 0
}
