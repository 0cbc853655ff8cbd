package actors

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Config configures an engine. The zero Config is valid.
type Config struct {
	Budget *tensor.Budget
	Log    *zerolog.Logger // lifecycle events; nil: none
	// Tokens executes node by node: no loop and no program is executed as a unit.
	// Results are the same; tests compare the two.
	Tokens bool
	// NoWait executes loops with an operation that may wait node by node, rather than as
	// units that are parked.
	NoWait bool
	// Devices are those that the session has; nil: CPU:0.
	Devices []devices.Attributes
	// Pool runs expensive kernels that are ready at the same time in parallel.
	// If it is nil or has one worker, they run on the driver.
	Pool Pool
}

// A Pool runs kernels on other cores; devices/cpu has one.
type Pool interface {
	// Publish offers a task of about that many nanoseconds to idle workers.
	Publish(t devices.Task, nanos int64)
	// Help claims and runs one published task; false if there is none.
	Help() bool
	// Linger waits, but not for long, until something holds or there is something to help
	// with; false: neither has come.
	Linger(holds func() bool) bool
	// Park asks for a value in wake when there is something to help with, until Unpark is
	// called, which is told whether the value was received. False: there will be none.
	Park(wake chan struct{}) bool
	Unpark(wake chan struct{}, woken bool)
	// Workers is how many tasks may run at the same time.
	Workers() int
}

// Engine is the default engine: nodes are actors on the caller's goroutine
// and the device's pool, and tokens take the direct path. It is safe for concurrent
// use.
type Engine struct {
	cfg  Config
	name string     // in addresses
	pid  *actor.PID // the session actor

	runs sync.Pool // of *run
	mu   sync.Mutex
	// runs that exist, by slot; weak pointers, as the pool releases runs that are
	// idle for long.
	live map[int]weak.Pointer[run]
	next int // slot of the next run
	// stopped is the error of all steps that run or begin, once it is not nil.
	stopped atomic.Pointer[status.Error]
}

var engineCount atomic.Int64

// New creates an engine and spawns its session actor, with a device actor below it.
func New(cfg Config) *Engine {
	if cfg.Log == nil {
		nop := zerolog.Nop()
		cfg.Log = &nop
	}
	e := &Engine{cfg: cfg, name: fmt.Sprintf("session%d", engineCount.Add(1))}
	e.pid = System().Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return &session{engine: e} },
		actor.WithSupervisor(actor.NewOneForOneStrategy(10, 0, func(any) actor.Directive { return actor.RestartDirective }))))
	engines.Store(e.name, e)
	return e
}

// Name is "actors", or "tokens" if it executes no units.
func (e *Engine) Name() string {
	if e.cfg.Tokens {
		return "tokens"
	}
	return "actors"
}

// PID returns the address of the engine's session actor.
func (e *Engine) PID() *actor.PID { return e.pid }

// Close stops the session actor and waits until it has ended. No step may be
// running.
func (e *Engine) Close() error {
	engines.Delete(e.name)
	if err := System().Root.StopFuture(e.pid).Wait(); err != nil {
		return status.Errorf(status.Internal, "the session actor did not stop: %w", err)
	}
	return nil
}

// Stop ends all running steps, and those that begin later, with err.
func (e *Engine) Stop(err *status.Error) {
	e.stopped.Store(err)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.live {
		if r := w.Value(); r != nil && r.turn.Load()&1 == 1 {
			r.wake()
		}
	}
}

// find returns the run that executes a step; nil if it has ended.
func (e *Engine) find(step string) *run {
	var slot int
	var turn uint64
	if _, err := fmt.Sscanf(step, "%d.%d", &slot, &turn); err != nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.live[slot].Value(); r != nil && r.turn.Load() == turn && turn&1 == 1 {
		return r
	}
	return nil
}

// steps returns the addresses of the running steps.
func (e *Engine) steps() []*actor.PID {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []*actor.PID
	for _, w := range e.live {
		if r := w.Value(); r != nil {
			if turn := r.turn.Load(); turn&1 == 1 {
				all = append(all, r.pid(turn))
			}
		}
	}
	return all
}

// Run drives one step on the calling goroutine. See [nodes.Engine].
func (e *Engine) Run(shared *kernel.Step, p *nodes.Program, feeds, fetched []tensor.Value) error {
	r, _ := e.runs.Get().(*run)
	if r == nil {
		r = e.newRun()
	}
	r.program.Store(p)
	r.turn.Add(1) // odd: running
	err := r.drive(shared, p, feeds, fetched)
	r.close()
	e.runs.Put(r)
	return err
}

// NewRunner returns a runner for one program, which reuses its step. See [nodes.NewRunner].
func (e *Engine) NewRunner(p *nodes.Program) nodes.Runner {
	r := e.newRun()
	r.program.Store(p)
	r.own = p.NewStep()
	return r
}

// Run drives one step of the run's program. See [nodes.Runner].
func (r *run) Run(shared *kernel.Step, feeds, fetched []tensor.Value) error {
	r.turn.Add(1) // odd: running
	err := r.drive(shared, r.program.Load(), feeds, fetched)
	r.close()
	return err
}

func (e *Engine) newRun() *run {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := &run{engine: e, slot: e.next, bell: make(chan struct{}, 1), wakeUp: make(chan struct{}, 1)}
	r.came = func() bool { return r.inbox.Any() || r.waiting.Load() }
	r.options = nodes.Options{Budget: e.cfg.Budget, Units: !e.cfg.Tokens, Alarm: &r.alarm, Poll: r.poll, Inbox: &r.inbox}
	if e.cfg.NoWait {
		r.options.Inbox = nil
	}
	if e.cfg.Pool != nil && e.cfg.Pool.Workers() > 1 {
		r.pool, r.options.Clock = e.cfg.Pool, now
	}
	if e.live == nil {
		e.live = map[int]weak.Pointer[run]{}
	}
	e.live[e.next] = weak.Make(r)
	e.next++
	runtime.AddCleanup(r, e.forget, r.slot)
	return r
}

// forget removes the slot of a run that was garbage collected.
func (e *Engine) forget(slot int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.live, slot)
}

// Reports returns the reports of all running steps. A step that is inside a
// long kernel reports when the kernel returns; ctx bounds the wait. Steps that
// end before they report are left out.
func (e *Engine) Reports(ctx context.Context, limit int) []Status {
	pids := e.steps()
	answers := make(chan *Status, len(pids))
	asked := 0
	for _, pid := range pids {
		step := pid.Id[len(e.name)+1:]
		if r := e.find(step); r != nil && r.post(envelope{step: step, message: &Inspect{Limit: limit}, answer: answers}) {
			asked++
		}
	}
	var all []Status
	for range asked {
		select {
		case s := <-answers:
			if s != nil {
				all = append(all, *s)
			}
		case <-ctx.Done():
			return all
		}
	}
	return all
}

// Abort ends a running step, named by the address in its report, with ABORTED and a reason.
// It returns false if the step does not run.
func (e *Engine) Abort(step, reason string) bool {
	if len(step) <= len(e.name)+1 || step[:len(e.name)+1] != e.name+"/" {
		return false
	}
	step = step[len(e.name)+1:]
	r := e.find(step)
	return r != nil && r.post(envelope{step: step, message: &Abort{Reason: reason}})
}

var epoch = time.Now()

// now returns the time in nanoseconds since the start of the process.
func now() int64 { return int64(time.Since(epoch)) }
