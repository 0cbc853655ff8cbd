package cellular_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/benchmarks/trees"
	"github.com/troupe-go/troupe/compile/cellular"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// TestTrees holds trees whose calls run in batches, together with those of callers that join at
// batches that the seed chooses, against single runs: results to the bit, and errors to the byte.
// Faults are words that there are not, nodes that there are not, trees that have no end, and callers
// that are cancelled.
func TestTrees(t *testing.T) {
	m, err := trees.New(16, words)
	if err != nil {
		t.Fatal(err)
	}
	plain, batched := openTrees(t, m, &session.SessionOptions{}), openTrees(t, m, &session.SessionOptions{BatchLoops: true})
	seeds := 60
	if testing.Short() {
		seeds = 8
	}
	kinds := map[string]int{}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		c := &stand{lanes: 1 + rng.IntN(2)}
		for i := range 1 + rng.IntN(12) {
			tree := trees.Draw(rng, 1+rng.IntN(40), words)
			f := &fed{joins: rng.IntN(12), cancelled: -1}
			if i == 0 {
				f.joins = 0
			}
			at := rng.IntN(len(tree.Left))
			switch rng.IntN(16) {
			case 0:
				tree.Words[at] = words + rng.Int32N(3)
			case 1:
				tree.Left[at] = int32(len(tree.Left)) + rng.Int32N(2)
			case 2:
				tree.Right[at] = -1 - rng.Int32N(3)
			case 3:
				tree.Left[at] = tree.Root
			case 4, 5:
				f.cancelled = f.joins + rng.IntN(10)
			}
			f.args = tree.Args()
			c.feds = append(c.feds, f)
		}
		c.run(t, plain, batched)
		failed := 0
		for _, f := range c.feds {
			if f.wantErr != nil {
				failed++
			}
		}
		if n := int(c.alone.Load()); n > failed {
			t.Fatalf("seed %d: %d callers have run by themselves, and %d fail", seed, n, failed)
		}
		for i, f := range c.feds {
			if err := f.check(); err != nil {
				t.Fatalf("seed %d, caller %d of %d: %v", seed, i, len(c.feds), err)
			}
			switch {
			case status.CodeOf(f.gotErr) == status.Canceled:
				kinds["cancelled"]++
			case f.wantErr != nil:
				text := status.From(f.wantErr).Message
				switch {
				case strings.Contains(text, "deep"):
					text = "deep"
				case strings.Contains(text, "indices"):
					text = "indices"
				}
				kinds[text]++
			default:
				kinds["right"]++
			}
		}
	}
	t.Log(kinds)
	if seeds >= 60 && (kinds["cancelled"] == 0 || kinds["deep"] == 0 || kinds["indices"] == 0) {
		t.Error("some faults did not occur")
	}
}

// TestBatchesByHeight holds the number of batches of trees to what the height of the highest needs:
// a batch for each depth to see which nodes are leaves, one for the leaves, and one for each height
// above them.
func TestBatchesByHeight(t *testing.T) {
	m, err := trees.New(8, words)
	if err != nil {
		t.Fatal(err)
	}
	c := openTrees(t, m, &session.SessionOptions{BatchLoops: true})
	for seed := range 30 {
		rng := rand.New(rand.NewPCG(uint64(seed), 2))
		// The second comes when the first stands before its first batch.
		list := []*trees.Tree{trees.Draw(rng, 1+rng.IntN(60), words), trees.Draw(rng, 1+rng.IntN(60), words)}
		height := max(list[0].Height(), list[1].Height())
		before, rowsBefore := cellular.Counts()
		entered := make(chan struct{}, 2)
		start := sync.OnceFunc(func() {
			<-entered
			go func() {
				if _, err := c.Call(watched(t, entered), list[1].Args()...); err != nil {
					t.Error(err)
				}
				entered <- struct{}{}
			}()
			<-entered
		})
		ctx := cellular.Watched(t.Context(), &cellular.Watch{Entered: func() { entered <- struct{}{} }, Iterating: start, Alone: func() { t.Error("it runs alone") }})
		if _, err := c.Call(ctx, list[0].Args()...); err != nil {
			t.Fatal(err)
		}
		<-entered
		after, rowsAfter := cellular.Counts()
		if got, want := int(after-before), height+1+1+height; got != want {
			t.Errorf("seed %d, height %d: %d batches, not %d", seed, height, got, want)
		}
		if got, want := int(rowsAfter-rowsBefore), 2*(len(list[0].Left)+len(list[1].Left)); got != want {
			t.Errorf("seed %d: %d rows, not %d", seed, got, want)
		}
	}
}

// watched returns a context whose calls are batched, however few and small they are.
func watched(t *testing.T, entered chan<- struct{}) context.Context {
	return cellular.Watched(t.Context(), &cellular.Watch{
		Iterating: func() {},
		Entered: func() {
			if entered != nil {
				entered <- struct{}{}
			}
		},
	})
}

// TestTreesFlat holds memory, goroutines and the account of a session constant over many callers
// that join, fail and leave.
func TestTreesFlat(t *testing.T) {
	m, err := trees.New(8, words)
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.NewSession(m.Graph, &session.SessionOptions{BatchLoops: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := s.MakeCallable(m.Feeds(), m.Fetches(), nil)
	if err != nil {
		t.Fatal(err)
	}
	run := func(callers int) {
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(i), 3))
				for range callers / 16 {
					ctx, cancel := context.WithCancel(watched(t, nil))
					tree := trees.Draw(rng, 1+rng.IntN(10), words)
					switch rng.IntN(8) {
					case 0:
						tree.Words[0] = words
					case 1:
						go cancel()
					}
					_, err := c.Call(ctx, tree.Args()...)
					cancel()
					if code := status.CodeOf(err); err != nil && code != status.Canceled && code != status.InvalidArgument {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
	callers := *joins / 4
	run(callers / 10)
	account, goroutines, heap := s.MemoryInUse(), runtime.NumGoroutine(), live()
	run(callers)
	for range 1 << 22 { // until those that contexts run at their ends have ended
		if runtime.NumGoroutine() <= goroutines {
			break
		}
		runtime.Gosched()
	}
	if s.MemoryInUse() != account || runtime.NumGoroutine() > goroutines {
		t.Errorf("after %d callers: %d bytes, %d goroutines; before %d, %d", callers, s.MemoryInUse(), runtime.NumGoroutine(), account, goroutines)
	}
	if more := live() - heap; more > 4<<20 {
		t.Errorf("the heap has grown by %d bytes", more)
	}
}

// TestTreesLimit has a tree pass the session's memory limit: it ends as a run without batches does,
// or it ends well, and leaves nothing on the account.
func TestTreesLimit(t *testing.T) {
	m, err := trees.New(64, words)
	if err != nil {
		t.Fatal(err)
	}
	tree := trees.Draw(rand.New(rand.NewPCG(1, 1)), 300, words)
	plain := openTrees(t, m, &session.SessionOptions{})
	want, err := plain.Call(t.Context(), tree.Args()...)
	if err != nil {
		t.Fatal(err)
	}
	for limit := int64(1 << 16); limit < 1<<24; limit *= 2 {
		s, err := session.NewSession(m.Graph, &session.SessionOptions{BatchLoops: true, MemoryLimit: limit})
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.MakeCallable(m.Feeds(), m.Fetches(), nil)
		if err == nil {
			var got []*tensor.Tensor
			before := s.MemoryInUse()
			if got, err = c.Call(watched(t, nil), tree.Args()...); err == nil {
				err = compareAll(got, want)
			}
			if after := s.MemoryInUse(); after > before+s.ProgramMemory() {
				t.Errorf("limit %d: %d bytes in use, %d before", limit, after, before)
			}
		}
		if err != nil && status.CodeOf(err) != status.ResourceExhausted {
			t.Errorf("limit %d: %v", limit, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func compareAll(got, want []*tensor.Tensor) error {
	for k := range want {
		if err := tensor.Compare(got[k], want[k], tensor.Tolerance{Exact: true}); err != nil {
			return fmt.Errorf("result %d: %v", k, err)
		}
	}
	return nil
}

// A stand is callers of one callable, and when each joins: the first is there from the beginning.
type stand struct {
	lanes int
	feds  []*fed
	alone atomic.Int64 // callers that have run by themselves
}

// A fed is one of them.
type fed struct {
	args             []*tensor.Tensor
	joins, cancelled int // the batch; -1: none
	start, ended     chan struct{}
	ctx              context.Context
	cancel           context.CancelFunc
	got, want        []*tensor.Tensor
	gotErr, wantErr  error
}

func (c *stand) run(t *testing.T, plain, batched *session.Callable) {
	entered := make(chan struct{}, len(c.feds))
	var mu sync.Mutex
	batch := 0
	ctx := cellular.Watched(t.Context(), &cellular.Watch{
		Lanes:   c.lanes,
		Alone:   func() { c.alone.Add(1) },
		Entered: func() { entered <- struct{}{} },
		Iterating: func() {
			mu.Lock()
			defer mu.Unlock()
			if batch == 0 {
				<-entered
			}
			for _, f := range c.feds[1:] {
				if f.joins == batch {
					close(f.start)
					select {
					case <-entered:
					case <-f.ended:
					}
				}
				if f.cancelled == batch {
					f.cancel()
				}
			}
			batch++
		},
	})
	var wg sync.WaitGroup
	for _, f := range c.feds {
		f.want, f.wantErr = plain.Call(t.Context(), f.args...)
		f.start, f.ended = make(chan struct{}), make(chan struct{})
		f.ctx, f.cancel = context.WithCancel(ctx)
		defer f.cancel()
	}
	for i, f := range c.feds {
		wg.Go(func() {
			defer close(f.ended)
			if i > 0 {
				<-f.start
			}
			f.got, f.gotErr = batched.Call(f.ctx, f.args...)
		})
	}
	<-c.feds[0].ended
	mu.Lock()
	for _, f := range c.feds[1:] { // who has not joined
		if f.joins >= batch {
			close(f.start)
		}
	}
	batch = 1 << 20
	mu.Unlock()
	wg.Wait()
}

func (f *fed) check() error {
	if f.cancelled >= 0 && status.CodeOf(f.gotErr) == status.Canceled {
		return nil
	}
	if f.wantErr != nil || f.gotErr != nil {
		if fmt.Sprint(f.gotErr) != fmt.Sprint(f.wantErr) {
			return fmt.Errorf("error\n%v, not\n%v", f.gotErr, f.wantErr)
		}
		return nil
	}
	return compareAll(f.got, f.want)
}

func openTrees(t *testing.T, m *trees.Model, o *session.SessionOptions) *session.Callable {
	t.Helper()
	s, err := session.NewSession(m.Graph, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c, err := s.MakeCallable(m.Feeds(), m.Fetches(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTreesOnEngines has trees batched on each engine, which runs the stages.
func TestTreesOnEngines(t *testing.T) {
	m, err := trees.New(8, words)
	if err != nil {
		t.Fatal(err)
	}
	plain := openTrees(t, m, &session.SessionOptions{})
	for _, engine := range []string{"actors", "tokens", "messages", "sequential", "seeded:7"} {
		batched := openTrees(t, m, &session.SessionOptions{BatchLoops: true, Engine: engine})
		for seed := range 4 {
			rng := rand.New(rand.NewPCG(uint64(seed), 4))
			c := &stand{lanes: 1}
			for i := range 3 {
				c.feds = append(c.feds, &fed{args: trees.Draw(rng, 1+rng.IntN(20), words).Args(), joins: i, cancelled: -1})
			}
			c.run(t, plain, batched)
			for _, f := range c.feds {
				if err := f.check(); err != nil {
					t.Errorf("%s, seed %d: %v", engine, seed, err)
				}
			}
			if n := c.alone.Load(); n > 0 {
				t.Errorf("%s, seed %d: %d callers have run by themselves", engine, seed, n)
			}
		}
	}
}
