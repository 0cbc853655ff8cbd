package actors

import (
	"log/slog"
	"os"
	"strings"
	"sync"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/plain"
)

// Address is the address part of the PIDs of sessions' steps and nodes: it
// belongs to no process that is stored anywhere, but is resolved when used.
const Address = "troupe"

// System is the process's one actor system, made on first use: it costs
// milliseconds and megabytes, and cannot be unmade. Its log goes to zerolog,
// warnings and worse only.
var System = sync.OnceValue(func() *actor.ActorSystem {
	log := zerolog.New(plain.NewWriter(os.Stderr)).Level(zerolog.WarnLevel).With().Timestamp().Logger()
	s := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(zerolog.NewSlogHandler(log))
	}))
	s.ProcessRegistry.RegisterAddressResolver(resolve)
	return s
})

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

// A process is a step, or one of its nodes, as an address: what is sent to it
// goes to the step's mail, which its driver reads.
type process struct {
	run  *run
	step string
	node string // "" for the step itself
}

// SendUserMessage puts a message into the step's mail.
func (p *process) SendUserMessage(pid *actor.PID, message any) {
	_, msg, sender := actor.UnwrapEnvelope(message)
	if !p.run.post(letter{step: p.step, node: p.node, message: msg, sender: sender}) {
		undelivered(pid, msg, sender)
	}
}

// undelivered sends to the dead letters what came too late for its step.
func undelivered(pid *actor.PID, message any, sender *actor.PID) {
	System().DeadLetter.SendUserMessage(pid, actor.WrapEnvelope(&actor.MessageEnvelope{Message: message, Sender: sender}))
}

// SendSystemMessage handles what the actor library sends by itself: a watcher is
// told when the step ends. Anything else means nothing here.
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
	p.run.post(letter{step: p.step, message: &Abort{Reason: "its actor was stopped"}})
}
