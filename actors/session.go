package actors

import (
	"github.com/asynkron/protoactor-go/actor"
)

// A session is the actor behind an engine. It supervises the device's actor
// and answers what is running.
type session struct {
	engine *Engine
	device *actor.PID
}

// Receive handles one message.
func (s *session) Receive(ctx actor.Context) {
	log := s.engine.cfg.Log
	switch m := ctx.Message().(type) {
	case *actor.Started:
		s.device = ctx.Spawn(actor.PropsFromProducer(func() actor.Actor { return &device{engine: s.engine} }))
		log.Info().Str("session", s.engine.name).Msg("session started")
	case *actor.Stopped:
		log.Info().Str("session", s.engine.name).Msg("session stopped")
	case *Steps:
		ctx.Respond(&Running{Steps: s.engine.steps()})
	case *faulted:
		log.Error().Str("session", s.engine.name).Str("step", m.step).Err(m.err).Msg("a kernel panicked")
	}
}

// A device is the actor of the CPU device.
type device struct {
	engine *Engine
}

// Receive handles one message.
func (d *device) Receive(ctx actor.Context) {
	log := d.engine.cfg.Log
	switch ctx.Message().(type) {
	case *actor.Started:
		log.Debug().Str("session", d.engine.name).Str("device", "CPU:0").Msg("device started")
	case *actor.Stopped:
		log.Debug().Str("session", d.engine.name).Str("device", "CPU:0").Msg("device stopped")
	}
}
