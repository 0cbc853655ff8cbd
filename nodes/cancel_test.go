package nodes_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// vectors sums vectors in a loop with a branch, so that buffers are held at
// every point of a step: x, doubled if the iteration is even, n times added up.
const vectors = `
n = Placeholder() {dtype=DT_INT32}
x = Placeholder() {dtype=DT_INT32}
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
two = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 2>}
start = TestPoint(x)
ei = Enter(zero) {T=DT_INT32, frame_name="L", parallel_iterations=3}
es = Enter(start) {T=DT_INT32, frame_name="L", parallel_iterations=3}
cn = Enter(n) {T=DT_INT32, frame_name="L", is_constant=true, parallel_iterations=3}
cx = Enter(x) {T=DT_INT32, frame_name="L", is_constant=true, parallel_iterations=3}
c0 = Enter(zero) {T=DT_INT32, frame_name="L", is_constant=true, parallel_iterations=3}
c1 = Enter(one) {T=DT_INT32, frame_name="L", is_constant=true, parallel_iterations=3}
c2 = Enter(two) {T=DT_INT32, frame_name="L", is_constant=true, parallel_iterations=3}
i = Merge(ei, ni) {N=2, T=DT_INT32}
s = Merge(es, ns) {N=2, T=DT_INT32}
less = Less(i, cn) {T=DT_INT32}
c = LoopCond(less)
si = Switch(i, c) {T=DT_INT32}
ss = Switch(s, c) {T=DT_INT32}
mod = FloorMod(si:1, c2) {T=DT_INT32}
even = Equal(mod, c0) {T=DT_INT32}
point = KERNEL(cx, ^mod)
b = Switch(point, even) {T=DT_INT32}
double = AddV2(b:1, b:1) {T=DT_INT32}
same = TestPoint(b:0)
both = Merge(same, double) {N=2, T=DT_INT32}
add = AddV2(ss:1, both) {T=DT_INT32}
inc = AddV2(si:1, c1) {T=DT_INT32}
ni = NextIteration(inc) {T=DT_INT32}
ns = NextIteration(add) {T=DT_INT32}
xs = Exit(ss) {T=DT_INT32}
out = TestPoint(xs)
`

var vectorFeeds = []string{"n", "x"}

func vector(t testing.TB, xs ...int32) tensor.Value {
	x, err := tensor.NewTensor(xs)
	if err != nil {
		t.Fatal(err)
	}
	return tensor.ValueOf(x)
}

// programs are vectors with the kernels of these operations.
func programs(t *testing.T, ops ...string) map[string]*nodes.Program {
	all := map[string]*nodes.Program{}
	for _, op := range ops {
		all[op] = compiled(t, strings.Replace(vectors, "KERNEL", op, 1), vectorFeeds, "out")
	}
	return all
}

// checkVectors runs a program of vectors to its end.
func checkVectors(t *testing.T, e nodes.Engine, p *nodes.Program) {
	t.Helper()
	got, err := run(context.Background(), e, p, tensor.Scalar(int32(4)), vector(t, 1, 10, 100))
	if err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprint(got[0].Tensor().Value()); s != "[7 70 700]" {
		t.Fatalf("got %s, want [7 70 700]", s)
	}
}

// TestStopAnywhere aborts a step after every number of activations, on several
// schedules, and uses the program again.
func TestStopAnywhere(t *testing.T) {
	p := compiled(t, strings.Replace(vectors, "KERNEL", "TestPoint", 1), vectorFeeds, "out")
	for seed := range uint64(5) {
		for k, ended := 0, false; !ended; k++ {
			got, n, err := stopAfter(k, seed, p, tensor.Scalar(int32(4)), vector(t, 1, 10, 100))
			ended = n <= k
			switch {
			case ended && (err != nil || fmt.Sprint(got.Tensor().Value()) != "[7 70 700]"):
				t.Fatalf("seed %d: %v, %v", seed, got, err)
			case !ended && (status.CodeOf(err) != status.Canceled || !got.IsZero()):
				t.Fatalf("seed %d, stopped after %d: %v, %v", seed, k, got, err)
			}
		}
	}
}

// stopAfter drives a step by hand and aborts it after k activations, with
// kernels handed out of which some have run. n is how many nodes acted.
func stopAfter(k int, seed uint64, p *nodes.Program, feeds ...tensor.Value) (got tensor.Value, n int, err error) {
	rng := rand.New(rand.NewPCG(seed, 0))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	budget := tensor.NewBudget(1 << 30)
	s := p.Begin(newStep(ctx), feeds, nodes.Options{
		Budget: budget,
		Order: func(ready int) int {
			if n++; n > k {
				cancel()
			}
			return rng.IntN(ready)
		},
	})
	var due []*nodes.Activation
	for ctx.Err() == nil {
		a := s.Next()
		if a != nil {
			due = append(due, a)
		}
		if len(due) > 0 && (a == nil || rng.IntN(2) == 0) {
			i := rng.IntN(len(due))
			a = due[i]
			due = slices.Delete(due, i, i+1)
			s.Complete(a, a.Run())
		} else if a == nil {
			break
		}
	}
	if err := status.FromContext(ctx); err != nil {
		s.Abort(err)
	}
	for _, a := range due {
		var err error
		if rng.IntN(2) == 0 {
			err = a.Run()
		}
		s.Complete(a, err)
	}
	fetched := make([]tensor.Value, 1)
	err = s.End(fetched)
	if used := budget.Used(); used != 0 {
		err = fmt.Errorf("%d bytes stay charged, %v", used, err)
	}
	return fetched[0], n, err
}

// TestCancelInKernel cancels a step within each of its kernels, by the deadline
// or by hand.
func TestCancelInKernel(t *testing.T) {
	eachFault(t, func(cancel context.CancelCauseFunc, ctx *kernel.Context) error {
		cancel(context.DeadlineExceeded)
		return nil
	}, func(err error) bool {
		return err == nil || status.CodeOf(err) == status.DeadlineExceeded || status.CodeOf(err) == status.Canceled
	})
}

// TestKernelWaitsForCancellation: a kernel that waits gives up when its step is
// cancelled.
func TestKernelWaitsForCancellation(t *testing.T) {
	eachFault(t, func(cancel context.CancelCauseFunc, ctx *kernel.Context) error {
		cancel(context.Canceled)
		<-ctx.Step.Context.Done()
		return ctx.Err()
	}, func(err error) bool { return status.CodeOf(err) == status.Canceled })
}

// TestKernelFails lets each kernel of a step fail.
func TestKernelFails(t *testing.T) {
	eachFault(t, func(context.CancelCauseFunc, *kernel.Context) error {
		return status.Errorf(status.DataLoss, "lost")
	}, func(err error) bool {
		e := status.From(err)
		return e.Code == status.DataLoss && strings.HasPrefix(e.Op, "Test") && e.Device != "" && (e.Tag != "") == (e.Node == "point" || e.Node == "same")
	})
}

// TestKernelPanics lets each kernel of a step panic.
func TestKernelPanics(t *testing.T) {
	eachFault(t, func(context.CancelCauseFunc, *kernel.Context) error {
		panic("at the disco")
	}, func(err error) bool {
		e := status.From(err)
		return e.Code == status.Internal && strings.HasPrefix(e.Op, "Test") && strings.Contains(e.Message, "at the disco")
	}, "TestPoint", "TestNow") // nobody can catch the panic of another goroutine
}

// eachFault lets fault happen in the n-th kernel of a step, for every n, on
// every engine; good judges the step's error. The program serves again after.
func eachFault(t *testing.T, fault func(context.CancelCauseFunc, *kernel.Context) error, good func(error) bool, ops ...string) {
	if len(ops) == 0 {
		ops = []string{"TestPoint", "TestWait", "TestNow"}
	}
	defer setHook(nil)
	all := engines(t, 4)
	for op, p := range programs(t, ops...) {
		for _, e := range all {
			for n, again := 0, true; again; n++ {
				ctx, cancel := context.WithCancelCause(context.Background())
				hit := newCountdown(n)
				setHook(func(kc *kernel.Context) error {
					if hit.now() {
						return fault(cancel, kc)
					}
					return nil
				})
				_, err := run(ctx, e, p, tensor.Scalar(int32(4)), vector(t, 1, 10, 100))
				setHook(nil)
				cancel(nil)
				if again = hit.happened(); again && !good(err) || !again && err != nil {
					t.Fatalf("%s on %s, fault in kernel %d: %v", op, e.label, n, err)
				}
				checkVectors(t, e, p)
				if used := e.budget.Used(); used != 0 {
					t.Fatalf("%s on %s, fault in kernel %d: %d bytes stay charged", op, e.label, n, used)
				}
			}
		}
	}
}

// TestFailureEndsWaiting: of two kernels that wait one fails when both do;
// the other is told.
func TestFailureEndsWaiting(t *testing.T) {
	defer setHook(nil)
	p := compiled(t, `
x = Placeholder() {dtype=DT_INT32}
one = TestWait(x)
two = TestWait(x)
both = AddV2(one, two) {T=DT_INT32}
`, []string{"x"}, "both")
	for _, e := range engines(t, 4) {
		waits := make(chan struct{})
		first := newCountdown(0)
		setHook(func(kc *kernel.Context) error {
			if first.now() {
				<-waits
				return status.Errorf(status.DataLoss, "lost")
			}
			close(waits)
			<-kc.Step.Context.Done()
			return kc.Err()
		})
		if _, err := run(context.Background(), e, p, tensor.Scalar(int32(1))); status.CodeOf(err) != status.DataLoss {
			t.Errorf("%s: %v", e.label, err)
		}
	}
}
