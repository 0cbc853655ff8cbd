package cpu

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newPool returns a pool that the test closes.
func newPool(t testing.TB, threads int) *Pool {
	t.Helper()
	p := NewPool(Options{Threads: threads})
	t.Cleanup(p.Close)
	return p
}

// each runs a test on one, two and more threads than there are processors.
func each(t *testing.T, test func(t *testing.T, p *Pool)) {
	for _, threads := range []int{1, 2, 3, 9} {
		t.Run(fmt.Sprintf("threads=%d", threads), func(t *testing.T) { test(t, newPool(t, threads)) })
	}
}

type task func(worker int)

func (f task) Run(worker int) { f(worker) }

func TestBlockSize(t *testing.T) {
	for _, c := range []struct{ n, grain, want int }{
		{1, 1, 1},
		{5, 10, 5},
		{10, 10, 10},
		{11, 10, 10},
		{256, 1, 1},
		{257, 1, 2},
		{1000, 0, 4},
		{2561, 10, 20},
		{math.MaxInt, 1, math.MaxInt>>8 + 1},
		{math.MaxInt, math.MaxInt - 1, math.MaxInt - 1},
	} {
		if got := blockSize(c.n, c.grain); got != c.want {
			t.Errorf("blockSize(%d, %d) = %d, want %d", c.n, c.grain, got, c.want)
		}
	}
}

func TestParallelCovers(t *testing.T) {
	each(t, func(t *testing.T, p *Pool) {
		for _, n := range []int{-1, 0, 1, 2, 63, 64, 65, 1000, 4097} {
			for _, grain := range []int{-1, 1, 7, 64, 5000} {
				size := max(blockSize(max(n, 1), grain), 1)
				seen := make([]atomic.Int32, max(n, 0))
				p.Parallel(n, grain, func(lo, hi int) {
					if lo%size != 0 || hi != min(lo+size, n) {
						t.Errorf("n=%d grain=%d: range [%d, %d), blocks of %d", n, grain, lo, hi, size)
					}
					for i := lo; i < hi; i++ {
						seen[i].Add(1)
					}
				})
				for i := range seen {
					if c := seen[i].Load(); c != 1 {
						t.Fatalf("n=%d grain=%d: %d was covered %d times", n, grain, i, c)
					}
				}
			}
		}
	})
}

// Ranges end at the largest int without overflow.
func TestParallelHuge(t *testing.T) {
	p := newPool(t, 2)
	var last atomic.Int64
	var count atomic.Int32
	p.Parallel(math.MaxInt, 1, func(lo, hi int) {
		count.Add(1)
		if hi == math.MaxInt {
			last.Store(int64(lo))
		}
	})
	if count.Load() > 256 || last.Load() <= 0 {
		t.Errorf("%d ranges, the last from %d", count.Load(), last.Load())
	}
}

// Many goroutines share the pool, for tasks and ranges within tasks and
// ranges.
func TestManySubmitters(t *testing.T) {
	each(t, func(t *testing.T, p *Pool) {
		const submitters, rounds, tasks = 16, 20, 12
		var wg sync.WaitGroup
		for s := range submitters {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(s), 1))
				for range rounds {
					var sum, want atomic.Int64
					var pending atomic.Int32
					pending.Store(tasks)
					for range tasks {
						n := rng.IntN(300) + 1
						want.Add(int64(n * 10))
						p.Publish(task(func(int) {
							defer pending.Add(-1)
							p.Parallel(n, 3, func(lo, hi int) {
								p.Parallel(10, 2, func(l, h int) { sum.Add(int64((hi - lo) * (h - l))) })
							})
						}), int64(rng.IntN(60_000)))
					}
					for p.Help() {
					}
					for pending.Load() > 0 {
						runtime.Gosched()
					}
					if sum.Load() != want.Load() {
						t.Errorf("sum %d, want %d", sum.Load(), want.Load())
					}
				}
			})
		}
		wg.Wait()
		if w := p.waiting.Load(); w != 0 {
			t.Errorf("%d ns of work wait on an empty board", w)
		}
		if h, o := p.held.Load(), p.open.Load(); h != 0 || o != 0 {
			t.Errorf("jobs held %b, open %b", h, o)
		}
	})
}

// More calls at once than there are jobs, nested deeply.
func TestParallelNested(t *testing.T) {
	each(t, func(t *testing.T, p *Pool) {
		var leaves atomic.Int64
		var descend func(depth int)
		descend = func(depth int) {
			if depth == 0 {
				leaves.Add(1)
				return
			}
			p.Parallel(3, 1, func(lo, hi int) {
				for range hi - lo {
					descend(depth - 1)
				}
			})
		}
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { descend(5) })
		}
		wg.Wait()
		if got := leaves.Load(); got != 20*243 {
			t.Errorf("%d leaves, want %d", got, 20*243)
		}
	})
}

// A sum over blocks has the same bits on any number of threads.
func TestParallelBits(t *testing.T) {
	x := make([]float32, 100_003)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range x {
		x[i] = rng.Float32() - 0.5
	}
	sum := func(p *Pool) float32 {
		const block = 1000
		blocks := (len(x)-1)/block + 1
		parts := make([]float32, blocks)
		p.Parallel(blocks, 1, func(lo, hi int) {
			for b := lo; b < hi; b++ {
				for _, v := range x[b*block : min((b+1)*block, len(x))] {
					parts[b] += v
				}
			}
		})
		total := float32(0)
		for _, v := range parts {
			total += v
		}
		return total
	}
	want := sum(newPool(t, 1))
	each(t, func(t *testing.T, p *Pool) {
		if got := sum(p); got != want {
			t.Errorf("sum %v, want %v", got, want)
		}
	})
}

func TestParallelPanics(t *testing.T) {
	broken := errors.New("broken")
	each(t, func(t *testing.T, p *Pool) {
		for range 50 {
			var ran atomic.Int32
			err := catch(func() {
				p.Parallel(100, 1, func(lo, hi int) {
					ran.Add(1)
					if lo >= 17 {
						panic(fmt.Errorf("range %d is %w", lo, broken))
					}
				})
			})
			pe, ok := err.(*PanicError)
			if !ok || !errors.Is(pe, broken) || fmt.Sprint(pe.Value) != "range 17 is broken" || len(pe.Stack) == 0 {
				t.Fatalf("Parallel panicked with %v", err)
			}
			if ran.Load() < 18 {
				t.Fatalf("%d ranges ran", ran.Load())
			}
		}
		// A panic passes through enclosing calls as it is.
		err := catch(func() {
			p.Parallel(4, 1, func(lo, _ int) {
				p.Parallel(4, 1, func(l, _ int) { panic(lo*10 + l) })
			})
		})
		if pe, ok := err.(*PanicError); !ok || pe.Value != 0 {
			t.Errorf("nested: %v", err)
		}
		covered := atomic.Int32{}
		p.Parallel(100, 1, func(lo, hi int) { covered.Add(int32(hi - lo)) })
		if covered.Load() != 100 {
			t.Errorf("after panics %d of 100 were covered", covered.Load())
		}
	})
}

func catch(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// runtime.Goexit, which testing's FailNow calls, must neither lose a worker nor
// leave a range unfinished.
func TestGoexit(t *testing.T) {
	p := newPool(t, 3)
	for range 20 {
		var wg sync.WaitGroup
		var after any
		wg.Go(func() {
			after = catch(func() {
				p.Parallel(50, 1, func(lo, _ int) {
					if lo%10 == 5 {
						runtime.Goexit()
					}
				})
			})
		})
		wg.Wait()
		if pe, ok := after.(*PanicError); after != nil && (!ok || pe.Value != "runtime.Goexit was called") {
			t.Fatalf("Parallel panicked with %v", after)
		}
	}
	eventually(t, "the job is given back", func() bool { return p.held.Load() == 0 })
	// Both workers are there: two tasks that wait for each other end.
	meet(t, p)
}

// meet runs tasks, one for each worker, that end only together.
func meet(t *testing.T, p *Pool) {
	t.Helper()
	n := int32(p.Workers() - 1)
	var there, workers atomic.Int32
	for range n {
		p.Publish(task(func(worker int) {
			there.Add(1)
			for there.Load() < n {
				runtime.Gosched()
			}
			workers.Or(1 << worker)
		}), int64(time.Second))
	}
	eventually(t, "all workers run a task", func() bool { return workers.Load() == 1<<(n+1)-2 })
}

// eventually waits for what other goroutines are about to do.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

func TestTaskPanics(t *testing.T) {
	var got []string
	p := NewPool(Options{Threads: 1, OnPanic: func(_ Task, err *PanicError) { got = append(got, fmt.Sprint(err.Value)) }})
	defer p.Close()
	p.Publish(task(func(int) { panic("first") }), 0)
	p.Publish(task(func(int) { panic("second") }), 0)
	for p.Help() {
	}
	if !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("OnPanic was told %q", got)
	}
}

func TestPublishOrder(t *testing.T) {
	p := newPool(t, 1)
	var got []int
	for i := range 2*boardSize + 10 { // what does not fit is run at once
		p.Publish(task(func(worker int) {
			if worker != 0 {
				t.Errorf("worker %d of none", worker)
			}
			got = append(got, i)
		}), 0)
	}
	if len(got) != boardSize+10 || got[0] != boardSize {
		t.Errorf("%d tasks ran before Help, the first was %d", len(got), got[0])
	}
	got = nil
	for p.Help() {
	}
	if len(got) != boardSize || !slices.IsSorted(got) {
		t.Errorf("Help ran %v", got)
	}
	if p.Help() {
		t.Error("Help found something on an empty board")
	}
}

// Every push is popped once, in the order of its publisher.
func TestBoard(t *testing.T) {
	var b board
	b.init()
	const publishers, claimers, count = 4, 4, 5000
	var popped atomic.Int32
	var seen [publishers][count]atomic.Int32
	var wg sync.WaitGroup
	for from := range publishers {
		wg.Go(func() {
			for i := range count {
				for !b.push(task(func(int) { seen[from][i].Add(1) }), int64(from*count+i)) {
					runtime.Gosched()
				}
			}
		})
	}
	for range claimers {
		wg.Go(func() {
			var last [publishers]int64
			for popped.Load() < publishers*count {
				f, nanos, ok := b.pop()
				if !ok {
					runtime.Gosched()
					continue
				}
				popped.Add(1)
				f.Run(0)
				from := nanos / count
				if nanos < last[from] {
					t.Errorf("task %d of publisher %d after %d", nanos%count, from, last[from]%count)
				}
				last[from] = nanos
			}
		})
	}
	wg.Wait()
	for from := range seen {
		for i := range seen[from] {
			if n := seen[from][i].Load(); n != 1 {
				t.Fatalf("task %d of publisher %d ran %d times", i, from, n)
			}
		}
	}
}

// Parked workers are woken for work that is worth it, and only for that.
func TestWake(t *testing.T) {
	p := newPool(t, 3)
	eventually(t, "all workers park", func() bool { return p.parked.Load() == 2 })
	var ran atomic.Int32
	p.Publish(task(func(int) { ran.Add(1) }), int64(WakeWork)/2)
	if p.parked.Load() != 2 {
		t.Error("a worker was woken for half of WakeWork")
	}
	p.Publish(task(func(int) { ran.Add(1) }), int64(WakeWork))
	eventually(t, "a worker runs both", func() bool { return ran.Load() == 2 })
	eventually(t, "all workers park again", func() bool { return p.parked.Load() == 2 })

	var workers atomic.Int32
	slow := func(lo, hi int) {
		workers.Add(1)
		defer workers.Add(-1)
		for end := time.Now().Add(WakeWork); time.Now().Before(end); {
		}
	}
	p.Parallel(3, 1, func(lo, hi int) { // the first range shows what the others cost
		if lo == 0 {
			slow(lo, hi)
			return
		}
		workers.Add(1)
		eventually(t, "another goroutine takes part", func() bool { return workers.Load() > 1 })
	})
	if waking := p.waking.Load(); waking < 0 {
		t.Errorf("%d workers are being woken", waking)
	}
	eventually(t, "all workers park in the end", func() bool { return p.parked.Load() == 2 && p.waking.Load() == 0 })
	if s := p.looking(); s != 0 {
		t.Errorf("%d workers spin, and all are parked", s)
	}
}

// Work that is announced wakes those who are worth it, before the first range ends.
func TestExpect(t *testing.T) {
	p := newPool(t, 3)
	asleep := func() bool { return p.parked.Load() == 2 && p.waking.Load() == 0 && p.looking() == 0 }
	eventually(t, "all workers park", asleep)
	p.Expect(WakeWork - 1)
	if !asleep() {
		t.Error("a worker was woken for less than WakeWork")
	}
	var in atomic.Int32
	p.Parallel(3, 1, func(int, int) { // all at the same time
		in.Add(1)
		eventually(t, "all take part", func() bool {
			p.Expect(time.Hour) // again, as who was woken parks if the machine is too busy to get there
			return in.Load() == 3
		})
	})
	eventually(t, "all workers park again", asleep)
}

// Pieces too small to wake a worker for wake one when there are many in a row.
func TestWakeForMany(t *testing.T) {
	small := func(lo, hi int) { spinFor(2 * time.Microsecond) }
	for name, piece := range map[string]func(p *Pool){
		"ranges": func(p *Pool) { p.Parallel(8, 1, small) },
		"tasks": func(p *Pool) {
			for range 4 {
				p.Publish(task(func(int) { small(0, 1) }), 4000)
			}
			for p.Help() {
			}
		},
	} {
		p := newPool(t, 2)
		eventually(t, "the worker parks", func() bool { return p.parked.Load() == 1 })
		eventually(t, "the worker is woken for "+name, func() bool {
			piece(p)
			return p.parked.Load() == 0
		})
	}
}

func TestClose(t *testing.T) {
	for range 20 {
		p := NewPool(Options{Threads: 4})
		var ran atomic.Int32
		for range 10 {
			p.Publish(task(func(int) { ran.Add(1) }), 0)
		}
		p.Parallel(100, 1, func(int, int) {})
		p.Close()
		if ran.Load() != 10 {
			t.Fatalf("%d of 10 tasks ran", ran.Load())
		}
		p.Close()
		covered := 0
		p.Parallel(100, 1, func(lo, hi int) { covered += hi - lo })
		if covered != 100 {
			t.Fatalf("after Close %d of 100 were covered", covered)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	p := newPool(t, 2)
	var sum atomic.Int64
	f := func(lo, hi int) { sum.Add(int64(hi - lo)) }
	nothing := task(func(int) {})
	if n := testing.AllocsPerRun(200, func() {
		p.Parallel(1000, 10, f)
		p.Publish(nothing, 0)
		p.Help()
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
