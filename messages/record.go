package messages

import (
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/messages/protocol"
	"github.com/troupe-go/troupe/profile/sequence"
)

// A record records a step of which the caller wants to see who said what to whom:
// see [sequence.Recording].
type record struct {
	*sequence.Step
	actors map[*mailbox]int32
	tags   map[protocol.Tag]int32
}

// beginRecord begins to record, if the step's context asks for it.
func (st *stage) beginRecord() {
	if s := sequence.Begin(st.outer, st.engine.Name(), st.program); s != nil {
		st.record = &record{s, map[*mailbox]int32{}, map[protocol.Tag]int32{}}
		st.record.Turn(st.actor(&st.step.box))
		st.record.Did("begins")
	}
}

func (st *stage) endRecord(err error) {
	if st.record != nil {
		st.record.End(err)
		st.record = nil
	}
}

// actor returns what the recording calls the actor whose mailbox it is.
func (st *stage) actor(b *mailbox) int32 {
	i, ok := st.record.actors[b]
	if !ok {
		a := sequence.Actor{Role: sequence.ANode, Node: b.owner}
		switch {
		case b == &st.step.box:
			a = sequence.Actor{Role: sequence.TheStep, Name: "step", Node: -1}
		case b.owner < 0:
			a = sequence.Actor{Role: sequence.AFrame, Name: st.graph.Frames[st.seats[-1-b.owner].key.frame].Name, Node: -1}
		default:
			a.Name = st.graph.Flow.Name(b.owner)
		}
		i = st.record.Add(a)
		st.record.actors[b] = i
	}
	return i
}

// sends records a message from the actor whose turn it is.
func (st *stage) sends(to *mailbox, m *protocol.Message) {
	r := st.record
	iteration, ok := r.tags[m.Tag]
	if !ok {
		iteration = r.Iteration(st.tag(m.Tag))
		r.tags[m.Tag] = iteration
	}
	credit := ""
	switch m.Credit {
	case protocol.None:
	case 0:
		credit = "1"
	default:
		credit = "2^-" + strconv.Itoa(int(m.Credit))
	}
	text := sequence.Text(m.Value)
	if m.Verb == protocol.Notice {
		text = m.News.String()
	}
	m.Serial = r.Send(sequence.Message{To: st.actor(to), Verb: m.Verb.String(), Dead: m.Dead, Node: m.Node, Slot: m.Slot, Iteration: iteration, Credit: credit, Text: text})
}

// takes records that an actor is sent m, or the notices in its mailbox.
func (st *stage) takes(b *mailbox, m *protocol.Message) {
	st.record.Turn(st.actor(b))
	st.record.Took(m.Serial)
	if m.Verb == protocol.Notice && b != &st.step.box {
		for i := range b.notices {
			st.record.Took(b.notices[i].Serial)
		}
	}
}

// did records what came of a turn.
func (r *record) did(out *protocol.Outbox) {
	switch {
	case out.Fault != nil:
		r.Did("failed: " + strings.ReplaceAll(out.Fault.Err.Error(), "\n", " "))
	case out.Acts && out.Dead:
		r.Did("dead")
	case out.Acts:
		r.Did("acted")
	}
}
