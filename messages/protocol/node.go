package protocol

import (
	"slices"

	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Node is the actor of one node of a program. For each iteration in which some
// of its tokens have come, or in which its kernel runs, it keeps an activation;
// with the last token it acts. What that means stands in the file of its kind.
type Node struct {
	*Spec
	active  []*Activation
	spare   []*Activation
	Acted   bool         // in the root frame, where there is one iteration
	Fed     tensor.Value // of an Arg
	fetched bool         // a Retval that has had a value
}

// An Activation is what a node keeps for one iteration.
type Activation struct {
	Tag     Tag
	In      []tensor.Value // by input; zero where none, or death, has come
	Left    uint32         // tokens that have not come
	Dead    bool           // one that came was dead
	Running bool           // its kernel runs
	over    bool           // it has acted; more may come
	credit  Credit         // while the kernel runs
}

// At returns the node's activation in an iteration; nil if it has none.
func (n *Node) At(tag Tag) *Activation {
	for _, a := range n.active {
		if a.Tag == tag {
			return a
		}
	}
	return nil
}

// Activations returns what the node has, not to be changed.
func (n *Node) Activations() []*Activation { return n.active }

// open makes an activation.
func (n *Node) open(tag Tag) *Activation {
	var a *Activation
	if last := len(n.spare) - 1; last >= 0 {
		a = n.spare[last]
		n.spare = n.spare[:last]
	} else {
		a = &Activation{In: make([]tensor.Value, n.Ins)}
	}
	a.Tag, a.Left = tag, n.in(tag.Iter)
	n.active = append(n.active, a)
	return a
}

// shut ends an activation, and gives up what is left in it.
func (n *Node) shut(a *Activation, out *Outbox) {
	n.clear(a, out)
	last := len(n.active) - 1
	for i, b := range n.active {
		if a == b {
			n.active[i] = n.active[last]
			n.active[last] = nil
			n.active = n.active[:last]
			break
		}
	}
	a.Dead, a.Running, a.over = false, false, false
	n.spare = append(n.spare, a)
}

func (n *Node) clear(a *Activation, out *Outbox) {
	for i, v := range a.In {
		if !v.IsZero() {
			out.Arena.Drop(v)
			a.In[i] = tensor.Value{}
		}
	}
}

// Reset makes the node as it was before the step.
func (n *Node) Reset(out *Outbox) {
	for len(n.active) > 0 {
		n.shut(n.active[len(n.active)-1], out)
	}
	n.Acted, n.fetched = false, false
}

// Receive takes a message. If it answers an activation its kernel is to run, and
// then [Node.Ran] is to be called.
func (n *Node) Receive(m *Message, out *Outbox) *Activation {
	a := n.At(m.Tag)
	if m.Verb == Retire {
		if a != nil {
			n.shut(a, out)
		}
		return nil
	}
	news := News(0)
	if a == nil {
		a, news = n.open(m.Tag), Opened
	} else if a.over { // the other of two NextIterations
		out.drop(m.Value)
		out.notice(m.Tag, n.Number, m.Credit, 0)
		return nil
	}
	if m.Slot >= 0 && !m.Dead {
		a.In[m.Slot] = m.Value
	}
	a.Dead = a.Dead || m.Dead
	if a.Left--; a.Left > 0 {
		out.notice(m.Tag, n.Number, m.Credit, news)
		return nil
	}
	return n.act(a, m.Credit, out)
}

// act lets the node act with the credit of its last token.
func (n *Node) act(a *Activation, c Credit, out *Outbox) *Activation {
	out.Acts, out.Dead = true, a.Dead
	if out.Watch != nil {
		out.Watch(n, a)
	}
	in := a.In
	if n.Deref && !(a.Dead && n.Kind != kind.Merge) {
		var err error
		if in, err = n.readRefs(a.In, out); err != nil {
			out.fail(n.Number, a.Tag, err)
			return nil
		}
	}
	from := len(out.Sent)
	switch n.Kind {
	case kind.Kernel, kind.Async:
		if n.actKernel(a, in, out) {
			a.Running, a.credit = true, c
			return a
		}
	case kind.Forward, kind.LoopCond:
		n.actForward(a, in, out)
	case kind.NoOp:
		n.actNoOp(a, out)
	case kind.Trigger:
		n.actTrigger(a, out)
	case kind.Const, kind.Arg:
		n.actSource(a, out)
	case kind.Retval:
		n.actRetval(a, in, out)
	case kind.Switch, kind.SwitchN:
		n.actSwitch(a, in, out)
	case kind.Merge:
		n.actMerge(a, in, out)
	case kind.Enter:
		n.actEnter(a, in, out)
	case kind.Exit:
		n.actExit(a, in, out)
	case kind.Next:
		n.actNext(a, in, out)
	}
	if out.Fault == nil {
		n.finish(a, c, from, out)
	}
	return nil
}

// Ran takes what the kernel put out, or its error.
func (n *Node) Ran(a *Activation, outs []tensor.Value, err error, out *Outbox) {
	from := len(out.Sent)
	if err == nil {
		err = n.propagate(a.Tag, outs, out)
	}
	if err != nil {
		out.fail(n.Number, a.Tag, err)
		return
	}
	n.finish(a, a.credit, from, out)
}

// finish ends an activation: what it has sent since from gets its credit, or else
// the frame does.
func (n *Node) finish(a *Activation, c Credit, from int, out *Outbox) {
	tag, root := a.Tag, n.Frame == 0
	if n.Extra { // news that must not come too late travels with credit
		out.notice(tag, n.Number, None, Opened)
		n.clear(a, out)
		a.over = true
	} else {
		n.shut(a, out)
	}
	n.Acted = root
	switch {
	case out.divide(from, c):
		switch last := &out.Sent[len(out.Sent)-1]; {
		case root || n.Extra:
		case last.Verb == Notice: // a dead Exit's
			last.News |= Acted
		default:
			out.notice(tag, n.Number, None, Acted)
		}
	case root:
		out.notice(tag, n.Number, c, 0)
	default:
		out.notice(tag, n.Number, c, Acted)
	}
}

// readRefs returns a node's inputs with references read, or shared where the node hands
// them on. A Merge reads the one that it takes alone.
func (n *Node) readRefs(in []tensor.Value, out *Outbox) ([]tensor.Value, error) {
	out.read = append(out.read[:0], in...)
	for i, v := range out.read {
		if v.IsZero() {
			continue
		}
		if v.IsRef() && !(i < len(n.Refs) && n.Refs[i]) {
			read := kind.Read
			if n.Kind == kind.Retval || n.Shares && (i == 0 || n.Kind == kind.Merge) {
				read = kind.Share
			}
			r, err := read(v)
			if err != nil {
				return nil, err
			}
			out.read[i] = r
		}
		if n.Kind == kind.Merge {
			break
		}
	}
	return out.read, nil
}

// Missing reports which inputs may be missing in an iteration in which not all has
// come: of a control edge nobody knows. begun says that something has come.
func (n *Node) Missing(tag Tag, flow func(node int32) int) (inputs []int, begun, waits bool) {
	a := n.At(tag)
	left := n.in(tag.Iter)
	if a != nil {
		if a.over || a.Left == 0 {
			return nil, true, false
		}
		begun = a.Left < left
		left = a.Left
	} else if n.Acted {
		return nil, true, false
	}
	all := flow(n.Number)
	for k := range all {
		if k >= int(n.Ins) || a == nil || a.In[k].IsZero() {
			inputs = append(inputs, k)
		}
	}
	return inputs, begun, left > 0 && len(inputs) > 0
}

// notScalar returns the error of a node that is sent a predicate of several values.
func notScalar(p tensor.Value) error { return kind.NotScalar(p) }

// setTwice returns the error of a fetch that has two values: nothing says which is meant.
func setTwice(fetch int32) error {
	return status.Errorf(status.Internal, "Retval[%d] has already been set.", fetch)
}

// lowest returns the first input that is alive; -1 if none is.
func lowest(in []tensor.Value) int {
	return slices.IndexFunc(in, func(v tensor.Value) bool { return !v.IsZero() })
}
