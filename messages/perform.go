package messages

import (
	"context"
	"sync"
	"time"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/messages/protocol"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/nodes/report"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/tensor"
)

// Kernels run in the turn of their node, but for those that may wait, which are
// started, and those that are worth another core: their node is told later.

const (
	// expensive is the cost in nanoseconds from which on a kernel is worth another
	// core: about what it takes to hand it over.
	expensive = 2_000
	// measureEvery is how many runs of a kernel pass from one that is measured to
	// the next.
	measureEvery = 16
)

// awayArena serves kernels that run away from the goroutine that drives the step.
type awayArena struct {
	sync.Mutex
	tensor.Arena
}

// A performance is the run of a kernel elsewhere, and the message to its node
// that it is done.
//
// It lies in cache lines by who writes it, as a line that two cores write to costs
// them as much as a turn.
type performance struct {
	// Of whoever lets it run, and reads what came of it.
	node  *node
	a     *protocol.Activation
	place int  // in stage.running
	timed bool // it runs on the pool
	calls bool // it is a function: a panic is that of one of its nodes

	// What is run.
	_      apart
	stage  *stage
	kernel kernel.Kernel
	in     []tensor.Value
	out    []tensor.Value
	meter  *profile.Meter
	tape   *tape
	event  int32 // of the tape
	ctx    kernel.Context

	// What came of it.
	_          apart
	err        error
	nanos      int64
	worker     int // that has run it; -1: nobody of the pool
	begin, end int64
	tapeBegin  int64
	tapeEnd    int64
	before     *performance // in the post
}

var epoch = time.Now()

// now returns the time in nanoseconds from some beginning.
func now() int64 { return int64(time.Since(epoch)) }

// perform runs a node's kernel, or lets it be run.
func (st *stage) perform(n *node, a *protocol.Activation) {
	k := st.graph.Flow.Nodes[n.Number].Kernel
	calls := nodes.Calls(k)
	if n.Transfer {
		st.ctx.Tag, st.ctx.Dead = st.tag(a.Tag), a.Dead
	}
	sends := n.Transfer && len(n.Out) == 1 // which does not wait, whatever the kind says
	if !sends && (n.Kind == kind.Async || calls || st.worthSharing(n)) {
		st.handOut(n, a, k, calls)
		return
	}
	out := st.outs[:len(n.Out)-1]
	err := st.runHere(n, a, k, out)
	n.Ran(a, out, err, &st.out)
	clear(out)
}

// runHere runs a kernel in the turn of its node. A panic is the node's.
func (st *stage) runHere(n *node, a *protocol.Activation, k kernel.Kernel, out []tensor.Value) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if err = kernel.Panicked(r); kernel.IsPanic(err) {
				panic(err)
			}
		}
	}()
	if t := st.tape; t != nil {
		begin := t.Clock()
		defer func() {
			if err == nil {
				t.Ran(t.event, begin, t.Clock(), 0, out)
			}
		}()
	}
	if m := st.meter; m != nil {
		if !m.Wants(n.Number, 0) {
			m.Count(n.Number, 1)
			return k.Run(&st.ctx, a.In, out)
		}
		begin := m.Clock()
		err := k.Run(&st.ctx, a.In, out)
		m.Record(n.Number, begin, m.Clock(), int64(a.Tag.Iter), m.Lane, out)
		return err
	}
	if n.runs++; st.engine.cfg.Pool == nil || n.runs%measureEvery != 1 {
		return k.Run(&st.ctx, a.In, out)
	}
	begin := now()
	err = k.Run(&st.ctx, a.In, out)
	n.note(now() - begin)
	return err
}

// note adds a measurement to what is known of the kernel's cost.
func (n *node) note(nanos int64) { n.cost = profile.Average(n.cost, nanos) }

// worthSharing reports whether a kernel is better run on another core, while this one
// has something else to do.
func (st *stage) worthSharing(n *node) bool {
	return n.cost >= expensive && st.engine.cfg.Pool != nil && (st.queue.n > 0 || len(st.running) > 0)
}

// handOut lets a kernel run elsewhere.
func (st *stage) handOut(n *node, a *protocol.Activation, k kernel.Kernel, calls bool) {
	var p *performance
	if last := len(st.free) - 1; last >= 0 {
		p = st.free[last]
		st.free = st.free[:last]
	} else {
		p = &performance{}
	}
	outs := len(n.Out) - 1
	if cap(p.out) < outs {
		p.out = make([]tensor.Value, outs)
	}
	pool := n.Kind != kind.Async && !calls
	if pool && st.cancel == nil { // nothing runs elsewhere yet that could look at it
		st.ctx.Step.Context, st.cancel = context.WithCancel(st.outer)
	}
	p.node, p.a, p.place, p.timed, p.calls = n, a, len(st.running), pool, calls
	p.stage, p.kernel, p.in, p.out, p.meter = st, k, a.In, p.out[:outs], st.meter
	p.worker, p.err = -1, nil
	p.ctx = kernel.Context{Step: st.ctx.Step, Arena: &st.away.Arena, Lock: &st.away.Mutex, Tag: st.ctx.Tag, Dead: st.ctx.Dead}
	for i := range min(len(a.In), 64) {
		if v := a.In[i]; !v.Sole() && !v.SoleView() {
			p.ctx.Keep |= 1 << uint(i)
		}
	}
	if st.record != nil {
		st.record.Did("its kernel runs")
	}
	if st.tape != nil {
		p.lend(st.tape)
	}
	st.running = append(st.running, p)
	switch {
	case calls:
		go func() {
			if p.meter != nil || p.tape != nil {
				defer p.time()()
			}
			p.done(nodes.PlayCall(k, &p.ctx, p.in, p.out, st.engine))
		}()
	case !pool:
		p.start(k.(kernel.Async))
	default:
		st.lent++
		st.engine.cfg.Pool.Publish(p, int64(n.cost))
	}
}

// time notes when the kernel begins and, when what it answers is called, when it
// ends.
func (p *performance) time() (stop func()) {
	if p.meter != nil {
		p.begin = p.meter.Clock()
	}
	if p.tape != nil {
		p.tapeBegin = p.tape.Clock()
	}
	return func() {
		if p.meter != nil {
			p.end = p.meter.Clock()
		}
		if p.tape != nil {
			p.tapeEnd = p.tape.Clock()
		}
	}
}

// done tells the node.
func (p *performance) done(err error) {
	p.err = err
	p.stage.post.finish(p)
}

// start begins an asynchronous kernel. A panic within Start is the kernel's error
// unless it was done by then.
func (p *performance) start(k kernel.Async) {
	var once sync.Once
	finish := func(err error) { once.Do(func() { p.done(err) }) }
	if p.meter != nil || p.tape != nil {
		stop := p.time()
		finish = func(err error) { once.Do(func() { stop(); p.done(err) }) }
	}
	defer func() {
		if r := recover(); r != nil {
			finish(kernel.Panicked(r))
		}
	}()
	k.Start(&p.ctx, p.in, p.out, finish)
}

// Run runs the kernel, if the step still wants it, on a worker of the pool.
func (p *performance) Run(worker int) {
	p.worker = worker
	if p.ctx.Step.Context.Err() != nil {
		p.done(p.ctx.Err())
		return
	}
	p.done(p.run())
}

func (p *performance) run() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = kernel.Panicked(r)
		}
	}()
	if p.meter != nil || p.tape != nil {
		defer p.time()()
	}
	begin := now()
	err = p.kernel.Run(&p.ctx, p.in, p.out)
	p.nanos = now() - begin
	return err
}

// ran takes a performance from those that run. False: nobody wants it any more.
func (st *stage) ran(p *performance) bool {
	if p.timed {
		st.lent--
	}
	last := len(st.running) - 1
	st.running[p.place] = st.running[last]
	st.running[p.place].place = p.place
	st.running[last] = nil
	st.running = st.running[:last]
	if st.err == nil {
		return true
	}
	report.Nest(st.err, p.err)
	p.refuse()
	st.release(p)
	return false
}

// refuse puts back what the kernel has taken from a resource for its outputs, which the
// step does not accept.
func (p *performance) refuse() {
	if t := p.ctx.Undo; t != nil && p.err == nil {
		t.Return()
	}
	p.ctx.Undo = nil
}

func (st *stage) release(p *performance) {
	clear(p.out)
	p.node, p.a, p.kernel, p.in, p.meter, p.ctx, p.err = nil, nil, nil, nil, nil, kernel.Context{}, nil
	p.tape, p.tapeBegin, p.tapeEnd = nil, 0, 0
	st.free = append(st.free, p)
}

// performed is the end of a kernel in the turn of its node. One that has panicked
// is its node's panic.
func (st *stage) performed(n *node, p *performance) {
	if kernel.IsPanic(p.err) && !p.calls {
		panic(p.err)
	}
	if p.tape != nil {
		p.recordEnd()
	}
	if p.ctx.Undo != nil && p.err == nil {
		if st.cancelled() { // it came too late
			p.refuse()
			st.release(p)
			return
		}
		st.attended = 0 // the context was looked at
	}
	if p.err == nil {
		if p.timed {
			n.note(p.nanos)
		}
		if p.meter != nil {
			p.note()
		}
		for i := range p.out {
			st.arena.Claim(p.out[i])
		}
	}
	n.Ran(p.a, p.out, p.err, &st.out)
	st.release(p)
}

// note records a kernel that has run somewhere.
func (p *performance) note() {
	thread := profile.Elsewhere
	switch {
	case p.worker > 0:
		thread = profile.Worker0 + p.worker
	case p.worker == 0:
		thread = p.meter.Lane
	}
	p.meter.Record(p.node.Number, p.begin, p.end, int64(p.a.Tag.Iter), thread, p.out)
}

// wait lets something happen elsewhere: a kernel is done, or the step is cancelled;
// or helps with what has been published.
func (st *stage) wait() {
	pool, wake := st.engine.cfg.Pool, chan struct{}(nil)
	if pool != nil {
		if pool.Help() {
			return
		}
		if st.lent > 0 { // not only something else that may take its time
			if pool.Linger(st.came) {
				return
			}
			if pool.Park(st.wakeUp) { // what runs there may be shared out while it runs
				wake = st.wakeUp
			}
		}
	}
	woken := false
	select {
	case <-st.post.bell:
	case <-wake:
		woken = true
	case <-st.outer.Done():
		st.cancelled()
	}
	if wake != nil {
		pool.Unpark(wake, woken)
	}
}

// drain waits for kernels that run though the step has failed.
func (st *stage) drain() {
	if st.post.any() {
		st.read()
		return
	}
	if pool := st.engine.cfg.Pool; pool != nil && pool.Help() {
		return
	}
	<-st.post.bell
}
