package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/remote"
	"github.com/troupe-go/troupe/cluster/protocol"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cpu"
	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// WorkerOptions configure a worker. The zero value is the only task of the job "worker", on a
// loopback address.
type WorkerOptions struct {
	// Listen is the address HOST:PORT to listen on; without a host, or "", only this machine
	// can connect. Another one needs Token, TLS or Insecure.
	Listen string
	// Advertise is the address by which others reach the worker; "" is the one that it
	// listens on.
	Advertise string
	// Job and Task name the worker in the names of devices; "" is "worker".
	Job  string
	Task int
	// CPUs is the number of CPU devices; 0 is 1.
	CPUs int
	// Threads is the number of kernels, or parts of kernels, that run at a time; 0 is the
	// number of CPUs of the machine.
	Threads int
	// Engine runs the steps: "actors" (also ""), "tokens" or "sequential".
	Engine string
	// MemoryLimit bounds the bytes of all tensors of steps and resources; 0 is no limit.
	MemoryLimit int64
	// MaxSteps bounds the number of steps that run at a time, of all sessions; further ones
	// are refused with RESOURCE_EXHAUSTED. 0 is no limit.
	MaxSteps int
	// Files is what graphs may read and write; nil is nothing.
	Files *files.Policy
	// Bound is within what time the failure of another process ends a step; 0 is 2 s. All
	// processes of a cluster must have the same.
	Bound time.Duration
	// Token is required of others, and shown to them; "" is none.
	Token string
	// TLS has the certificates that are shown and that check those of others; nil: no TLS.
	TLS *tls.Config
	// Insecure permits an address that other machines reach without Token and TLS.
	Insecure bool
	// Logger gets the worker's events, with session, step and worker; nil logs nothing.
	Logger *zerolog.Logger
	// Observe is called at the end of each step, by its goroutine; it must return at once.
	Observe func(Step)
	// Tracer makes a span of each step, and of each large tensor that it fetches, within the
	// span of the caller on the session's machine. nil: no spans.
	Tracer trace.Tracer
}

// A Step is what an observer learns of a step that has ended on a worker.
type Step struct {
	Session, Step uint64 // numbers of the master's process
	Took          time.Duration
	Err           error
}

// A Worker runs the parts of graphs that sessions of other processes place on its devices. Its
// variables, queues and tables belong to it, by container and name, and are shared by all
// sessions that are not isolated. It is safe for concurrent use.
type Worker struct {
	*shell
	options   WorkerOptions
	core      *protocol.Worker
	devices   []devices.Device
	pool      *cpu.Pool
	engine    nodes.Engine
	budget    *tensor.Budget
	resources *resource.Manager
	began     time.Time
	draining  atomic.Bool
	finished  atomic.Int64 // steps
	failed    atomic.Int64

	closing  sync.Once
	closed   error          // what close returned
	work     sync.WaitGroup // goroutines that compile and run
	ctx      context.Context
	cancel   context.CancelCauseFunc
	table    sync.Mutex
	sessions map[protocol.SessionID]*workerSession
	orphans  []protocol.SessionID // whose master was lost, in the order of their loss
	parts    map[partID]*compiling
	steps    map[protocol.StepID]*running
	idle     *sync.Cond // of steps, on table
}

// A partID is a handle of a session.
type partID struct {
	session protocol.SessionID
	handle  uint64
}

// A workerSession is what a session keeps from step to step.
type workerSession struct {
	state    *resource.Manager // what nodes keep for themselves
	isolated *resource.Manager // instead of the worker's; nil: not made yet
	orphan   bool
}

// A compiling part may be compiled already.
type compiling struct {
	cancel  context.CancelFunc
	program *compiled // set before the core hears of it
	users   int       // steps that run it
	gone    bool      // the handle is released
}

// maxOrphans bounds the sessions whose state is kept while their master is lost.
const maxOrphans = 64

// NewWorker starts a worker.
func NewWorker(o WorkerOptions) (*Worker, error) {
	if o.Job == "" {
		o.Job = "worker"
	}
	process, err := devices.Process(o.Job, 0, o.Task)
	if err != nil {
		return nil, err
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Files == nil {
		o.Files = &files.Policy{}
	}
	w := &Worker{
		shell: newShell(o.Bound, o.Logger), options: o, budget: tensor.NewBudget(o.MemoryLimit),
		resources: resource.NewManager(), began: time.Now(), sessions: map[protocol.SessionID]*workerSession{},
		parts: map[partID]*compiling{}, steps: map[protocol.StepID]*running{},
	}
	w.idle = sync.NewCond(&w.table)
	w.resources.Budget = w.budget
	w.ctx, w.cancel = context.WithCancelCause(context.Background())
	count := map[string]int{}
	for _, kind := range devices.Types() {
		count[kind] = 0
	}
	count[cpu.Type] = max(o.CPUs, 1)
	if w.devices, err = devices.New(devices.Options{Process: process, Count: count, Threads: o.Threads}); err != nil {
		return nil, err
	}
	w.pool = w.devices[0].(*cpu.Device).Pool
	if w.engine, err = w.newEngine(); err != nil {
		w.closeDevices()
		return nil, err
	}
	w.shell.perform = w.perform
	w.mu.Lock() // nothing comes before the address is known
	w.endpoint, err = remote.Listen(remote.Options{
		Listen: o.Listen, Advertise: o.Advertise, TLS: o.TLS, Token: o.Token, Insecure: o.Insecure, Silence: w.bound / 2, Log: w.log,
	}, remote.Handler{Packet: w.packetCame, Blob: w.office.blob, Ask: w.ask})
	if err != nil {
		w.mu.Unlock()
		w.engine.Close()
		w.closeDevices()
		return nil, err
	}
	address := w.endpoint.Address()
	w.call(address, process.String())
	w.core = protocol.NewWorker(w.self, w.peer(address), w.config(o.MaxSteps))
	w.receive, w.beat, w.knows = w.core.Receive, w.core.Beat, w.core.Knows
	w.mu.Unlock()
	w.start()
	w.log.Info().Str("worker", w.Name()).Str("address", address).Stringer("incarnation", w.self).Msg("worker started")
	return w, nil
}

func (w *Worker) newEngine() (nodes.Engine, error) {
	cfg := actors.Config{Budget: w.budget, Log: w.log, Pool: w.pool}
	for _, d := range w.devices {
		cfg.Devices = append(cfg.Devices, d.Attributes())
	}
	switch w.options.Engine {
	case "", "actors":
		return actors.New(cfg), nil
	case "tokens":
		cfg.Tokens = true
		return actors.New(cfg), nil
	case "sequential":
		return sequential.New(w.budget), nil
	}
	return nil, status.Invalid("a worker has no engine %q: actors, tokens and sequential are known", w.options.Engine)
}

// Address returns the address by which others reach the worker.
func (w *Worker) Address() string { return w.endpoint.Address() }

// Name returns the worker's name, such as "/job:ps/task:0".
func (w *Worker) Name() string {
	w.names.RLock()
	defer w.names.RUnlock()
	return w.called[w.endpoint.Address()]
}

// device returns one of the worker's devices.
func (w *Worker) device(name string) (devices.Attributes, bool) {
	for _, d := range w.devices {
		if a := d.Attributes(); a.Name == name {
			return a, true
		}
	}
	return devices.Attributes{}, false
}

func (w *Worker) closeDevices() {
	for _, d := range slices.Backward(w.devices) {
		d.Close()
	}
}

// perform does what the core asks for.
func (w *Worker) perform(e protocol.Effect) {
	switch e.Kind {
	case protocol.Compile:
		w.compile(e)
	case protocol.Release:
		w.release(partID{e.Step.SessionID, e.Handle})
	case protocol.EndSession:
		w.endSession(e.Step.SessionID, e.Err)
	case protocol.Start:
		w.begin(e)
	case protocol.Deliver:
		if r := w.running(e.Step); r != nil {
			r.deliver(e.Key, e.Value)
		} else {
			w.dropValue(e.Value)
		}
	case protocol.Stop:
		if r := w.running(e.Step); r != nil {
			r.stop(e.Err)
		}
	case protocol.Drop:
		w.dropValue(e.Value)
	case protocol.Forget:
		w.forget(e.Peer)
	}
}

// dropValue forgets a parcel that the core does not need.
func (w *Worker) dropValue(v any) {
	if p, ok := v.(*parcel); ok {
		w.office.drop(p)
	}
}

func (w *Worker) running(id protocol.StepID) *running {
	w.table.Lock()
	defer w.table.Unlock()
	return w.steps[id]
}

// session returns what a session keeps. The table is locked.
func (w *Worker) session(id protocol.SessionID) *workerSession {
	s := w.sessions[id]
	if s == nil {
		s = &workerSession{state: resource.NewManager()}
		s.state.Budget = w.budget
		w.sessions[id] = s
	}
	if s.orphan {
		s.orphan = false
		w.orphans = slices.DeleteFunc(w.orphans, func(o protocol.SessionID) bool { return o == id })
	}
	return s
}

// endSession forgets what a session keeps, unless its master may come back.
func (w *Worker) endSession(id protocol.SessionID, why error) {
	w.office.dropIf(func(of protocol.StepID) bool { return of.SessionID == id })
	w.log.Info().Stringer("master", id.Master).Uint64("session", id.Number).AnErr("reason", why).Str("worker", w.Name()).Msg("session ended")
	w.table.Lock()
	defer w.table.Unlock()
	s := w.sessions[id]
	if s == nil {
		return
	}
	if !errors.Is(why, context.Canceled) {
		s.orphan = true
		if w.orphans = append(w.orphans, id); len(w.orphans) <= maxOrphans {
			return
		}
		id = w.orphans[0]
		w.orphans = w.orphans[1:]
		s = w.sessions[id]
	}
	delete(w.sessions, id)
	w.work.Go(func() { // which may close resources that steps still leave
		w.table.Lock()
		for w.uses(id) {
			w.idle.Wait()
		}
		w.table.Unlock()
		s.state.Clear()
		if s.isolated != nil {
			s.isolated.Clear()
		}
	})
}

// uses reports whether a step of a session runs. The table is locked.
func (w *Worker) uses(id protocol.SessionID) bool {
	for step := range w.steps {
		if step.SessionID == id {
			return true
		}
	}
	return false
}

// compile compiles a part that is registered.
func (w *Worker) compile(e protocol.Effect) {
	id := partID{e.Step.SessionID, e.Handle}
	ctx, cancel := context.WithCancel(w.ctx)
	c := &compiling{cancel: cancel}
	w.table.Lock()
	w.session(id.session)
	w.parts[id] = c
	w.table.Unlock()
	a, _ := e.Value.(*arrival)
	w.work.Go(func() {
		defer cancel()
		program, err := w.compileArrival(ctx, a)
		w.table.Lock()
		switch {
		case c.gone && err == nil:
			program.discard()
		case err == nil:
			c.program = program
		default:
			delete(w.parts, id)
		}
		w.table.Unlock()
		ev := w.log.Debug()
		if err != nil {
			ev = w.log.Warn()
		}
		ev.Stringer("master", id.session.Master).Uint64("session", id.session.Number).Uint64("handle", id.handle).Str("worker", w.Name()).Err(err).Msg("part compiled")
		w.do(func(out *protocol.Outbox) { w.core.Compiled(id.session, id.handle, err, out) })
	})
}

func (w *Worker) compileArrival(ctx context.Context, a *arrival) (c *compiled, err error) {
	defer recovered(&err)
	if w.draining.Load() {
		return nil, w.drains()
	}
	if a == nil {
		return nil, status.Invalid("a registration without a part")
	}
	b, err := a.headOf(ctx, w.endpoint)
	if err != nil {
		return nil, err
	}
	p, err := decodePart(b)
	if err != nil {
		return nil, err
	}
	for _, n := range p.names {
		w.call(n[0], n[1])
	}
	return w.compilePart(ctx, p)
}

// release forgets a part.
func (w *Worker) release(id partID) {
	w.table.Lock()
	defer w.table.Unlock()
	c := w.parts[id]
	if c == nil {
		return
	}
	delete(w.parts, id)
	c.gone = true
	c.cancel()
	if c.users == 0 && c.program != nil {
		c.program.discard()
		c.program = nil
	}
}

func (w *Worker) drains() error {
	return status.Errorf(status.Unavailable, "worker %s is draining and takes no new steps", w.Name())
}

// Drain refuses new steps, and waits until those that run have ended, or ctx has.
func (w *Worker) Drain(ctx context.Context) error {
	w.draining.Store(true)
	w.log.Info().Str("worker", w.Name()).Msg("worker drains")
	stop := context.AfterFunc(ctx, func() {
		w.table.Lock()
		defer w.table.Unlock()
		w.idle.Broadcast()
	})
	defer stop()
	w.table.Lock()
	defer w.table.Unlock()
	for len(w.steps) > 0 && ctx.Err() == nil {
		w.idle.Wait()
	}
	if n := len(w.steps); n > 0 {
		return status.Errorf(status.DeadlineExceeded, "%s still run", status.Count(n, "step"))
	}
	return nil
}

// Close ends all steps and closes the worker. Others see it as lost. It may be called again.
func (w *Worker) Close() error {
	w.closing.Do(func() { w.closed = w.close() })
	return w.closed
}

func (w *Worker) close() error {
	w.draining.Store(true)
	w.cancel(errors.New("the worker was closed"))
	w.work.Wait()
	err := w.end()
	w.table.Lock()
	for _, c := range w.parts {
		if c.program != nil {
			c.program.discard()
		}
	}
	w.parts = nil
	for _, s := range w.sessions {
		s.state.Clear()
		if s.isolated != nil {
			s.isolated.Clear()
		}
	}
	w.sessions = nil
	w.table.Unlock()
	w.resources.Clear()
	w.engine.Close()
	w.closeDevices()
	w.log.Info().Msg("worker closed")
	return err
}
