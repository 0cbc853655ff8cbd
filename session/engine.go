package session

import (
	"strconv"
	"strings"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/devices/cpu"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/messages"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// newEngine makes the engine that the options name, and the pool that its
// kernels share; release ends the pool.
func newEngine(o SessionOptions, budget *tensor.Budget, log *zerolog.Logger) (e nodes.Engine, pool kernel.Pool, release func(), err error) {
	name, argument, _ := strings.Cut(o.Engine, ":")
	workers := cpu.NewPool(cpu.Options{Threads: o.Threads})
	defer func() {
		if err != nil {
			workers.Close()
		}
	}()
	cfg := actors.Config{Budget: budget, Log: log, Pool: workers}
	switch {
	case o.Engine == "actors":
		e = actors.New(cfg)
	case o.Engine == "tokens":
		cfg.Tokens = true
		e = actors.New(cfg)
	case o.Engine == "messages":
		e = messages.New(cfg)
	case name == "messages":
		seed, err := strconv.ParseUint(argument, 10, 64)
		if err != nil {
			return nil, nil, nil, status.Invalid("engine %q: a seed is a number, as in messages:42", o.Engine)
		}
		e = messages.Seeded(seed, cfg)
	case o.Engine == "sequential":
		e = sequential.New(budget)
	case name == "seeded":
		seed, err := strconv.ParseUint(argument, 10, 64)
		if err != nil {
			return nil, nil, nil, status.Invalid("engine %q: a seed is a number, as in seeded:42", o.Engine)
		}
		e = sequential.Seeded(seed, budget)
	default:
		return nil, nil, nil, status.Invalid("there is no engine %q: actors, tokens, messages, messages:N, seeded:N and sequential are known", o.Engine)
	}
	return e, workers, workers.Close, nil
}
