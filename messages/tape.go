package messages

import (
	"github.com/troupe-go/troupe/messages/protocol"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/profile/recording"
	"github.com/troupe-go/troupe/tensor"
)

// A tape records which node acts when; see package recording.
type tape struct {
	*recording.Step
	event int32 // of the node that acted last
	tags  map[tagKey]int32
}

type tagKey struct {
	around int32
	frame  int32
	index  int
}

// beginTape begins to record, if the step is to be recorded.
func (st *stage) beginTape() {
	if at := st.ctx.Step.Record; at != nil {
		st.tape = &tape{Step: at.Begin(st.program), event: -1, tags: map[tagKey]int32{}}
		st.out.Watch = st.acts
	}
}

func (st *stage) endTape(err error) {
	if st.tape != nil {
		st.tape.End(err)
		st.tape, st.out.Watch = nil, nil
	}
}

// acts records that a node acts.
func (st *stage) acts(n *protocol.Node, a *protocol.Activation) {
	in := a.In
	if n.Kind == kind.Arg {
		in = []tensor.Value{n.Fed}
	}
	dead, port := nodes.Outcome(n.Kind, a.Dead, in, int32(len(n.Out)-1))
	st.tape.event = st.tape.Act(n.Number, st.tapeTag(a.Tag), dead, port, in)
}

// tapeTag returns the recording's number of an iteration.
func (st *stage) tapeTag(t protocol.Tag) int32 {
	f := st.frameAt(t.Frame)
	if f == nil || f.Parent < 0 {
		return 0
	}
	key := tagKey{st.tapeTag(f.Around), f.key.frame, t.Iter}
	n, ok := st.tape.tags[key]
	if !ok {
		n = st.tape.Tag(recording.Tag{Parent: key.around, Frame: f.Name, Index: int32(t.Iter)})
		st.tape.tags[key] = n
	}
	return n
}

// lend lets a kernel that runs elsewhere be recorded, and what it calls within it.
func (p *performance) lend(t *tape) {
	p.tape, p.event = t, t.event
	t.Starts(p.event)
	if !p.timed { // it may call functions
		own := *p.ctx.Step
		own.Record = t.Called(p.event)
		p.ctx.Step = &own
	}
}

// recordEnd records the end of a kernel that ran elsewhere.
func (p *performance) recordEnd() {
	if p.err == nil && p.tapeEnd > 0 {
		p.tape.Ran(p.event, p.tapeBegin, p.tapeEnd, p.worker, p.out)
	}
	p.tape.Ends(p.event)
	p.tape.event = p.event
}
