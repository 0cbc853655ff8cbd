package session_test

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
	"time"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

var (
	cancelled = flag.Int("cancelled", 4000, "cancel `N` steps in TestManyAreCancelled")
	opened    = flag.Int("opened", 1000, "open `N` sessions in TestManySessions")
)

// What a TestFault does in its iteration.
const (
	faultNone = iota
	faultError
	faultPanic
	faultPanicOfRange // on a worker
	faultDelay        // none, later
	faultKinds
	faultCancel // of its own step, by the function in the context
)

type cancelKey struct{}

func init() {
	// TestFault hands x on, and does what kind says in iteration at.
	registry.Define("TestFault").Input("x: T").Input("i: int32").Input("at: int32").Input("kind: int32").Output("y: T").
		Attr("T: type").Stateful()
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			out[0] = in[0]
			if tensor.At0[int32](&in[1]) != tensor.At0[int32](&in[2]) {
				return nil
			}
			switch tensor.At0[int32](&in[3]) {
			case faultError:
				return status.Errorf(status.DataLoss, "injected")
			case faultPanic:
				panic("injected")
			case faultPanicOfRange:
				ctx.Parallel(1000, 1, func(lo, _ int) {
					if lo > 500 {
						panic("injected")
					}
				})
			case faultCancel:
				ctx.Step.Context.Value(cancelKey{}).(context.CancelFunc)()
			case faultDelay:
				for range 1000 {
					runtime.Gosched()
				}
			}
			return nil
		}), nil
	}, "TestFault")
	// TestSecond fails as soon as its step has ended: never first.
	registry.Define("TestSecond").Output("y: int32").Stateful()
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return second{}, nil }, "TestSecond")
}

type second struct{}

func (second) Run(*kernel.Context, []tensor.Value, []tensor.Value) error { panic("not called") }

func (second) Start(ctx *kernel.Context, _, out []tensor.Value, done func(error)) {
	context.AfterFunc(ctx.Step.Context, func() { done(status.Errorf(status.Aborted, "second")) })
}

// 64 callers run steps in which kernels fail, panic and dawdle: each gets the first
// error of its own step, the session stays usable, and nothing is left behind.
func TestFaultsUnderCallers(t *testing.T) {
	const callers = 64
	runs := 20
	if testing.Short() {
		runs = 3
	}
	for _, engine := range []string{"actors", "tokens", "messages"} {
		t.Run(engine, func(t *testing.T) {
			g, feeds, result, beside := faulty(t)
			s, err := session.NewSession(g, &session.SessionOptions{Engine: engine, Threads: 4})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			want := step(t.Context(), t, s, feeds, 0, faultNone, result)
			if want.err != nil {
				t.Fatal(want.err)
			}
			var ran [faultKinds]atomic.Int64
			var wg sync.WaitGroup
			for caller := range callers {
				wg.Go(func() {
					rng := rand.New(rand.NewPCG(uint64(caller), 3))
					for range runs {
						kind := rng.IntN(faultKinds)
						fetches := []session.Output{result}
						if kind != faultNone && kind != faultDelay && rng.IntN(2) == 0 {
							fetches = append(fetches, beside)
						}
						got := step(t.Context(), t, s, feeds, rng.IntN(20), kind, fetches...)
						ran[kind].Add(1)
						switch {
						case kind == faultError && (session.CodeOf(got.err) != session.DataLoss || !strings.Contains(got.err.Error(), "injected")),
							(kind == faultPanic || kind == faultPanicOfRange) && !kernel.IsPanic(got.err),
							(kind == faultNone || kind == faultDelay) && (got.err != nil || got.text != want.text):
							t.Errorf("kind %d: %v, %.40q", kind, got.err, got.text)
						}
					}
				})
			}
			wg.Wait()
			for kind := range ran {
				if ran[kind].Load() == 0 {
					t.Errorf("no step of kind %d", kind)
				}
			}
			if got := step(t.Context(), t, s, feeds, 0, faultNone, result); got != want {
				t.Errorf("afterwards: %v", got.err)
			}
			if n := s.MemoryInUse(); n != 0 {
				t.Errorf("%d bytes in use", n)
			}
		})
	}
}

// faulty returns a loop of tensors, strings and lists through TestFaults, and a TestSecond.
func faulty(t *testing.T) (g *session.Graph, feeds [2]session.Output, result, beside session.Output) {
	t.Helper()
	s := op.NewScope().WithUniqueNames()
	for i := range feeds {
		feeds[i] = op.Placeholder(s, session.Int32, op.PlaceholderShape(session.ScalarShape()))
	}
	fault := func(s *op.Scope, x, i session.Output) session.Output {
		return s.AddOperation(session.OpSpec{Type: "TestFault", Input: []session.Input{x, i, feeds[0], feeds[1]}}).Output(0)
	}
	one, limit := op.Const(s, int32(1)), op.Const(s, int32(20))
	list := op.EmptyTensorList(s, op.Const(s, int32(-1)), op.Const(s, int32(-1)), session.Float)
	out := op.While(s, []session.Output{op.Const(s, int32(0)), op.Const(s, make([]float32, 64)), op.Const(s, "x"), list},
		func(s *op.Scope, v []session.Output) session.Output { return op.Less(s, v[0], limit) },
		func(s *op.Scope, v []session.Output) []session.Output {
			x := fault(s, op.Add(s, v[1], op.Cast(s, v[0], session.Float)), v[0])
			text := op.StringJoin(s, []session.Output{v[2], op.AsString(s, v[0])})
			return []session.Output{op.Add(s, v[0], one), op.Neg(s, x), text, op.TensorListPushBack(s, v[3], x)}
		})
	all := op.TensorListStack(s, out[3], op.Const(s, int32(-1)), session.Float)
	result = op.StringJoin(s, []session.Output{out[2], op.ReduceJoin(s, op.ReduceJoin(s, op.AsString(s, all), op.Const(s, int32(0))), op.Const(s, int32(0)))})
	beside = s.AddOperation(session.OpSpec{Type: "TestSecond"}).Output(0)
	g, err := s.Finalize()
	if err != nil {
		t.Fatal(err)
	}
	return g, feeds, result, beside
}

type answer struct {
	text string
	err  error
}

func step(ctx context.Context, t *testing.T, s *session.Session, feeds [2]session.Output, at, kind int, fetches ...session.Output) answer {
	out, err := s.RunContext(ctx, map[session.Output]*session.Tensor{
		feeds[0]: tensorOf(t, int32(at)), feeds[1]: tensorOf(t, int32(kind)),
	}, fetches, nil)
	if err != nil {
		return answer{err: err}
	}
	return answer{text: fmt.Sprint(out[0].Value())}
}

// more runs f n times on 8 goroutines, and says how many goroutines and bytes of heap
// there are more afterwards than after the first tenth.
func more(n int, f func(i int)) (goroutines int, heap int64) {
	run := func(from, to int) {
		var next atomic.Int64
		next.Store(int64(from))
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for i := next.Add(1) - 1; i < int64(to); i = next.Add(1) - 1 {
					f(int(i))
				}
			})
		}
		wg.Wait()
	}
	run(0, n/10)
	goroutines, heap = runtime.NumGoroutine(), heapInUse()
	run(n/10, n)
	// What a cancelled context calls, it calls on goroutines, which may be about to end.
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > goroutines && time.Now().Before(end); {
		runtime.Gosched()
	}
	return runtime.NumGoroutine() - goroutines, heapInUse() - heap
}

// Any number of steps that were cancelled leaves goroutines, heap and account as they
// were; `-cancelled 1000000` is any number.
func TestManyAreCancelled(t *testing.T) {
	g, feeds, result, _ := faulty(t)
	s, err := session.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	goroutines, heap := more(*cancelled, func(i int) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if i%10 == 0 {
			cancel() // before it begins
		}
		ctx = context.WithValue(ctx, cancelKey{}, cancel)
		if got := step(ctx, t, s, feeds, i%20, faultCancel, result); session.CodeOf(got.err) != session.Canceled {
			t.Error(got.err)
		}
	})
	if goroutines > 0 || heap > 1<<20 || s.MemoryInUse() != 0 {
		t.Errorf("%d steps: %d goroutines, %d bytes of heap and %d on the account more", *cancelled, goroutines, heap, s.MemoryInUse())
	}
}

// Any number of sessions that were opened, used and closed leaves goroutines and heap
// as they were; `-opened 100000` is any number.
func TestManySessions(t *testing.T) {
	g, feeds, result, _ := faulty(t)
	goroutines, heap := more(*opened, func(i int) {
		s, err := session.NewSession(g, &session.SessionOptions{Engine: []string{"actors", "tokens"}[i%2]})
		if err != nil {
			t.Error(err)
			return
		}
		kind := i % faultKinds
		if got := step(t.Context(), t, s, feeds, i%20, kind, result); (got.err == nil) != (kind == faultNone || kind == faultDelay) {
			t.Errorf("kind %d: %v", kind, got.err)
		}
		if err := s.Close(); err != nil || s.MemoryInUse() != 0 {
			t.Errorf("%v, %d bytes in use", err, s.MemoryInUse())
		}
	})
	// The actor library's registry of addresses has 32,768 maps, which take some 200
	// bytes each once they have been used.
	if goroutines > 0 || heap > 10<<20 {
		t.Errorf("%d sessions: %d goroutines and %d bytes of heap more", *opened, goroutines, heap)
	}
}
