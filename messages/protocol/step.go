package protocol

import "github.com/troupe-go/troupe/tensor"

// A Step is the actor of a step: it begins the root frame, takes what is fetched,
// and hears of the end.
type Step struct {
	Results []Result // by fetch
	Over    bool     // nothing can happen any more
	Hangs   bool     // though frames wait
	purse   Purse
}

// A Result is what is known of a fetch.
type Result struct {
	Value tensor.Value
	Dead  bool
}

// Begin begins a step with that many fetches.
func (s *Step) Begin(fetches int, out *Outbox) {
	if s.Results == nil {
		s.Results = make([]Result, fetches)
	}
	clear(s.Results)
	s.Over, s.Hangs = false, false
	s.purse.Reset()
	out.Sent = append(out.Sent, Message{Verb: Enter, Node: -1, Tag: Tag{Frame: Outside}})
}

// Receive takes a message.
func (s *Step) Receive(m *Message, out *Outbox) {
	switch m.Verb {
	case Fetched:
		r := &s.Results[m.Slot]
		if r.Value.IsZero() {
			*r = Result{m.Value, m.Dead}
		}
		out.notice(m.Tag, m.Node, m.Credit, 0)
	case Notice:
		s.Hangs = s.Hangs || m.News&Suspended != 0
		s.purse.Add(m.Credit)
		s.Over = s.purse.Holds(1)
	}
}
