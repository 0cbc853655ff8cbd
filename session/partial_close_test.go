package session_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

var closes = flag.Int("closes", 300, "close `N` sessions in TestPartialRunsRaceClose")

// A gate holds a program at its compilation.
type makingGate struct{ came, pass chan struct{} }

var making = makingGate{make(chan struct{}), make(chan struct{})}

// slowly tells that a kernel which takes its time is being made.
var slowly = make(chan struct{}, 1)

func init() {
	registry.Define("TestHeldWhenMade").Input("x: int32").Output("y: int32").Stateful()
	shape.Register(func(c *shape.Context) error { c.SetOutput(0, c.Input(0)); return nil }, "TestHeldWhenMade")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		making.came <- struct{}{}
		<-making.pass
		return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error { out[0] = in[0]; return nil }), nil
	}, "TestHeldWhenMade")
	registry.Define("TestSlowlyMade").Input("x: int32").Output("y: int32").Stateful()
	shape.Register(func(c *shape.Context) error { c.SetOutput(0, c.Input(0)); return nil }, "TestSlowlyMade")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		select {
		case slowly <- struct{}{}:
		default:
		}
		for range rand.IntN(1 << rand.IntN(10)) {
			runtime.Gosched()
		}
		return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error { out[0] = in[0]; return nil }), nil
	}, "TestSlowlyMade")
}

// A partial run whose program is still being compiled when Close abandons the others is
// refused, and Close does not wait for it.
func TestCloseRefusesALatePartialRun(t *testing.T) {
	b := build(t)
	x := b.placeholder("x", session.Int32)
	q := b.add("FIFOQueueV2", "q", map[string]any{"component_types": []session.DataType{session.Int32}}).Output(0)
	never := b.add("QueueDequeueV2", "never", map[string]any{"component_types": []session.DataType{session.Int32}}, q).Output(0)
	slow := b.add("TestHeldWhenMade", "slow", nil, x).Output(0)
	s := b.open(nil)
	early, err := s.NewPartialRun(nil, []session.Output{never}, nil)
	if err != nil {
		t.Fatal(err)
	}
	late := make(chan error)
	go func() {
		_, err := s.NewPartialRun([]session.Output{x}, []session.Output{slow}, nil)
		late <- err
	}()
	<-making.came
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	if _, err := early.Run(nil, []session.Output{never}, nil); session.CodeOf(err) != session.Canceled { // Close has abandoned it
		t.Error(err)
	}
	for made := false; !made; {
		select {
		case making.pass <- struct{}{}:
		case <-making.came:
		case err := <-late:
			if made = true; session.CodeOf(err) != session.FailedPrecondition {
				t.Errorf("a partial run of a session that closes: %v", err)
			}
		}
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// Partial runs are made, fed, closed and left alone while their session is closed.
func TestPartialRunsRaceClose(t *testing.T) {
	for seed := range *closes {
		engine := engines[seed%len(engines)]
		b := build(t)
		x, y := b.placeholder("x", session.Int32), b.placeholder("y", session.Int32)
		neg := b.add("TestSlowlyMade", "neg", nil, x).Output(0)
		sum := b.add("AddV2", "sum", nil, neg, y).Output(0)
		s, err := session.NewSession(b.Graph, &session.SessionOptions{Engine: engine})
		if err != nil {
			t.Fatal(err)
		}
		one := tensorOf(t, int32(1))
		allowed := func(what string, err error) {
			switch session.CodeOf(err) {
			case session.FailedPrecondition, session.Canceled:
			default:
				t.Errorf("seed %d on %s, %s: %v", seed, engine, what, err)
			}
		}
		select {
		case <-slowly:
		default:
		}
		var wg sync.WaitGroup
		for k := range 4 {
			r := rand.New(rand.NewPCG(uint64(seed), uint64(k)))
			wg.Go(func() {
				for range 1 + r.IntN(3) {
					ctx, cancel := context.Background(), func() {} // Close alone ends it
					if r.IntN(3) == 0 {
						ctx, cancel = context.WithCancel(ctx)
					}
					pr, err := s.NewPartialRunContext(ctx, []session.Output{x, y}, []session.Output{neg, sum}, nil)
					if err != nil {
						allowed("NewPartialRun", err)
						cancel()
						return
					}
					if r.IntN(2) == 0 {
						if _, err := pr.Run(feeds{x: one}, []session.Output{neg}, nil); err != nil {
							allowed("Run", err)
						}
					}
					if r.IntN(3) == 0 {
						if _, err := pr.Run(feeds{y: one}, nil, nil); err != nil {
							allowed("Run", err)
						}
					}
					if r.IntN(4) == 0 {
						pr.Close()
					}
					cancel()
				}
			})
		}
		r := rand.New(rand.NewPCG(uint64(seed), 10))
		if r.IntN(3) > 0 {
			<-slowly
		}
		for range r.IntN(1 << r.IntN(10)) {
			runtime.Gosched()
		}
		for range 2 {
			wg.Go(func() { s.Close() })
		}
		wg.Wait()
		if n := s.MemoryInUse(); n != 0 {
			t.Errorf("seed %d on %s: %d bytes in use after Close", seed, engine, n)
		}
	}
}
