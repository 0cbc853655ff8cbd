package session

import (
	"strconv"
	"strings"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cpu"
	"github.com/troupe-go/troupe/messages"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// newEngine makes the engine that the options name, which runs kernels in the pool.
func newEngine(o SessionOptions, pool *cpu.Pool, all []devices.Device, budget *tensor.Budget, log *zerolog.Logger) (e nodes.Engine, err error) {
	name, argument, _ := strings.Cut(o.Engine, ":")
	cfg := actors.Config{Budget: budget, Log: log, Pool: pool}
	for _, d := range all {
		cfg.Devices = append(cfg.Devices, d.Attributes())
	}
	switch {
	case o.Engine == "actors":
		e = actors.New(cfg)
	case o.Engine == "actors:-wait":
		cfg.NoWait = true
		e = actors.New(cfg)
	case o.Engine == "tokens":
		cfg.Tokens = true
		e = actors.New(cfg)
	case o.Engine == "messages":
		e = messages.New(cfg)
	case name == "messages":
		seed, err := strconv.ParseUint(argument, 10, 64)
		if err != nil {
			return nil, status.Invalid("engine %q: a seed is a number, as in messages:42", o.Engine)
		}
		e = messages.Seeded(seed, cfg)
	case o.Engine == "sequential":
		e = sequential.New(budget)
	case name == "schedule":
		order, err := sequential.ParseOrder(argument)
		if err != nil {
			return nil, status.Within(err, "engine %q", o.Engine)
		}
		e = sequential.Ordered(order, budget)
	case name == "seeded":
		seed, err := strconv.ParseUint(argument, 10, 64)
		if err != nil {
			return nil, status.Invalid("engine %q: a seed is a number, as in seeded:42", o.Engine)
		}
		e = sequential.Seeded(seed, budget)
	default:
		return nil, status.Invalid("unknown engine %q: use actors, tokens, messages, messages:N, seeded:N, schedule:ORDER or sequential", o.Engine)
	}
	return e, nil
}
