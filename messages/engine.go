package messages

import (
	"fmt"
	"sync"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/tensor"
)

// Engine is the engine in which every node, every frame and every step is an actor
// of Proto.Actor, and every token a message. It is safe for concurrent use.
type Engine struct {
	cfg    actors.Config
	seeded bool
	seed   uint64

	mu    sync.Mutex
	idle  []*stage // that wait for another step, the latest last
	nodes int      // how many nodes' actors they have
}

// mostIdle bounds the nodes' actors that wait for another step: of about a kilobyte
// each.
const mostIdle = 1 << 16

// New makes an engine. It plays no units, whatever the Config says.
func New(cfg actors.Config) *Engine {
	if cfg.Pool != nil && cfg.Pool.Workers() < 2 {
		cfg.Pool = nil
	}
	if cfg.Log == nil {
		nop := zerolog.Nop()
		cfg.Log = &nop
	}
	return &Engine{cfg: cfg}
}

// Seeded returns an engine in which any message that is on its way may be the next to
// arrive, whoever sent it first: every step takes the order that seed stands for. It
// runs kernels where it is, so a step without kernels that wait is the same each
// time.
func Seeded(seed uint64, cfg actors.Config) *Engine {
	cfg.Pool = nil
	e := New(cfg)
	e.seeded, e.seed = true, seed
	return e
}

// Name is "messages" or "messages:N".
func (e *Engine) Name() string {
	if e.seeded {
		return fmt.Sprintf("messages:%d", e.seed)
	}
	return "messages"
}

// Run drives one step. See [nodes.Engine].
func (e *Engine) Run(shared *kernel.Step, p *nodes.Program, feeds, fetched []tensor.Value) error {
	st := e.take(p)
	for st != nil && !st.whole() {
		st.close()
		st = e.take(p)
	}
	if st == nil {
		st = newStage(e, p)
	}
	err := st.run(shared, feeds, fetched)
	e.give(st)
	return err
}

// take returns a stage of the program that is idle, if there is one.
func (e *Engine) take(p *nodes.Program) *stage {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := len(e.idle) - 1; i >= 0; i-- {
		if st := e.idle[i]; st.program == p {
			e.idle = append(e.idle[:i], e.idle[i+1:]...)
			e.nodes -= st.spawned
			return st
		}
	}
	return nil
}

// give keeps a stage for the program's next step. Those that have waited longest
// make room.
func (e *Engine) give(st *stage) {
	var ending []*stage
	e.mu.Lock()
	if st.broken {
		ending = append(ending, st)
	} else {
		e.idle = append(e.idle, st)
		e.nodes += st.spawned
	}
	for e.nodes > mostIdle {
		ending = append(ending, e.idle[0])
		e.nodes -= e.idle[0].spawned
		e.idle[0] = nil
		e.idle = e.idle[1:]
	}
	e.mu.Unlock()
	for _, st := range ending {
		st.close()
	}
}

// Close stops all actors. No step may be running.
func (e *Engine) Close() error {
	e.mu.Lock()
	ending := e.idle
	e.idle, e.nodes = nil, 0
	e.mu.Unlock()
	for _, st := range ending {
		st.close()
	}
	return nil
}
