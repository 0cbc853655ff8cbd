package cellular_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/benchmarks/decoders"
	"github.com/troupe-go/troupe/compile/cellular"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var joins = flag.Int("joins", 20_000, "have `N` callers join and leave in TestFlat")

const words = 50 // of the decoders' vocabularies

// TestSingleRuns holds callers that join at iterations that the seed chooses against callers that
// decode alone: results and errors are the same, to the bit, and each caller takes part in as many
// iterations as it has words. Faults are words that there are not, with which the batch fails, and
// callers that are cancelled in an iteration.
func TestSingleRuns(t *testing.T) {
	for _, cell := range decoders.Cells {
		for _, faults := range []faults{none, cancels, all} {
			t.Run(fmt.Sprintf("%s/faults=%d", cell, faults), func(t *testing.T) {
				d, err := decoders.New(cell, 32, words)
				if err != nil {
					t.Fatal(err)
				}
				plain := open(t, d, &session.SessionOptions{})
				batched := open(t, d, &session.SessionOptions{BatchLoops: true})
				rounds := 20
				if testing.Short() {
					rounds = 5
				}
				for seed := range rounds {
					c := draw(uint64(seed), faults)
					c.run(t, plain, batched)
					if t.Failed() {
						return
					}
				}
			})
		}
	}
}

// faults says what befalls callers.
type faults int

const (
	none    faults = iota
	cancels        // some are cancelled
	all            // and some fail
)

// A company is callers of a decoder, and when each joins.
type company struct {
	seed    uint64
	faults  faults
	callers []*caller
}

type caller struct {
	args      []*tensor.Tensor
	length    int
	joins     int // the iteration that it joins in
	cancelled int // the iteration in which it is cancelled; -1: in none
	start     chan struct{}
	ended     chan struct{}
	ctx       context.Context
	cancel    context.CancelFunc
	got, want result
}

// A result is what a caller gets.
type result struct {
	out []*tensor.Tensor
	err error
}

// draw draws a company of which the first caller is there from the first iteration to the last.
func draw(seed uint64, faults faults) *company {
	rng := rand.New(rand.NewPCG(seed, 1))
	c := &company{seed: seed, faults: faults}
	for i := range 2 + rng.IntN(30) {
		a := &caller{length: rng.IntN(60), joins: rng.IntN(60), cancelled: -1, start: make(chan struct{}), ended: make(chan struct{})}
		word := rng.Int32N(words)
		if i == 0 {
			a.length, a.joins = 60, 0
		} else if faults == all && rng.IntN(8) == 0 {
			word = words + rng.Int32N(5)
		} else if faults != none && rng.IntN(4) == 0 {
			a.cancelled = min(a.joins+rng.IntN(20), 59)
		}
		a.args = decoders.Args(word, int32(a.length), 1-float32(i)/1000)
		c.callers = append(c.callers, a)
	}
	return c
}

func (c *company) run(t *testing.T, plain, batched *session.Callable) {
	t.Helper()
	entered := make(chan struct{}, len(c.callers))
	iteration := 0
	// Callers whose batch has failed go on alone, and the first may be one of them. Those that
	// come later then open lanes of their own, so that iterations are counted over all lanes.
	var mu sync.Mutex
	watch := &cellular.Watch{
		Entered: func() { entered <- struct{}{} },
		Iterating: func() {
			mu.Lock()
			defer mu.Unlock()
			if iteration == 0 {
				<-entered // the first
			}
			for _, a := range c.callers[1:] {
				if a.joins == iteration {
					close(a.start)
					<-entered
				}
				if a.cancelled == iteration {
					if a.cancel(); c.faults == cancels { // the first caller drives
						<-a.ended
					}
				}
			}
			iteration++
		},
	}
	ctx := cellular.Watched(t.Context(), watch)
	var wg sync.WaitGroup
	before, rowsBefore := cellular.Counts()
	for i, a := range c.callers {
		a.want.out, a.want.err = plain.Call(t.Context(), a.args...)
		a.ctx, a.cancel = context.WithCancel(ctx)
		defer a.cancel()
		if i > 0 {
			wg.Go(func() {
				defer close(a.ended)
				<-a.start
				a.got.out, a.got.err = batched.Call(a.ctx, a.args...)
			})
		}
	}
	first := c.callers[0]
	first.got.out, first.got.err = batched.Call(first.ctx, first.args...)
	mu.Lock()
	if c.faults != all && iteration < 60 {
		t.Errorf("seed %d: the first caller ended in iteration %d", c.seed, iteration)
	}
	for ; iteration < 60; iteration++ { // who has not joined
		for _, a := range c.callers[1:] {
			if a.joins == iteration {
				close(a.start)
			}
		}
	}
	iteration = 1000
	mu.Unlock()
	wg.Wait()
	after, rowsAfter := cellular.Counts()
	wantRows, wantIterations := 0, 0
	for i, a := range c.callers {
		a.check(t, fmt.Sprintf("seed %d, caller %d of %d", c.seed, i, len(c.callers)))
		if a.cancelled >= 0 {
			a.length = min(a.length, a.cancelled-a.joins)
		}
		wantRows += a.length
		wantIterations = max(wantIterations, a.joins+a.length)
	}
	if got := int(rowsAfter - rowsBefore); c.faults != all && got != wantRows {
		t.Errorf("seed %d: the callers took part in %d iterations, not %d", c.seed, got, wantRows)
	}
	if got := int(after - before); c.faults != all && got != wantIterations {
		t.Errorf("seed %d: %d iterations were run, not %d", c.seed, got, wantIterations)
	}
}

func (a *caller) check(t *testing.T, what string) {
	t.Helper()
	if a.cancelled >= 0 && status.CodeOf(a.got.err) == status.Canceled {
		return
	}
	if w, g := status.CodeOf(a.want.err), status.CodeOf(a.got.err); w != g {
		t.Errorf("%s: error %v, not %v", what, a.got.err, a.want.err)
		return
	}
	if a.want.err != nil {
		if w, g := status.From(a.want.err), status.From(a.got.err); w.Message != g.Message {
			t.Errorf("%s: error\n%v, not\n%v", what, g, w)
		}
		return
	}
	for k := range a.want.out {
		if err := tensor.Compare(a.got.out[k], a.want.out[k], tensor.Tolerance{Exact: true}); err != nil {
			t.Errorf("%s: result %d: %v", what, k, err)
		}
	}
}

func open(t *testing.T, d *decoders.Decoder, o *session.SessionOptions) *session.Callable {
	t.Helper()
	s, err := session.NewSession(d.Graph, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c, err := s.MakeCallable(d.Feeds(), d.Fetches(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLanes has callers in several lanes, that are driven at the same time: each gets what it gets
// alone.
func TestLanes(t *testing.T) {
	d, err := decoders.New("gru", 16, words)
	if err != nil {
		t.Fatal(err)
	}
	plain := open(t, d, &session.SessionOptions{})
	batched := open(t, d, &session.SessionOptions{BatchLoops: true})
	var want []result
	for word := range words {
		var r result
		r.out, r.err = plain.Call(t.Context(), decoders.Args(int32(word), int32(word), 1)...)
		want = append(want, r)
	}
	ctx := cellular.Watched(t.Context(), &cellular.Watch{Lanes: 3, Entered: func() {}, Iterating: func() {}})
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 5))
			for range 30 {
				a := caller{cancelled: -1}
				word := rng.IntN(words)
				a.want = want[word]
				a.got.out, a.got.err = batched.Call(ctx, decoders.Args(int32(word), int32(word), 1)...)
				a.check(t, fmt.Sprintf("word %d", word))
			}
		})
	}
	wg.Wait()
}

// TestDriverPanics has the caller that drives a lane panic in some iteration: the others are told, and
// have what they have alone.
func TestDriverPanics(t *testing.T) {
	d, err := decoders.New("gru", 8, words)
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.NewSession(d.Graph, &session.SessionOptions{BatchLoops: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	plain := open(t, d, &session.SessionOptions{})
	c, err := s.MakeCallable(d.Feeds(), d.Fetches(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var used int64
	for at := range int64(12) {
		const callers = 5
		entered := make(chan struct{}, callers)
		var iteration atomic.Int64
		ctx := cellular.Watched(t.Context(), &cellular.Watch{
			Entered: func() { entered <- struct{}{} },
			Iterating: func() {
				i := iteration.Add(1) - 1
				if i == 0 { // all wait, or join
					for range callers {
						<-entered
					}
				}
				if i == at {
					panic("the driver has had enough")
				}
			},
		})
		var wg sync.WaitGroup
		var panicked atomic.Int64
		for i := range callers {
			args := decoders.Args(int32(i), int32(20+i), 1)
			var want result
			want.out, want.err = plain.Call(t.Context(), args...)
			wg.Go(func() {
				a := caller{cancelled: -1, want: want}
				if a.got.out, a.got.err = c.Call(ctx, args...); a.got.err != nil && strings.Contains(a.got.err.Error(), "enough") {
					panicked.Add(1)
					return
				}
				a.check(t, fmt.Sprintf("iteration %d, caller %d", at, i))
			})
		}
		wg.Wait()
		if panicked.Load() != 1 {
			t.Errorf("iteration %d: %d callers have the error of one", at, panicked.Load())
		}
		if now := s.MemoryInUse(); at == 0 {
			used = now
		} else if now > used {
			t.Errorf("iteration %d: %d bytes are in use, and were %d", at, now, used)
		}
	}
}

// TestFlat holds memory, goroutines and the account of a session constant over many callers that
// join and leave.
func TestFlat(t *testing.T) {
	d, err := decoders.New("gru", 8, words)
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.NewSession(d.Graph, &session.SessionOptions{BatchLoops: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := s.MakeCallable(d.Feeds(), d.Fetches(), nil)
	if err != nil {
		t.Fatal(err)
	}
	run := func(callers int) {
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(i), 3))
				for range callers / 16 {
					ctx, cancel, length := t.Context(), func() {}, rng.Int32N(6)
					if rng.IntN(8) == 0 { // its context ends in some iteration
						length += 20
						ctx, cancel = context.WithCancel(ctx)
						go cancel()
					}
					_, err := c.Call(ctx, decoders.Args(rng.Int32N(words), length, 1)...)
					cancel()
					if err != nil && status.CodeOf(err) != status.Canceled {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
	callers := *joins
	if testing.Short() {
		callers /= 4
	}
	run(callers / 10)
	type usage struct {
		account, programs int64
		goroutines        int
	}
	use := func() usage { return usage{s.MemoryInUse(), s.ProgramMemory(), runtime.NumGoroutine()} }
	before, heap := use(), live()
	run(callers)
	for range 1 << 22 { // until those that contexts run at their ends have ended
		if runtime.NumGoroutine() <= before.goroutines {
			break
		}
		runtime.Gosched()
	}
	if after := use(); after.account != before.account || after.programs != before.programs || after.goroutines > before.goroutines {
		t.Errorf("after %d callers: %+v, before %+v", callers, after, before)
	}
	if more := live() - heap; more > 4<<20 {
		t.Errorf("the heap has grown by %d bytes", more)
	}
}

func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestClose closes a session while callers are in a batch: all end, with CANCELLED.
func TestClose(t *testing.T) {
	d, err := decoders.New("gru", 8, words)
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.NewSession(d.Graph, &session.SessionOptions{BatchLoops: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.MakeCallable(d.Feeds(), d.Fetches(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const n = 8
	entered, closed := make(chan struct{}, n), make(chan error, 1)
	var once sync.Once
	ctx := cellular.Watched(t.Context(), &cellular.Watch{
		Entered: func() { entered <- struct{}{} },
		Iterating: func() {
			once.Do(func() {
				for range n {
					<-entered
				}
				go func() { closed <- s.Close() }()
			})
		},
	})
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			if _, err := c.Call(ctx, decoders.Args(1, 1<<20, 1)...); status.CodeOf(err) != status.Canceled {
				t.Errorf("a caller ended with %v", err)
			}
		})
	}
	wg.Wait()
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
