package actors

import (
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// maxEarly bounds the tokens that a step keeps for nodes that do not wait for them
// yet.
const maxEarly = 1 << 16

// A slot is where a token from outside goes: to a node in an iteration.
type slot struct {
	node string
	tag  string
}

// receive lets a node wait for its token, which may be there already.
func (r *run) receive(a *nodes.Activation) {
	at := slot{a.Node(), a.Tag()}
	if v, ok := r.early[at]; ok {
		delete(r.early, at)
		r.step.Receive(a, v)
		return
	}
	if r.receivers == nil {
		r.receivers = map[slot]*nodes.Activation{}
	}
	r.receivers[at] = a
}

// accept takes a token from outside, for the node that waits for it or will.
func (r *run) accept(node string, m *Deliver) error {
	if node == "" {
		return status.Invalid("a token is sent to a node, not to a step")
	}
	p := r.program.Load()
	want := p.Receives(p.Node(node))
	switch {
	case want == tensor.Invalid:
		return status.Invalid("node %q takes no tokens from outside its step", node)
	case m.Dead != m.Value.IsZero():
		return status.Invalid("a token for node %q has a value, or is dead", node)
	case !m.Dead && m.Value.DType() != want:
		return status.Invalid("a token for node %q is %v, and must be %v", node, m.Value.DType(), want)
	}
	at := slot{node, m.Tag}
	if a := r.receivers[at]; a != nil {
		delete(r.receivers, at)
		r.step.Receive(a, m.Value)
		return nil
	}
	if _, twice := r.early[at]; twice {
		return status.Errorf(status.AlreadyExists, "a token for node %q at %q has come already", node, m.Tag)
	}
	if len(r.early) >= maxEarly {
		return status.Errorf(status.ResourceExhausted, "%d tokens have come that no node waits for", maxEarly)
	}
	if r.early == nil {
		r.early = map[slot]tensor.Value{}
	}
	r.early[at] = m.Value.Share()
	return nil
}

// abandon completes the nodes that wait for tokens in a step that has failed.
func (r *run) abandon() {
	for at, a := range r.receivers {
		delete(r.receivers, at)
		r.step.Complete(a, nil)
	}
}
