package cpu

import (
	"runtime"
	"slices"
	"time"
)

// A worker is one of the pool's goroutines.
type worker struct {
	pool *Pool
	id   int           // from 1
	wake chan struct{} // holds at most one
	// credit is how long it may look for work: what it has worked, less what it has waited.
	// So waiting takes no more time of the processor than work, or SpinTime.
	credit time.Duration
	crowd  crowd
}

// loop works until the pool is closed.
func (w *worker) loop() {
	p, ended := w.pool, false
	defer func() {
		if !ended { // what it ran called runtime.Goexit
			p.running.Go(w.loop)
		}
	}()
	for !p.closed.Load() {
		if !w.work() && !w.spin() {
			w.park()
		}
	}
	ended = true
}

// work does one task or takes part in one job; false if there was none.
func (w *worker) work() bool {
	p := w.pool
	start := p.now()
	if !w.ranges() && !p.runTask(w.id) {
		return false
	}
	w.credit = min(w.credit+p.now()-start, MostSpinTime)
	return true
}

// ranges takes part in one job.
func (w *worker) ranges() bool {
	p := w.pool
	j := p.openJob(w.id)
	if j == nil {
		return false
	}
	i, ok := p.claim(j, byHelper)
	if !ok {
		return false
	}
	for ; ok; i, ok = p.claim(j, byHelper) {
		j.run(i)
	}
	return true
}

// spin looks for work until it has done some, or the pool is closed; false if
// none came in time.
func (w *worker) spin() bool {
	p, look := w.pool, &w.pool.lookers[w.id].n
	look.Add(1)
	defer look.Add(-1)
	start := p.now()
	if w.crowd.lasts(start) {
		w.credit = 0
		return false
	}
	came, away := p.spinUntil(max(SpinTime, w.credit), func() bool {
		if !p.anything() {
			return p.closed.Load()
		}
		look.Add(-1)
		defer look.Add(1)
		now := p.now()
		w.credit = max(w.credit-(now-start), 0)
		start = now
		return w.work()
	})
	if away {
		w.crowd.found(p.now())
	}
	if !came {
		w.credit = 0
	}
	return came
}

// anything reports whether there seems to be work.
func (p *Pool) anything() bool { return p.open.Load() != 0 || !p.tasks.empty() }

// spinUntil waits for a condition, for so long at most, and reports whether it holds. Now
// and then it lets another goroutine have the processor. If something else has had it for
// long, that ends the wait too: away.
func (p *Pool) spinUntil(limit time.Duration, holds func() bool) (held, away bool) {
	start := p.now()
	yielded, before := start, start
	for i := 1; ; i++ {
		if holds() {
			return true, false
		}
		pause()
		if i%8 > 0 {
			continue
		}
		now := p.now()
		if now-before > awayTime {
			return false, true
		}
		if now-start > limit {
			return false, false
		}
		before = now
		if now-yielded > yieldTime {
			runtime.Gosched()
			yielded = p.now()
		}
	}
}

// park sleeps until the worker is woken.
func (w *worker) park() {
	if w.pool.Park(w.wake) {
		<-w.wake
		w.pool.Unpark(w.wake, true)
	}
}

// Linger looks for work as a worker does before it parks, on a goroutine that waits for
// something else as well, until that holds or there is something for [Pool.Help]. False:
// nothing has come for [SpinTime], or somebody is looking already, and one is enough.
func (p *Pool) Linger(holds func() bool) bool {
	if p.looking() > 0 {
		return false
	}
	p.lookers[0].n.Add(1)
	defer p.lookers[0].n.Add(-1)
	held, _ := p.spinUntil(SpinTime, func() bool { return holds() || p.anything() })
	return held
}

// Park adds a goroutine to those that are woken when there is work for another one: of the
// pool, or one that waits for something else as well, such as the driver of a step whose
// last kernel a worker runs. It is woken by a value in wake, which has room for one; work
// that is there already wakes it at once. Having been woken, or having stopped to wait, it
// calls [Pool.Unpark]. False: the pool is closed, and wakes nobody.
func (p *Pool) Park(wake chan struct{}) bool {
	p.mu.Lock()
	if p.closed.Load() {
		p.mu.Unlock()
		return false
	}
	p.idle = append(p.idle, wake)
	p.parked.Add(1)
	p.mu.Unlock()
	// What was published before the goroutine could be seen here woke nobody.
	if p.anything() && p.unpark(wake) {
		p.waking.Add(1)
		wake <- struct{}{}
	}
	return true
}

// Unpark ends what [Pool.Park] began. woken says that wake was received from. If not,
// but it is being woken, the goroutine has something else to do, and somebody else is woken.
func (p *Pool) Unpark(wake chan struct{}, woken bool) {
	if !woken {
		if p.unpark(wake) {
			return
		}
		<-wake
	}
	p.waking.Add(-1)
	if !woken && p.anything() {
		p.wakeOne()
	}
}

// Expect wakes a worker for each [WakeWork] of work, unless enough are awake.
func (p *Pool) Expect(work time.Duration) {
	if work < WakeWork || p.parked.Load() == 0 {
		return
	}
	awake := p.looking() + int64(p.waking.Load())
	for range min(int64(work/WakeWork), int64(p.threads-1)) - awake {
		if !p.wakeOne() {
			return
		}
	}
}

// unpark takes wake from the idle ones; false if somebody sends on it.
func (p *Pool) unpark(wake chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.idle, wake)
	if i < 0 {
		return false
	}
	p.idle = slices.Delete(p.idle, i, i+1)
	p.parked.Add(-1)
	return true
}

// miss notes that a parked worker would have saved that much time. What is
// missed in a row, without a pause in which a worker would have parked again,
// adds up to the reason for waking one, for what is likely to follow.
func (p *Pool) miss(d time.Duration) {
	now := p.now()
	if before := time.Duration(p.missedAt.Swap(int64(now))); now-before > 2*d+SpinTime {
		p.missed.Store(0)
	}
	if p.missed.Add(int64(d)) >= int64(WakeWork) {
		p.missed.Store(0)
		p.wakeOne()
	}
}

// wakeOne wakes who parked last; false if nobody is parked.
func (p *Pool) wakeOne() bool {
	p.mu.Lock()
	n := len(p.idle)
	if n == 0 {
		p.mu.Unlock()
		return false
	}
	wake := p.idle[n-1]
	p.idle[n-1] = nil
	p.idle = p.idle[:n-1]
	p.parked.Add(-1)
	p.waking.Add(1)
	p.mu.Unlock()
	wake <- struct{}{}
	return true
}
