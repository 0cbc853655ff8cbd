package protocol

import "slices"

// A flow is one worker's end of the exchange of tensors with another one. Credit is
// counted in bytes. A tensor for which there is none is offered, and sent when credit
// comes, or when a consumer waits for it: otherwise tensors that nobody can consume yet
// could keep the one that the consumer needs from being sent.
type flow struct {
	credit  int64     // that may be sent; less than 0 after tensors that a consumer waited for
	blocked []Message // tensors offered, in order
	owed    int64     // consumed here and not yet reported
}

// send returns what is to be sent: the tensor, or an offer of it.
func (f *flow) send(m Message) Message {
	if f.credit > 0 && len(f.blocked) == 0 {
		f.credit -= m.Size
		return m
	}
	f.blocked = append(f.blocked, m)
	return Message{Verb: Offer, Step: m.Step, Key: m.Key, Size: m.Size}
}

// earn adds credit and returns the tensors that it suffices for.
func (f *flow) earn(n int64) (sent []Message) {
	f.credit += n
	for f.credit > 0 && len(f.blocked) > 0 {
		f.credit -= f.blocked[0].Size
		sent = append(sent, f.blocked[0])
		f.blocked = slices.Delete(f.blocked, 0, 1)
	}
	return sent
}

// want returns the tensor that a consumer waits for, if it is blocked.
func (f *flow) want(step StepID, key string) (Message, bool) {
	i := slices.IndexFunc(f.blocked, func(m Message) bool { return m.Step == step && m.Key == key })
	if i < 0 {
		return Message{}, false
	}
	m := f.blocked[i]
	f.blocked = slices.Delete(f.blocked, i, i+1)
	f.credit -= m.Size
	return m, true
}

// cancel drops what is blocked of steps.
func (f *flow) cancel(of func(StepID) bool, out *Outbox) {
	f.blocked = slices.DeleteFunc(f.blocked, func(m Message) bool {
		if !of(m.Step) {
			return false
		}
		out.drop(m.Value)
		return true
	})
}
