package actors

import (
	"strconv"

	"github.com/asynkron/protoactor-go/actor"
)

// A session is the actor behind an engine. It supervises the devices' actors
// and answers what is running.
type session struct {
	engine *Engine
}

// Receive handles one message.
func (s *session) Receive(ctx actor.Context) {
	log := s.engine.cfg.Log
	switch m := ctx.Message().(type) {
	case *actor.Started:
		for _, name := range s.engine.devices() {
			ctx.Spawn(actor.PropsFromProducer(func() actor.Actor { return &device{engine: s.engine, name: name} }))
		}
		log.Info().Str("address", s.engine.name).Msg("session started")
	case *actor.Stopped:
		log.Info().Str("address", s.engine.name).Msg("session stopped")
	case *Steps:
		ctx.Respond(&Running{Steps: s.engine.steps()})
	case *faulted:
		log.Error().Str("address", s.engine.name).Str("step", m.step).Err(m.err).Msg("a kernel panicked")
	}
}

// devices returns the short names of the session's devices, "CPU:0".
func (e *Engine) devices() []string {
	if len(e.cfg.Devices) == 0 {
		return []string{"CPU:0"}
	}
	names := make([]string, len(e.cfg.Devices))
	for i, d := range e.cfg.Devices {
		id, _ := d.Spec.ID()
		names[i] = d.Type + ":" + strconv.Itoa(id)
	}
	return names
}

// A device is the actor of a CPU device.
type device struct {
	engine *Engine
	name   string
}

// Receive handles one message.
func (d *device) Receive(ctx actor.Context) {
	log := d.engine.cfg.Log
	switch ctx.Message().(type) {
	case *actor.Started:
		log.Debug().Str("address", d.engine.name).Str("device", d.name).Msg("device started")
	case *actor.Stopped:
		log.Debug().Str("address", d.engine.name).Str("device", d.name).Msg("device stopped")
	}
}
