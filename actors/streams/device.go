package streams

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/stream"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Options is how a device is opened. The zero Options is good.
type Options struct {
	// Seeded runs all actors of the device, one message at a time, when it is
	// drained; nil: they run by themselves.
	Seeded *Seeded
	// Budget is charged with the host's memory that copies go through, and with the
	// device's where that is the host's own; nil bounds nothing. What it refuses is
	// RESOURCE_EXHAUSTED.
	Budget *tensor.Budget
	// Patience is how long a call of the driver may take before the device is given up and
	// opened again; 0 is [Patience], negative is without end. Seeded actors have no end.
	Patience time.Duration
}

// A Device is an accelerator behind its actors. Its methods enqueue commands and do
// not wait for them; they fail if the command makes no sense, or with UNAVAILABLE if
// the device is unavailable. It is safe for concurrent use: commands come in the order
// in which they are handed over.
type Device struct {
	open     func() (devices.Accelerator, error)
	options  Options
	root     *actor.RootContext
	life     atomic.Pointer[incarnation]
	watching watching
	started  chan struct{} // closed when the first incarnation is
	once     sync.Once
	closing  atomic.Bool
	gone     atomic.Bool // its keeper was stopped: nobody opens it again

	keeping sync.Mutex // held to replace the keeper
	pid     atomic.Pointer[actor.PID]
	term    atomic.Int64 // of the keeper, from 1
}

// Open opens an accelerator, and spawns its actor under a parent, the context of an
// actor or of the actor system itself. After a failure open is called again.
func Open(system *actor.ActorSystem, parent actor.SpawnerContext, open func() (devices.Accelerator, error), o Options) (*Device, error) {
	d := &Device{options: o, root: system.Root, started: make(chan struct{})}
	d.open = func() (driver devices.Accelerator, err error) {
		return driver, guarded(func() (err error) { driver, err = open(); return err })
	}
	driver, err := d.open()
	if err != nil {
		return nil, err
	}
	d.life.Store(newIncarnation(driver, d))
	d.spawn(parent)
	if o.Seeded != nil {
		o.Seeded.Drain()
	}
	<-d.started
	return d, nil
}

// props returns an actor's, with the dispatcher that was asked for.
func (d *Device) props(producer actor.Producer) *actor.Props {
	if d.options.Seeded == nil {
		return actor.PropsFromProducer(producer)
	}
	return actor.PropsFromProducer(producer, actor.WithDispatcher(d.options.Seeded))
}

// patience returns that of the options.
func (d *Device) patience() time.Duration {
	switch p := d.options.Patience; {
	case d.options.Seeded != nil || p < 0:
		return 0
	case p > 0:
		return p
	}
	return Patience
}

// spawn gives the device a keeper.
func (d *Device) spawn(parent actor.SpawnerContext) {
	k := &keeper{device: d, term: d.term.Add(1)}
	d.pid.Store(parent.Spawn(d.props(func() actor.Actor { return k })))
}

// A keeper is the device's actor, the same when it is started again. It closes the lives that
// it has had, and no others.
type keeper struct {
	device *Device
	term   int64        // the device's is larger if this keeper was replaced
	life   *incarnation // the last; nil before it has one
}

// Receive handles one message.
func (k *keeper) Receive(ctx actor.Context) {
	d := k.device
	switch m := ctx.Message().(type) {
	case *actor.Started:
		g := d.life.Load()
		if k.replaced() || g.ended() != nil { // the streams of its own last life have stopped
			if g = k.reopen(); g == nil {
				ctx.Stop(ctx.Self())
				return
			}
		}
		k.life = g
		g.device = ctx.Self()
		for kind := range g.streams {
			g.streams[kind] = ctx.Spawn(d.props(func() actor.Actor { return &queueing{of: g, kind: stream.Kind(kind)} }))
		}
		if old := d.life.Swap(g); old != g {
			if t := old.succeed.Load(); t != nil {
				t.Stop()
			}
		}
		d.once.Do(func() { close(d.started) })
	case *Failed:
		if m.incarnation != nil && m.incarnation == k.life && !d.closing.Load() {
			panic(m.err) // the supervisor's to decide what follows
		}
	case *actor.Terminated:
		if g := k.life; g != nil && g.ended() == nil {
			for kind, pid := range g.streams {
				if pid.Id == m.Who.Id {
					g.lose(status.Errorf(status.Unavailable, "stream %s: its actor was stopped", stream.Kind(kind)))
				}
			}
		}
	case *actor.Stopping:
		if g := k.life; g != nil {
			g.finishAll(status.Errorf(status.Unavailable, "device %s (incarnation %d) has ended: its actor was stopped", g.attributes.Name, g.attributes.Incarnation))
		}
	case *actor.Stopped:
		if !k.replaced() {
			d.gone.Store(true)
		}
		if k.life != nil {
			k.life.close()
		}
	}
}

// replaced reports whether the device has another keeper.
func (k *keeper) replaced() bool { return k.term != k.device.term.Load() }

// reopen closes the keeper's last life and begins another. It is nil if the keeper has been
// replaced, and panics if the driver does not open, until the supervisor stops the keeper.
func (k *keeper) reopen() *incarnation {
	d := k.device
	if k.life != nil {
		k.life.close()
	}
	if k.replaced() {
		return nil
	}
	driver, err := d.open()
	if k.replaced() {
		if err == nil {
			newIncarnation(driver, d).close()
		}
		return nil
	}
	if err != nil {
		panic(err)
	}
	return newIncarnation(driver, d)
}

// Close ends the device; what is due fails with UNAVAILABLE. It waits for the driver, up to
// ten seconds, and fails with UNAVAILABLE if that does not return.
func (d *Device) Close() error {
	if d.closing.Swap(true) {
		return nil
	}
	d.keeping.Lock() // no other keeper comes
	pid := d.pid.Load()
	d.keeping.Unlock()
	g := d.life.Load()
	g.finishAll(status.Errorf(status.Unavailable, "device %s is closed", g.attributes.Name))
	stopped := d.root.PoisonFuture(pid)
	if d.options.Seeded != nil {
		d.options.Seeded.Drain()
	}
	if err := stopped.Wait(); err != nil {
		return status.Errorf(status.Unavailable, "device %s: a call of its driver does not return (%v); what the driver has is not released", g.attributes.Name, err)
	}
	return nil
}

// PID returns the address of the device's actor.
func (d *Device) PID() *actor.PID { return d.pid.Load() }

// Attributes returns what is known of the device, with its present incarnation.
func (d *Device) Attributes() devices.Attributes { return d.life.Load().attributes }

// Statistics returns how the device's memory is used.
func (d *Device) Statistics() stream.Statistics {
	g := d.life.Load()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.pool.Statistics()
}

// Load makes code ready; see [devices.Accelerator].
func (d *Device) Load(c *devices.Code) error {
	g := d.life.Load()
	if err := g.ended(); err != nil {
		return err
	}
	return g.doubt(guarded(func() error { return g.driver.Load(c) }))
}

// living returns the present incarnation, which has not ended.
func (d *Device) living() (*incarnation, error) {
	g := d.life.Load()
	return g, g.ended()
}

// enter locks the present incarnation.
func (d *Device) enter() (*incarnation, error) {
	g := d.life.Load()
	return g, g.enter()
}

// enter locks the incarnation, unless it has ended.
func (g *incarnation) enter() error {
	g.mu.Lock()
	if err := g.ended(); err != nil {
		g.mu.Unlock()
		return err
	}
	g.uses = g.uses[:0]
	g.expect()
	return nil
}

// Alloc returns memory, with anything in it. Where there is none left but what
// streams still use, it waits for them.
func (d *Device) Alloc(ctx context.Context, bytes int64) (*Memory, error) {
	g, err := d.living()
	if err != nil {
		return nil, err
	}
	block, err := g.alloc(bytes)
	if status.CodeOf(err) == status.ResourceExhausted && g.busy() {
		if err := d.Wait(ctx); err != nil {
			return nil, err
		}
		block, err = g.alloc(bytes)
	}
	if err != nil {
		return nil, err
	}
	return &Memory{of: g, block: block, size: bytes}, nil
}

// Reserve is Alloc, for kernels.
func (d *Device) Reserve(ctx context.Context, bytes int64) (devices.Buffer, error) {
	m, err := d.Alloc(ctx, bytes)
	if err != nil {
		return nil, err
	}
	return m, nil
}

var _ devices.Streams = (*Device)(nil)

// memory returns a buffer as Memory.
func (d *Device) memory(b devices.Buffer) (*Memory, error) {
	if m, ok := b.(*Memory); ok {
		return m, nil
	}
	return nil, status.Errorf(status.Internal, "a buffer is not memory of %s", d.Attributes().Name)
}

// Write copies from the host to the start of dst. from may be changed when it
// returns. It waits for copies under way only where the budget of the options is short.
func (d *Device) Write(ctx context.Context, to devices.Buffer, from []byte) error {
	dst, err := d.memory(to)
	if err != nil {
		return err
	}
	if int64(len(from)) > dst.size {
		return status.Errorf(status.Internal, "%d bytes are written to memory of %d", len(from), dst.size)
	}
	g, err := d.living()
	if err != nil {
		return err
	}
	if len(from) == 0 {
		if err := g.enter(); err != nil {
			return err
		}
		dst.wrote = true
		g.mu.Unlock()
		return nil
	}
	staged, err := g.stage(ctx, int64(len(from)))
	if err != nil {
		return err
	}
	return g.put(dst, from, staged, nil)
}

// put copies to the start of dst through a staging buffer, and has done called, unless it is
// nil, when the copy is made.
func (g *incarnation) put(dst *Memory, from []byte, staged devices.HostBuffer, done func(error)) error {
	if err := g.fill(staged, from); err != nil {
		return err
	}
	if err := g.enter(); err != nil {
		return err
	}
	raw, err := g.use(dst, devices.Writes)
	if err != nil {
		g.mu.Unlock()
		g.unstage(staged)
		return err
	}
	defer g.mu.Unlock()
	g.send(stream.HostToDevice, &Copy{to: raw, from: staged, dst: dst, bytes: int64(len(from))})
	g.after(stream.HostToDevice, dst, func(err error) {
		g.unstage(staged)
		if done != nil {
			done(err)
		}
	})
	return nil
}

// Read copies n bytes from the start of src to the host. done gets them, for as long
// as it runs, or why there are none; it must not wait. Read waits for copies under way only
// where the budget of the options is short.
func (d *Device) Read(ctx context.Context, from devices.Buffer, n int64, done func([]byte, error)) error {
	src, err := d.memory(from)
	if err != nil {
		return err
	}
	if n < 0 || n > src.size {
		return status.Errorf(status.Internal, "%d bytes are read from memory of %d", n, src.size)
	}
	g, err := d.living()
	if err != nil {
		return err
	}
	if n == 0 {
		done(nil, nil)
		return nil
	}
	staged, err := g.stage(ctx, n)
	if err != nil {
		return err
	}
	if err := g.enter(); err != nil {
		return err
	}
	raw, err := g.use(src, devices.Reads)
	if err != nil {
		g.mu.Unlock()
		g.unstage(staged)
		return err
	}
	defer g.mu.Unlock()
	g.send(stream.DeviceToHost, &Copy{to: staged, from: raw, src: src, bytes: n})
	g.after(stream.DeviceToHost, src, func(err error) {
		if err != nil {
			done(nil, err)
		} else {
			done(staged.Bytes()[:n], nil)
		}
		g.unstage(staged)
	})
	return nil
}

// Copy copies n bytes within the device.
func (d *Device) Copy(dst, src *Memory, n int64) error {
	if n < 0 || n > src.size || n > dst.size {
		return status.Errorf(status.Internal, "%d bytes are copied from memory of %d to memory of %d", n, src.size, dst.size)
	}
	g, err := d.enter()
	if err != nil || n == 0 {
		if err == nil {
			g.mu.Unlock()
		}
		return err
	}
	defer g.mu.Unlock()
	return g.copy(dst, src, n)
}

// copy hands a copy within the device over. It is locked.
func (g *incarnation) copy(dst, src *Memory, n int64) error {
	from, err := g.use(src, devices.Reads)
	if err != nil {
		return err
	}
	to, err := g.use(dst, devices.Writes)
	if err != nil {
		return err
	}
	g.send(stream.DeviceToDevice, &Copy{to: to, from: from, dst: dst, src: src, bytes: n})
	return nil
}

// Launch executes code. The buffers among l's arguments are Memory; l may be changed
// when it returns.
func (d *Device) Launch(l *devices.Launch) error {
	g, err := d.enter()
	if err != nil {
		return err
	}
	defer g.mu.Unlock()
	m := launches.Get().(*Launch)
	args, memory := m.launch.Args[:0], m.memory[:0]
	m.launch = *l
	for i, a := range l.Args {
		mem, _ := a.Buffer.(*Memory)
		if a.Buffer != nil {
			if mem == nil {
				return status.Errorf(status.Internal, "%s: argument %d is not memory of %s", l.Code.Entry, i, g.attributes.Name)
			}
			if a.Buffer, err = g.use(mem, a.Access); err != nil {
				return err
			}
			if mem.size == 0 { // of which nothing is read or written
				a.Access = 0
			}
		}
		args, memory = append(args, a), append(memory, mem)
	}
	m.launch.Args, m.memory = args, memory
	l.Works.Handed(g, g.send(stream.Compute, m).N)
	return nil
}

var launches = sync.Pool{New: func() any { return new(Launch) }}

// free takes the message back.
func (m *Launch) free() {
	clear(m.launch.Args)
	clear(m.memory)
	m.launch.Works, m.launch.Product = nil, nil
	launches.Put(m)
}

// After has do called when stream s has done all that it was handed so far, or with
// an error if the device fails. do must not wait.
func (d *Device) After(s stream.Kind, do func(error)) error {
	g, err := d.enter()
	if err != nil {
		return err
	}
	defer g.mu.Unlock()
	g.after(s, nil, do)
	return nil
}

// Wait waits until all streams have done what they were handed so far.
func (d *Device) Wait(ctx context.Context) error {
	done := make(chan error, stream.Kinds)
	for s := range stream.Kinds {
		if err := d.After(s, func(err error) { done <- err }); err != nil {
			return err
		}
	}
	if d.options.Seeded != nil {
		d.options.Seeded.Drain()
	}
	var first error
	for range stream.Kinds {
		select {
		case err := <-done:
			if first == nil {
				first = err
			}
		case <-ctx.Done():
			return status.FromContext(ctx)
		}
	}
	return first
}
