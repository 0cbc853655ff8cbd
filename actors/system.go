package actors

import (
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/plain"
)

// Address is the address part of the PIDs of sessions' steps and nodes: it
// belongs to no process that is stored anywhere, but is resolved when used.
const Address = "troupe"

// System is the process's one actor system, created on first use: it costs
// milliseconds and megabytes, and is never closed. It logs to zerolog,
// at warning level and above.
var System = sync.OnceValue(func() *actor.ActorSystem {
	log := zerolog.New(plain.NewWriter(os.Stderr)).Level(zerolog.WarnLevel).With().Timestamp().Logger()
	s := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(zerolog.NewSlogHandler(log))
	}))
	foldBuckets(s.ProcessRegistry.LocalPIDs, 16)
	s.ProcessRegistry.RegisterAddressResolver(resolve)
	return s
})

// foldBuckets leaves n of a registry's 1024 buckets, of which each has 32 maps with a lock of
// its own, and all together 2.8 MB. A process is in the bucket of its hash modulo their
// number, which n divides.
func foldBuckets(m *actor.SliceMap, n int) {
	for i, b := range m.LocalPIDs[n:] {
		m.LocalPIDs[i%n].MSet(b.Items())
	}
	m.LocalPIDs = slices.Clone(m.LocalPIDs[:n])
}

// engines that are open, by name, for address resolution.
var engines sync.Map // string → *Engine

// resolve finds the process behind a PID of [Address]: "engine/step" or
// "engine/step/node".
func resolve(pid *actor.PID) (actor.Process, bool) {
	if pid.Address != Address {
		return nil, false
	}
	engine, rest, ok := strings.Cut(pid.Id, "/")
	if !ok {
		return nil, false
	}
	e, ok := engines.Load(engine)
	if !ok {
		return nil, false
	}
	step, node, _ := strings.Cut(rest, "/")
	r := e.(*Engine).find(step)
	if r == nil || node != "" && r.program.Load().Node(node) < 0 {
		return nil, false
	}
	return &process{run: r, step: step, node: node}, true
}

// A process is a step, or one of its nodes, as an address: messages to it
// go to the step's mailbox, which its driver reads.
type process struct {
	run  *run
	step string
	node string // "" for the step itself
}

// SendUserMessage puts a message into the step's mailbox.
func (p *process) SendUserMessage(pid *actor.PID, message any) {
	_, msg, sender := actor.UnwrapEnvelope(message)
	if !p.run.post(envelope{step: p.step, node: p.node, message: msg, sender: sender}) {
		undelivered(pid, msg, sender)
	}
}

// undelivered sends a message that came too late for its step to the dead letters.
func undelivered(pid *actor.PID, message any, sender *actor.PID) {
	System().DeadLetter.SendUserMessage(pid, actor.WrapEnvelope(&actor.MessageEnvelope{Message: message, Sender: sender}))
}

// SendSystemMessage handles what the actor library sends by itself: a watcher is
// notified when the step ends. Other messages are ignored.
func (p *process) SendSystemMessage(pid *actor.PID, message any) {
	switch m := message.(type) {
	case *actor.Watch:
		p.run.watch(p.step, watcher{pid, m.Watcher})
	case *actor.Unwatch:
		p.run.unwatch(watcher{pid, m.Watcher})
	}
}

// Stop aborts the step.
func (p *process) Stop(*actor.PID) {
	p.run.post(envelope{step: p.step, message: &Abort{Reason: "its actor was stopped"}})
}
