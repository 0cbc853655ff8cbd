package benchmarks_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A labour is the kernel of the loops' bodies: it works for so long, without a
// look at its context. The one that the countdown reaches says so first.
type labour time.Duration

var (
	countdown atomic.Int64
	reached   = make(chan struct{}, 1)
)

func (l labour) Run(_ *kernel.Context, in, out []tensor.Value) error {
	if countdown.Add(-1) == 0 {
		reached <- struct{}{}
	}
	if l > 0 {
		for begin := time.Now(); time.Since(begin) < time.Duration(l); {
		}
	}
	out[0] = in[0]
	return nil
}

func init() {
	registry.Define("TestLabour").Input("x: int32").Output("y: int32").Attr("nanos: int").Stateful()
	shape.Register(func(c *shape.Context) error { c.SetOutput(0, c.Input(0)); return nil }, "TestLabour")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) { return labour(c.Int("nanos")), nil }, "TestLabour")
}

// laborious returns a session with an endless loop of a body of so many kernels.
func laborious(t *testing.T, engine string, kernels int, each time.Duration) (*tf.Session, *tf.Callable) {
	s := op.NewScope()
	zero, one := op.Const(s.SubScope("zero"), int32(0)), op.Const(s.SubScope("one"), int32(1))
	r := op.While(s, []tf.Output{zero},
		func(s *op.Scope, v []tf.Output) tf.Output { return op.GreaterEqual(s, v[0], zero) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			y := v[0]
			for range kernels {
				y = s.AddOperation(tf.OpSpec{Type: "TestLabour", Input: []tf.Input{y}, Attrs: map[string]any{"nanos": int64(each)}}).Output(0)
			}
			return []tf.Output{op.FloorMod(s.SubScope("again"), op.AddV2(s, y, one), op.Const(s.SubScope("turn"), int32(1<<20)))}
		})
	g, err := s.Finalize()
	if err != nil {
		t.Fatal(err)
	}
	sess, err := tf.NewSession(g, &tf.SessionOptions{Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sess.Close() })
	c, err := sess.MakeCallable(nil, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sess, c
}

var asked = flag.Int("asked", 20, "TestAttention asks at `N` points of each loop")

// TestAttention asks something of an endless loop at random points, and times
// the answer: to be cancelled, to be aborted, to say what it does. Where the
// answer is late it asks at that point again: what is the loop's fault comes back,
// what is the machine's goes.
func TestAttention(t *testing.T) {
	const (
		soon  = 5 * time.Millisecond
		again = 20 // times a point is asked at: the machine has others to serve
	)
	for _, engine := range []string{"sequential", "seeded:1", "tokens", "actors"} { // actors: the loop is a unit
		for _, kernels := range []int{1, 100, 10_000} {
			for _, each := range []time.Duration{0, time.Millisecond} {
				sess, call := laborious(t, engine, kernels, each)
				asks, most := []string{"cancel"}, int64(30_000)
				if each > 0 {
					most = 10
				}
				if plan, err := call.Plan(t.Context()); engine == "actors" && (err != nil || plan.Units() != 1) {
					t.Fatalf("the loop is no unit: %v\n%v", err, plan)
				}
				if engine == "tokens" || engine == "actors" {
					asks = append(asks, "abort", "inspect")
				}
				for _, ask := range asks {
					var took []time.Duration
					for range *asked {
						at := 1 + rand.Int64N(most)
						best := attention(t, sess, call, ask, at)
						for range again {
							if best <= soon+each {
								break
							}
							best = min(best, attention(t, sess, call, ask, at))
						}
						took = append(took, best)
					}
					slices.Sort(took)
					worst := took[(len(took)*99-1)/100]
					t.Logf("%-10s %6d kernels of %-4v %-8s median %-12v 99%% within %v", engine, kernels, each, ask, took[len(took)/2], worst)
					if worst > soon+each {
						t.Errorf("%s, %d kernels of %v: 99%% of %s are answered within %v, want %v", engine, kernels, each, ask, worst, soon+each)
					}
				}
			}
		}
	}
}

// attention asks once, when so many kernels have begun, and says how long the
// answer took.
func attention(t *testing.T, sess *tf.Session, call *tf.Callable, ask string, kernels int64) time.Duration {
	countdown.Store(kernels)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := call.Call(ctx)
		ended <- err
	}()
	select {
	case <-reached:
	case err := <-ended:
		t.Fatalf("the loop ended: %v", err)
	}
	var took time.Duration
	want := status.Canceled
	switch ask {
	case "cancel":
		begin := time.Now()
		cancel()
		err := <-ended
		took = time.Since(begin)
		ended <- err
	case "abort":
		step := running(t, sess)
		begin := time.Now()
		actors.System().Root.Send(step, &actors.Abort{Reason: "enough"})
		err := <-ended
		took, want = time.Since(begin), status.Aborted
		ended <- err
	case "inspect":
		begin := time.Now()
		reports := sess.Inspect(ctx, 4)
		took = time.Since(begin)
		if len(reports) != 1 || reports[0].At == "" {
			t.Fatalf("reports %v", reports)
		}
	}
	cancel()
	if err := <-ended; status.CodeOf(err) != want {
		t.Fatalf("%s: %v", ask, err)
	}
	return took
}

// running returns the address of a session's only step.
func running(t *testing.T, sess *tf.Session) *actor.PID {
	t.Helper()
	reports := sess.Inspect(context.Background(), 1)
	if len(reports) != 1 {
		t.Fatal(fmt.Sprint("reports ", reports))
	}
	return actor.NewPID(actors.Address, reports[0].Step)
}
