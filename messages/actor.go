package messages

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/messages/protocol"
	"github.com/troupe-go/troupe/nodes/kind"
)

// A node is the actor of a node.
type node struct {
	protocol.Node
	box mailbox
	pid *actor.PID // nil: nobody has sent to it yet

	cost uint32 // nanoseconds that the kernel runs, a running average; 0: not known
	runs uint32 // of the kernel
}

// Receive handles one message.
func (n *node) Receive(ctx actor.Context) {
	st := n.box.stage
	switch m := ctx.Message().(type) {
	case *protocol.Message:
		if t := st.ctx.Step.Transfers; t != nil && m.Verb == protocol.Arrive {
			st.program.CountTransfer(t, n.Number, m.Value, m.Dead) // a Send has one input
		}
		a := n.Node.Receive(m, &st.out)
		if st.meter != nil && st.out.Acts && n.Kind > kind.Async && !st.out.Dead {
			st.meter.Count(n.Number, 1)
		}
		if a != nil {
			st.perform(n, a)
		}
		st.send(ctx)
	case *performance:
		st.performed(n, m)
		st.send(ctx)
	case *inquiry:
		n.answer(m)
	case *actor.Stopped:
		st.stopped(n.pid, n.Number)
	}
}

// A seat is the actor of a frame, and of another one when that is over.
type seat struct {
	protocol.Frame
	box  mailbox
	pid  *actor.PID
	key  entry
	turn uint32
}

// An entry is what a frame is known by: what is entered, and from where.
type entry struct {
	frame int32
	from  protocol.Tag
}

// Receive handles one message. Once the frame is over there is nothing to handle, till
// the next one begins.
func (f *seat) Receive(ctx actor.Context) {
	st := f.box.stage
	if _, ok := ctx.Message().(*actor.Stopped); ok {
		st.stopped(f.pid, -1)
	}
	if f.Over {
		return
	}
	switch m := ctx.Message().(type) {
	case *protocol.Message:
		f.Frame.Receive(m, &st.out)
	case *notices:
		for i := range m.all {
			f.Note(&m.all[i], &st.out)
		}
		f.Settle(&st.out)
	default:
		return
	}
	st.send(ctx)
	if f.Over {
		st.leave(f)
	}
}

// notices is what a frame is sent: all that has come since the last.
type notices struct {
	all []protocol.Message
}

// A director is the actor of a step, which nodes and frames are children of.
type director struct {
	protocol.Step
	box     mailbox
	pid     *actor.PID
	context actor.Context // to spawn children
	stopped bool
}

// Receive handles one message.
func (d *director) Receive(ctx actor.Context) {
	st := d.box.stage
	switch m := ctx.Message().(type) {
	case *protocol.Message:
		d.Step.Receive(m, &st.out)
		st.send(ctx)
	case *fault:
		st.fail((*protocol.Failure)(m))
	case *actor.Started:
		d.context = ctx
	case *actor.Stopped:
		d.stopped = true
		st.stopped(d.pid, -1)
	}
}

// A supervisor is how a step's actor supervises its children: one that panics is
// stopped, and the step fails.
type supervisor struct {
	stage *stage
}

// HandleFailure is what the library calls when a child has panicked.
func (s supervisor) HandleFailure(_ *actor.ActorSystem, step actor.Supervisor, child *actor.PID, _ *actor.RestartStatistics, reason, message any) {
	st := s.stage
	st.broken = true
	f := &protocol.Failure{Node: -1}
	f.Err, _ = reason.(error) // as attempt has made it
	if m, ok := message.(*protocol.Message); ok {
		f.Node, f.Tag = m.Node, m.Tag
	}
	st.engine.cfg.Log.Error().Str("actor", child.String()).Err(f.Err).Msg("an actor panicked")
	st.fail(f)
	step.StopChildren(child)
}
