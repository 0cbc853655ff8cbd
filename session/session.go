package session

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/profile/recording"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Session runs parts of a graph. It holds the state of variables, queues and tables
// from one run to the next. It is safe for concurrent use.
type Session struct {
	graph     *Graph
	options   SessionOptions
	passes    rewrite.Passes
	unitsOff  form.Passes
	engine    nodes.Engine
	functions *compile.Functions // the programs of the graph's functions
	pool      kernel.Pool
	devices   []devices.Device
	accel     accelerators
	places    []devices.Attributes // of all devices, CPUs first
	runtime   Target               // nil: this process
	pinned    pins                 // where it holds resources
	unasked   devices.Spec         // of the nodes that ask for none
	log       zerolog.Logger
	budget    *tensor.Budget
	resources *resource.Manager // shared with other sessions if options.Resources is set
	state     *resource.Manager // what nodes keep for themselves; nil: resources has it
	maps      *files.Maps       // maps checkpoints; nil: they are read
	slots     chan struct{}     // one for each step that may run; nil: no limit
	steps     atomic.Int64      // numbers the steps
	unused    *unusedIDs        // of the numbers, those that no step has
	runs      gate
	closing   chan struct{} // closed when Close begins

	counts   counts
	failures failures

	last     atomic.Pointer[program] // what the last Run ran
	programs programs                // of string keys

	partials  partials
	watches   bool // the engine's steps watch a context that ends when the session closes
	stopOnce  sync.Once
	closeOnce sync.Once
}

// programs is what a session uses of a [sync.Map]. A field of that type would have its
// methods compiled in every package that has sessions.
type programs interface {
	Load(key any) (value any, ok bool)
	LoadOrStore(key, value any) (actual any, loaded bool)
	Clear()
}

// NewSession opens a session on graph, to which nodes may still be added. Nil options
// are the defaults. It fails with INVALID_ARGUMENT for invalid options and with
// UNIMPLEMENTED for a target other than this process.
func NewSession(graph *Graph, options *SessionOptions) (*Session, error) {
	if graph == nil {
		return nil, status.Invalid("a session needs a graph")
	}
	o, err := options.resolve()
	if err != nil {
		return nil, err
	}
	passes, err := o.passes()
	if err != nil {
		return nil, err
	}
	units, err := form.ParsePasses(o.Units)
	if err != nil {
		return nil, err
	}
	s := &Session{
		graph:     graph,
		passes:    passes,
		unitsOff:  form.AllPasses &^ units,
		options:   o,
		log:       zerolog.Nop(),
		unused:    newUnusedIDs(),
		budget:    tensor.NewBudget(o.MemoryLimit),
		resources: o.Resources,
		closing:   make(chan struct{}),
		programs:  new(sync.Map),
	}
	own := resource.NewManager()
	own.Budget = s.budget
	if s.resources == nil {
		s.resources = own
	} else {
		s.state = own
	}
	if o.Logger != nil {
		s.log = o.logger()
	}
	if o.MaxConcurrentSteps > 0 {
		s.slots = make(chan struct{}, o.MaxConcurrentSteps)
	}
	unasked, err := devices.Parse(o.Device)
	if err != nil {
		return nil, err
	}
	s.unasked = unasked
	all, pool, err := o.open()
	if err != nil {
		return nil, err
	}
	s.devices, s.pool = all, pool
	for _, d := range all {
		s.places = append(s.places, d.Attributes())
	}
	if s.engine, err = newEngine(o, pool, all, s.budget, &s.log); err != nil {
		closeDevices(all)
		return nil, err
	}
	if _, stops := s.engine.(interface{ Stop(*status.Error) }); !stops {
		s.watches = true
	}
	if s.accel, err = o.openAccelerators(s.budget); err != nil {
		s.engine.Close()
		closeDevices(all)
		return nil, err
	}
	if o.MapFiles && files.CanMap && len(s.accel.all) == 0 { // whose drivers read on threads of their own
		s.maps = &files.Maps{}
	}
	for _, d := range s.accel.all {
		s.places = append(s.places, d.Attributes())
	}
	if s.runtime, err = o.openTarget(); err != nil {
		s.engine.Close()
		s.accel.close()
		closeDevices(all)
		return nil, err
	}
	if s.runtime != nil {
		s.places = s.runtime.Devices()
	}
	s.functions = compile.NewFunctions(graph, s.engine, s.rewriting())
	s.functions.UnitsOff = s.unitsOff
	s.functions.Budget = s.budget
	s.log.Debug().Str("engine", s.engine.Name()).Int("threads", s.pool.Workers()).
		Int64("memory_limit", o.MemoryLimit).Msg("session opened")
	return s, nil
}

// Run runs the subgraph that the fetches and targets need, with the fed tensors in place
// of the outputs that they name, and returns the fetched tensors by position. Any output
// of the graph may be fed. Fed tensors may be fed again at once; fetched ones belong to
// the caller. See [Session.RunContext] for the errors.
func (s *Session) Run(feeds map[Output]*Tensor, fetches []Output, targets []*Operation) ([]*Tensor, error) {
	return s.RunContext(context.Background(), feeds, fetches, targets)
}

// RunContext is [Session.Run] with a context, whose end fails the step at once with
// CANCELLED or DEADLINE_EXCEEDED.
//
// Every error is a *[Error]: INVALID_ARGUMENT for invalid feeds, fetches and targets,
// and for a fetch that was not computed because it is on a branch not taken;
// RESOURCE_EXHAUSTED at the session's memory limit; FAILED_PRECONDITION if the session
// is closed; UNIMPLEMENTED for an operation without a kernel; otherwise the error of a
// kernel, with its node.
func (s *Session) RunContext(ctx context.Context, feeds map[Output]*Tensor, fetches []Output, targets []*Operation) ([]*Tensor, error) {
	return s.RunWithOptions(ctx, RunOptions{}, feeds, fetches, targets)
}

// RunWithOptions is [Session.RunContext] with options for this run.
func (s *Session) RunWithOptions(ctx context.Context, options RunOptions, feeds map[Output]*Tensor, fetches []Output, targets []*Operation) ([]*Tensor, error) {
	if err := s.runs.enter(); err != nil {
		return nil, err
	}
	defer s.runs.leave()
	ctx, cancel := s.bound(ctx, &options)
	defer cancel()
	c, err := s.begin(ctx, options.Once, feeds, fetches, targets)
	if err != nil {
		return nil, err
	}
	defer s.finish(c)
	if err := s.run(ctx, &options, c.program, c); err != nil {
		return nil, err
	}
	out := make([]*Tensor, len(c.fetched))
	for i, v := range c.fetched {
		out[i] = detach(v)
	}
	return out, nil
}

// bound is ctx with the time that a run may take, its program's compilation
// included.
func (s *Session) bound(ctx context.Context, options *RunOptions) (context.Context, context.CancelFunc) {
	if timeout := options.timeout(&s.options); timeout > 0 {
		return context.WithTimeout(ctx, timeout)
	}
	return ctx, unbound
}

func unbound() {}

// bounded is run within the time that a run may take.
func (s *Session) bounded(ctx context.Context, options *RunOptions, p *program, c *call) error {
	if options.timeout(&s.options) > 0 {
		ctx, cancel := s.bound(ctx, options)
		defer cancel()
		return s.run(ctx, options, p, c)
	}
	return s.run(ctx, options, p, c)
}

// run runs one step, in a context that is bound: c's feeds in, c's fetched values
// out.
func (s *Session) run(ctx context.Context, options *RunOptions, p *program, c *call) error {
	if s.slots != nil {
		if err := s.acquire(ctx); err != nil {
			return err
		}
		defer s.yield()
	}
	c.step.Context, c.step.Record = ctx, nil
	if recording.Used() {
		c.step.Record = recording.From(ctx, s.engine.Name())
	}
	s.number(c)
	if options.Metadata != nil {
		if options.Profile {
			c.step.Profile = profile.NewRecorder()
			if p.split {
				c.step.Transfers = &profile.Transfers{}
			}
			if len(s.accel.all) > 0 {
				defer s.accel.watch(ctx, options.Metadata, c.step.Profile.Clock)()
			}
		}
		defer startWatch().stop(options.Metadata, s, p, &c.step)
	}
	if s.watches || s.runtime != nil {
		bound, release := s.untilClosed(ctx)
		defer release()
		ctx, c.step.Context = bound, bound
	}
	if len(s.accel.all) > 0 {
		c.step.Works = &devices.Commands{}
	}
	var err error
	if options.Sampler != nil && c.step.Profile == nil {
		err = s.sample(options.Sampler, p, c)
	} else {
		err = s.play(p, c)
	}
	if err == nil && c.step.Works != nil {
		err = c.step.Works.Wait(ctx)
	}
	if err == nil {
		err = bringIn(c.fetched)
	}
	if changed := s.maps.Check(); changed != nil {
		err = changed // whatever came of it
	}
	if err != nil || s.counts.watchers.Load() > 0 {
		s.count(p, err)
	}
	if err != nil {
		return status.From(err)
	}
	return nil
}

// untilClosed is ctx that ends when the session closes, for engines that cannot be
// stopped.
func (s *Session) untilClosed(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		select {
		case <-s.closing:
			cancel(errors.New(errEnded().Message))
		case <-done:
		}
	}()
	return ctx, func() {
		close(done)
		cancel(nil)
	}
}

// play has the step played.
func (s *Session) play(p *program, c *call) error {
	if p.away != nil {
		if c.partial != nil {
			return p.away.RunPartial(c.step.Context, c.partial)
		}
		return p.away.Run(c.step.Context, c.feeds, c.fetched, c.step.Profile)
	}
	if p.pieces != nil {
		return s.runApart(p, c)
	}
	if p.batched != nil {
		return s.playBatched(p, c)
	}
	return c.runner.Run(&c.step, c.feeds, c.fetched)
}

// sample is play for a sampler, which decides whether the run is recorded.
func (s *Session) sample(sampler *Sampler, p *program, c *call) error {
	if p.away != nil {
		return s.play(p, c) // single runs are recorded there
	}
	if c.sampler != sampler {
		c.sampler, c.series = sampler, sampler.Series(p.nodes)
	}
	run := c.series.Begin()
	if run.Recorder == nil {
		err := s.play(p, c)
		run.End(err == nil)
		return err
	}
	c.step.Profile = run.Recorder
	err := s.play(p, c)
	c.step.Profile = nil
	run.End(err == nil)
	return err
}

// idBlock is how many step numbers a call reserves at a time, so that callers
// do not meet at one counter.
const idBlock = 256

// number gives c's step the next number.
func (s *Session) number(c *call) {
	if c.ids.left == 0 {
		c.step.ID, c.ids.left = s.steps.Add(idBlock)-idBlock, idBlock
	}
	c.step.ID++
	c.ids.left--
}

// acquire waits for the right to run a step, in a session that bounds how many run.
func (s *Session) acquire(ctx context.Context) error {
	select {
	case s.slots <- struct{}{}:
		return nil
	default:
	}
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-s.closing:
		return errEnded()
	case <-ctx.Done():
		return status.FromContext(ctx)
	}
}

func (s *Session) yield() { <-s.slots }

// Close ends running steps and partial runs, which fail with CANCELLED, waits until they
// have ended, and releases the session's resources unless they are shared. A kernel that
// does not look at its context delays it. Runs that begin later fail with "session is
// closed". Close may be called again, and concurrently.
func (s *Session) Close() error {
	s.runs.shut()
	s.stopOnce.Do(func() { close(s.closing) })
	s.partials.abandon() // before any step ends: whoever sees one end finds that no partial run is taken
	if e, ok := s.engine.(interface{ Stop(*status.Error) }); ok {
		e.Stop(errEnded())
	}
	s.runs.wait()
	s.closeOnce.Do(func() {
		if s.state != nil {
			s.state.Clear()
		} else {
			s.resources.Clear()
		}
		if s.runtime != nil {
			s.runtime.Close()
		}
		s.engine.Close()
		s.accel.close()
		closeDevices(s.devices)
		s.programs.Clear()
		s.last.Store(nil)
		s.functions.Close()
		s.log.Debug().Int64("steps", s.steps.Load()-s.unused.sum()).Msg("session closed")
	})
	return nil
}

// Base returns the session itself. The root package's Session has the method, too, so that a
// function can take either.
func (s *Session) Base() *Session { return s }

// Engine returns the name of the engine that runs the session's steps.
func (s *Session) Engine() string { return s.engine.Name() }

// MemoryLimit returns the bytes that the session's tensors may take; 0 or less: there is no
// limit.
func (s *Session) MemoryLimit() int64 { return s.options.MemoryLimit }

// MemoryInUse returns the number of bytes in the tensors of running steps, variables, queues
// and other resources.
func (s *Session) MemoryInUse() int64 { return s.budget.Used() - s.functions.Bytes() }

// ProgramMemory returns the approximate size in bytes of the programs that the session has
// compiled: one for each set of feeds, fetches and targets, and those of called
// functions. The memory limit bounds it together with [Session.MemoryInUse].
func (s *Session) ProgramMemory() int64 { return s.functions.Bytes() }

// bringIn copies those of values whose memory may not be read outside of steps, as it is a
// mapped file's.
func bringIn(values []tensor.Value) error {
	for i := range values {
		if values[i].Outside() {
			return hold(values[i:])
		}
	}
	return nil
}

// hold is bringIn where there is something to copy.
func hold(values []tensor.Value) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = kernel.Panicked(r)
		}
	}()
	for i := range values {
		values[i] = values[i].Held()
	}
	return nil
}

// detach makes a fetched value a tensor that shares nothing its owner could
// change with the graph, with other fetches and with what was fed.
func detach(v tensor.Value) *Tensor {
	v = v.Compact()
	switch {
	case v.Plain():
		return v.Tensor()
	case v.Exclusive():
		return v.Give()
	}
	return v.Tensor().View()
}

// detachInto is detach for a caller who hands the tensor back with the next run: old
// is one from an earlier run, or nil.
func detachInto(v tensor.Value, old *Tensor) *Tensor {
	v = v.Compact()
	switch {
	case v.Plain():
		if v.IsZero() {
			return nil
		}
		return v.GiveAgain(old)
	case v.Exclusive():
		return v.GiveAgain(nil)
	}
	return v.Tensor().View()
}
