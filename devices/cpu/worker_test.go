package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// A goroutine that waits for something else is woken for work that is shared out, and those
// who are woken and have something else to do leave it to others.
func TestPark(t *testing.T) {
	p := newPool(t, 2)
	wake := make(chan struct{}, 1)
	still := func() bool { return p.waking.Load() == 0 && p.looking() == 0 }
	eventually(t, "the worker parks", func() bool { return p.parked.Load() == 1 && still() })
	if !p.Park(wake) {
		t.Fatal("the pool is not closed")
	}
	if p.Unpark(wake, false); p.parked.Load() != 1 || len(wake) != 0 {
		t.Fatalf("%d are parked", p.parked.Load())
	}
	p.Park(wake)
	var ran atomic.Bool
	p.Publish(task(func(int) { ran.Store(true) }), int64(WakeWork)) // wakes the last that parked
	p.Unpark(wake, false)                                           // which has something else to do
	eventually(t, "the worker runs the task", ran.Load)
	eventually(t, "the worker parks again", func() bool { return p.parked.Load() == 1 && still() })

	var guests sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		guests.Go(func() {
			wake := make(chan struct{}, 1)
			for r := rand.New(rand.NewPCG(1, 2)); ; {
				select {
				case <-stop:
					return
				default:
				}
				if p.Help() || !p.Park(wake) {
					continue
				}
				woken := false
				if r.IntN(3) > 0 {
					select {
					case <-wake:
						woken = true
					case <-stop:
					}
				}
				p.Unpark(wake, woken)
			}
		})
	}
	for range 200 {
		var in atomic.Int32
		p.Parallel(4, 1, func(int, int) { // by all but one of five, at the same time
			in.Add(1)
			eventually(t, "guests take part", func() bool {
				p.Expect(time.Hour)
				return in.Load() == 4
			})
		})
	}
	close(stop)
	guests.Wait()
	eventually(t, "only the worker is parked", func() bool { return p.parked.Load() == 1 && still() })

	if !p.Park(wake) {
		t.Fatal("the pool is not closed")
	}
	p.Close()
	<-wake
	p.Unpark(wake, true)
	if p.Park(wake) || p.waking.Load() != 0 || p.parked.Load() != 0 {
		t.Errorf("closed, with %d parked and %d waking", p.parked.Load(), p.waking.Load())
	}
}

// What all workers write is not fetched together with what they read.
func TestLinesApart(t *testing.T) {
	var j job
	var p Pool
	for name, d := range map[string]uintptr{
		"claims from what a range reads":        unsafe.Offsetof(j.claims) - unsafe.Offsetof(j.done),
		"pending from claims":                   unsafe.Offsetof(j.pending) - unsafe.Offsetof(j.claims),
		"the next job from pending":             unsafe.Sizeof(j) - unsafe.Offsetof(j.pending),
		"open from what is never written":       unsafe.Offsetof(p.open) - unsafe.Offsetof(p.lookers),
		"counts from what never is":             unsafe.Offsetof(p.waiting) - unsafe.Offsetof(p.closed),
		"who looks for work from others":        unsafe.Sizeof(looker{}),
		"tasks' tail from jobs that are in use": unsafe.Offsetof(p.tasks) + unsafe.Offsetof(p.tasks.tail) - unsafe.Offsetof(p.held),
	} {
		if d < cacheLine {
			t.Errorf("%s: %d bytes", name, d)
		}
	}
}

// A worker looks for work for as long as it has worked, within bounds.
func TestCredit(t *testing.T) {
	p := newPool(t, 1)
	w := &worker{pool: p}
	for range 2 {
		p.Publish(task(func(int) { spinFor(MostSpinTime) }), 0)
		if !w.work() || w.credit != MostSpinTime {
			t.Errorf("after work of MostSpinTime it may look for %v", w.credit)
		}
	}
	if w.spin() || w.credit != 0 || p.looking() != 0 {
		t.Errorf("having found nothing it may look for %v, and %d look", w.credit, p.looking())
	}
	w.crowd = crowd{} // the machine may have been busy meanwhile
	p.Publish(task(func(int) { spinFor(SpinTime) }), 0)
	if !w.spin() || w.credit < SpinTime {
		t.Errorf("after work of SpinTime it may look for %v", w.credit)
	}
}

// A goroutine whose processor others take for long stops to wait for work, and a worker does
// not wait for a while.
func TestSpinUntilAway(t *testing.T) {
	p := newPool(t, 1)
	looks := 0
	if held, away := p.spinUntil(time.Hour, func() bool {
		if looks++; looks == 20 {
			spinFor(awayTime)
		}
		return false
	}); held || !away {
		t.Errorf("held %v, away %v", held, away)
	}
	w := &worker{pool: p, credit: time.Hour, crowd: crowd{until: math.MaxInt64}}
	if w.spin() || w.credit != 0 || p.looking() != 0 {
		t.Errorf("crowded, it may look for %v, and %d look", w.credit, p.looking())
	}
	p.Publish(task(func(int) {}), 0)
	if !w.work() {
		t.Error("crowded, it does not work")
	}
}

// Pools with many more workers than there are processors: calls of all sizes, nested, from
// several goroutines, with pauses in which workers park.
func TestManyWorkers(t *testing.T) {
	for _, threads := range []int{8, 32, 128} {
		t.Run(fmt.Sprintf("threads=%d", threads), func(t *testing.T) {
			p := newPool(t, threads)
			var wg sync.WaitGroup
			for s := range 6 {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(uint64(threads), uint64(s)))
					for range 60 {
						n, grain, inner := r.IntN(600)+1, r.IntN(9)+1, r.IntN(3)*r.IntN(20)
						each := time.Duration(r.IntN(3)*r.IntN(5)) * time.Microsecond
						seen := make([]atomic.Int32, n)
						if r.IntN(3) == 0 {
							p.Expect(time.Duration(r.IntN(5_000)) * time.Microsecond)
						}
						p.Parallel(n, grain, func(lo, hi int) {
							spinFor(each)
							if inner == 0 {
								for i := lo; i < hi; i++ {
									seen[i].Add(1)
								}
								return
							}
							var sum atomic.Int32
							p.Parallel(inner*(hi-lo), 2, func(l, h int) { sum.Add(int32(h - l)) })
							for i := lo; i < hi && sum.Load() == int32(inner*(hi-lo)); i++ {
								seen[i].Add(1)
							}
						})
						for i := range seen {
							if c := seen[i].Load(); c != 1 {
								t.Errorf("%d of %d in ranges of %d was computed %d times", i, n, grain, c)
								return
							}
						}
						if r.IntN(4) == 0 {
							spinFor(2 * SpinTime)
						}
					}
				})
			}
			wg.Wait()
			eventually(t, "all workers park", func() bool { return int(p.parked.Load()) == threads-1 })
			eventually(t, "none is counted as awake", func() bool { return p.looking() == 0 && p.waking.Load() == 0 })
			if h, o := p.held.Load(), p.open.Load(); h != 0 || o != 0 {
				t.Errorf("jobs held %b, open %b", h, o)
			}
		})
	}
}
