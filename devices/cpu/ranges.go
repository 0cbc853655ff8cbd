package cpu

import (
	"math/bits"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// maxBlocks is how many ranges a Parallel is cut into at most: enough to keep
// 32 threads evenly busy, few enough that claiming them costs nothing.
const maxBlocks = 256

// blockSize returns the length of the ranges of [0, n): a multiple of grain.
func blockSize(n, grain int) int {
	grain = max(grain, 1)
	if n <= grain {
		return n
	}
	per := (n-1)/grain + 1 // grains
	per = (per-1)/maxBlocks + 1
	return min(per*grain, n)
}

// A job is one Parallel at work. Jobs belong to the pool and are used again
// and again; they are never freed, so that a worker may hold on to one that has
// ended: its claim fails, or takes a range of the job's next use, which is as
// good.
type job struct {
	bit uint64 // its place in Pool.open

	// What is read for each range, and written when a Parallel begins: before claims is
	// set, and read by goroutines that have claimed a range.
	f      func(lo, hi int)
	n      int
	size   int
	blocks int
	// failed is the lowest range that panicked, blocks if none did. Ranges
	// above it are not computed any more, those below are: so the panic that
	// counts does not depend on the schedule.
	failed atomic.Int64
	mu     sync.Mutex
	err    *PanicError   // of range failed
	done   chan struct{} // holds at most one

	// What is written for each range, on cache lines of its own: claims is the unclaimed
	// ranges, pending is how many have not ended, plus ownerParked.
	_       [cacheLine]byte
	claims  atomic.Uint64
	_       [cacheLine]byte
	pending atomic.Int64
	_       [cacheLine]byte
}

// A claimed is how many ranges a job has, and how many of them its owner and its
// helpers have claimed, or tried to when there were no more: three numbers, in a word.
type claimed uint64

const (
	byOwner   = 1 << 24
	byHelper  = 1
	allRanges = 48 // from this bit on
)

func (c claimed) all() int    { return int(c >> allRanges) }
func (c claimed) owner() int  { return int(c / byOwner % (1 << 24)) }
func (c claimed) helper() int { return int(c % byOwner) }

// left returns how many are unclaimed; less than 0 after claims that failed.
func (c claimed) left() int { return c.all() - c.owner() - c.helper() }

// left returns how many ranges are unclaimed.
func (j *job) left() int { return max(claimed(j.claims.Load()).left(), 0) }

// ownerParked in job.pending means that the goroutine that ends the last range must wake
// the owner.
const ownerParked = 1 << 40

// Parallel calls f for consecutive ranges that cover [0, n), possibly at the
// same time, and returns when all have returned. Ranges begin at multiples of
// grain; they are the shortest ones of at least grain of which there are no
// more than 256. If f panics, Parallel panics with a *[PanicError], that of
// the lowest range if there are several.
//
// Sharing out costs less than a microsecond; grain should be some 10 to 50 µs
// of work.
func (p *Pool) Parallel(n, grain int, f func(lo, hi int)) {
	if n <= 0 {
		return
	}
	size := blockSize(n, grain)
	var j *job
	if size < n && p.threads > 1 && !p.closed.Load() {
		j = p.acquire()
	}
	if j == nil {
		serial(n, size, f)
		return
	}
	if err := p.share(j, n, size, f); err != nil {
		panic(err)
	}
}

// serial computes all ranges, in order.
func serial(n, size int, f func(lo, hi int)) {
	defer func() {
		if v := recover(); v != nil {
			panic(newPanicError(v))
		}
	}()
	for lo := 0; lo < n; lo += size {
		f(lo, min(n-lo, size)+lo)
	}
}

// share computes all ranges together with the workers that claim some.
func (p *Pool) share(j *job, n, size int, f func(lo, hi int)) (err *PanicError) {
	j.f, j.n, j.size, j.blocks = f, n, size, (n-1)/size+1
	j.pending.Store(int64(j.blocks))
	j.failed.Store(int64(j.blocks))
	p.open.Or(j.bit)
	j.claims.Store(uint64(j.blocks) << allRanges)
	defer func() { err = p.retire(j) }()

	var start time.Duration
	timed := p.parked.Load() > 0
	if timed {
		start = p.now()
	}
	own, took := 0, time.Duration(0)
	for i, ok := p.claim(j, byOwner); ok; i, ok = p.claim(j, byOwner) {
		j.run(i)
		own++
		if timed && p.parked.Load() > 0 {
			took = p.now() - start
			p.wakeFor(j, took/time.Duration(own))
		}
	}
	if own > 1 && took > 0 { // another worker would have done half of all but one
		p.miss(took * time.Duration(own-1) / time.Duration(2*own))
	}
	return nil
}

// wakeFor wakes a worker for each WakeWork of work that is left in j, whose
// ranges have taken each apiece.
func (p *Pool) wakeFor(j *job, each time.Duration) {
	left := int64(j.left())
	if left == 0 {
		return
	}
	want := min(left, int64(each)*left/int64(WakeWork))
	for range want - int64(p.waking.Load()) {
		if !p.wakeOne() {
			return
		}
	}
}

// acquire takes a job for use; nil if all are in use.
func (p *Pool) acquire() *job {
	for {
		held := p.held.Load()
		i := bits.TrailingZeros64(^held)
		if i == len(p.jobs) {
			return nil
		}
		if p.held.CompareAndSwap(held, held|1<<i) {
			return &p.jobs[i]
		}
	}
}

// retire waits until j has ended, releases it and returns its panic.
func (p *Pool) retire(j *job) *PanicError {
	// Ranges are left only if one called runtime.Goexit on this goroutine.
	if left := claimed(j.claims.Swap(0)).left(); left > 0 {
		p.open.And(^j.bit)
		j.pending.Add(-int64(left))
	}
	ended := func() bool { return j.pending.Load() == 0 }
	if !ended() {
		if held, _ := p.spinUntil(SpinTime, ended); !held && j.pending.Add(ownerParked) != ownerParked {
			<-j.done
		}
	}
	err := j.err
	j.f, j.err = nil, nil
	p.held.And(^j.bit)
	return err
}

// openJob returns a job that may have ranges to claim, nil if there is none. Workers
// begin to look in different places.
func (p *Pool) openJob(worker int) *job {
	open := p.open.Load()
	if open == 0 {
		return nil
	}
	i := bits.TrailingZeros64(bits.RotateLeft64(open, -worker)) + worker
	return &p.jobs[i%len(p.jobs)]
}

// claim takes a range of j that is not taken: the lowest for its owner, the highest for
// helpers. So a repeated computation uses the same memory on the same core, whose caches
// may still have it.
func (p *Pool) claim(j *job, by uint64) (i int, ok bool) {
	if j.left() == 0 {
		return 0, false
	}
	c := claimed(j.claims.Add(by))
	left := c.left()
	if left < 0 {
		return 0, false
	}
	if left == 0 {
		p.open.And(^j.bit)
	}
	if by == byOwner {
		return c.owner() - 1, true
	}
	return c.all() - c.helper(), true
}

// run computes range i, which the caller has claimed.
func (j *job) run(i int) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // see files.Mapping
	returned := false
	defer func() {
		if !returned {
			j.fail(i, newPanicError(recover()))
		}
		if j.pending.Add(-1) == ownerParked {
			j.done <- struct{}{}
		}
	}()
	if int64(i) <= j.failed.Load() {
		lo := i * j.size
		j.f(lo, min(j.n-lo, j.size)+lo)
	}
	returned = true
}

// fail notes the panic of range i unless a lower one has panicked.
func (j *job) fail(i int, err *PanicError) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if int64(i) < j.failed.Load() {
		j.failed.Store(int64(i))
		j.err = err
	}
}
