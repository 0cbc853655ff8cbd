package cpu

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/kernel"
)

// A Task is a kernel activation that any worker may run.
type Task = devices.Task

const (
	// SpinTime is how long a goroutine looks for work at least before it parks.
	SpinTime = 50 * time.Microsecond
	// MostSpinTime is how long a worker looks for work at most: as long as it has worked
	// since, as what follows soon is likely, and waking it takes about as long.
	MostSpinTime = 500 * time.Microsecond
	// WakeWork is how much waiting work makes it worthwhile to wake a worker.
	WakeWork = 100 * time.Microsecond
	// yieldTime is how long a spinning goroutine keeps its processor from
	// others that are ready.
	yieldTime = 10 * time.Microsecond
	// awayTime is how long a spinning goroutine has been without its processor if something
	// else runs there.
	awayTime = time.Millisecond
	// leastCrowded and mostCrowded bound for how long it does not spin then.
	leastCrowded = 50 * time.Millisecond
	mostCrowded  = time.Second
)

// cacheLine is the distance that keeps two variables from being fetched
// together.
const cacheLine = 128

// Options is what a pool is made from.
type Options struct {
	// Threads is how many goroutines compute at the same time, the one that
	// brings the work included: a pool has one worker fewer. 0 is GOMAXPROCS.
	Threads int
	// OnPanic is called with a task that panicked, which is a bug. By default
	// it is reported on standard error.
	OnPanic func(Task, *PanicError)
}

// A Pool computes on a fixed number of goroutines. It is safe for concurrent
// use.
type Pool struct {
	threads int
	onPanic func(Task, *PanicError)
	epoch   time.Time
	closed  atomic.Bool
	lookers []looker // of each worker; of index 0, of goroutines that are none

	// Read by goroutines that look for work; each on its own cache line.
	_     [cacheLine]byte
	open  atomic.Uint64 // bit i: jobs[i] may have ranges to claim
	_     [cacheLine]byte
	held  atomic.Uint64 // bit i: jobs[i] is in use
	_     [cacheLine]byte
	tasks board
	jobs  [64]job

	// waiting is how many nanoseconds of published tasks are unclaimed.
	waiting atomic.Int64
	waking  atomic.Int32 // workers that have been woken and do not run yet
	parked  atomic.Int32 // len(idle)

	missed   atomic.Int64 // nanoseconds that parked workers would have saved
	missedAt atomic.Int64 // when that was last noted, since epoch

	mu      sync.Mutex
	idle    []chan struct{} // of who is parked; the last to park is the first to be woken
	running sync.WaitGroup
}

var _ kernel.Pool = (*Pool)(nil)

// A looker is how many goroutines look for work: each worker says so of itself, on a cache
// line of its own. A sum that all add to would be sent from core to core before each of them
// begins, a microsecond of a hundred.
type looker struct {
	n atomic.Int32
	_ [cacheLine - 4]byte
}

// looking returns how many goroutines look for work.
func (p *Pool) looking() (n int64) {
	for i := range p.lookers {
		n += int64(p.lookers[i].n.Load())
	}
	return n
}

// NewPool starts a pool.
func NewPool(o Options) *Pool {
	p := &Pool{threads: o.Threads, onPanic: o.OnPanic, epoch: time.Now()}
	if p.threads <= 0 {
		p.threads = runtime.GOMAXPROCS(0)
	}
	if p.onPanic == nil {
		p.onPanic = func(t Task, err *PanicError) {
			fmt.Fprintf(os.Stderr, "cpu: task %T: %v\n", t, err)
		}
	}
	p.lookers = make([]looker, p.threads)
	p.tasks.init()
	for i := range p.jobs {
		p.jobs[i].bit = 1 << i
		p.jobs[i].done = make(chan struct{}, 1)
	}
	for id := 1; id < p.threads; id++ {
		w := &worker{pool: p, id: id, wake: make(chan struct{}, 1)}
		p.running.Go(w.loop)
	}
	return p
}

// Workers returns how many goroutines may compute at the same time, the caller of
// [Pool.Parallel] included.
func (p *Pool) Workers() int { return p.threads }

// Close waits until the workers have ended, and then runs what tasks are left.
// No tasks may be published from then on. Parallel still works, in its caller.
// A second Close does nothing.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed.Store(true)
	idle := p.idle
	p.idle = nil
	p.parked.Store(0)
	p.mu.Unlock()
	for _, wake := range idle {
		p.waking.Add(1)
		wake <- struct{}{}
	}
	p.running.Wait()
	for p.Help() {
	}
}

// Publish makes t claimable. nanos is about how long t will run, 0 if
// unknown: a worker is woken only for [WakeWork] of foreseeable work. If a great
// many tasks wait already, Publish runs t itself.
func (p *Pool) Publish(t Task, nanos int64) {
	nanos = min(max(nanos, 0), int64(time.Second))
	// Counted before it can be claimed, so that the sum is never negative.
	waiting := p.waiting.Add(nanos)
	if !p.tasks.push(t, nanos) {
		p.waiting.Add(-nanos)
		p.run(t, 0)
		return
	}
	if waiting >= int64(WakeWork) && p.parked.Load() > 0 {
		awake := p.looking() + int64(p.waking.Load())
		if waiting >= int64(WakeWork)*(1+awake) {
			p.wakeOne()
		}
	}
}

// Help runs one published task, or one range of a kernel that runs in
// parallel. It returns false if nothing is left to claim.
func (p *Pool) Help() bool {
	if p.runTask(0) {
		return true
	}
	if j := p.openJob(0); j != nil {
		if i, ok := p.claim(j, byHelper); ok {
			j.run(i)
			return true
		}
	}
	return false
}

// runTask claims a task and runs it.
func (p *Pool) runTask(worker int) bool {
	t, nanos, ok := p.tasks.pop()
	if !ok {
		return false
	}
	if nanos > 0 {
		p.waiting.Add(-nanos)
		if worker == 0 && p.parked.Load() > 0 && !p.tasks.empty() {
			p.miss(time.Duration(nanos))
		}
	}
	p.run(t, worker)
	return true
}

// run recovers a panic of t, which would end the goroutine that runs it.
func (p *Pool) run(t Task, worker int) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // see files.Mapping
	returned := false
	defer func() {
		if !returned {
			p.onPanic(t, newPanicError(recover()))
		}
	}()
	t.Run(worker)
	returned = true
}

// now returns the time since the pool was made.
func (p *Pool) now() time.Duration { return time.Since(p.epoch) }
