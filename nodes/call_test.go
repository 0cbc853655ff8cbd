package nodes_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	_ "github.com/troupe-go/troupe/ops/functional"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// recursive is a graph of functions of one int32 that call themselves: Fib is
// Fibonacci's, Down counts down to 0 and adds up the depth, Forever never ends.
const recursive = `
n = Placeholder() {dtype=DT_INT32, shape=shape []}
y = StatefulPartitionedCall(n) {Tin=[DT_INT32], Tout=[DT_INT32], f=func FUNCTION}
func Fib(n: int32) -> (y: int32) {
  two = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 2>}
  small = Less(n, two:output:0) {T=DT_INT32}
  if = If(small:z:0, n) {Tcond=DT_BOOL, Tin=[DT_INT32], Tout=[DT_INT32], then_branch=func Same, else_branch=func FibSum}
  return y = if:output:0
}
func Same(n: int32) -> (y: int32) {
  return y = n
}
func FibSum(n: int32) -> (y: int32) {
  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
  two = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 2>}
  less1 = Sub(n, one:output:0) {T=DT_INT32}
  less2 = Sub(n, two:output:0) {T=DT_INT32}
  a = StatefulPartitionedCall(less1:z:0) {Tin=[DT_INT32], Tout=[DT_INT32], f=func Fib}
  b = StatefulPartitionedCall(less2:z:0) {Tin=[DT_INT32], Tout=[DT_INT32], f=func Fib}
  sum = AddV2(a:output:0, b:output:0) {T=DT_INT32}
  return y = sum:z:0
}
func Down(n: int32) -> (y: int32) {
  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
  small = Less(n, one:output:0) {T=DT_INT32}
  if = If(small:z:0, n) {Tcond=DT_BOOL, Tin=[DT_INT32], Tout=[DT_INT32], then_branch=func Same, else_branch=func DownMore}
  return y = if:output:0
}
func DownMore(n: int32) -> (y: int32) {
  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
  less = Sub(n, one:output:0) {T=DT_INT32}
  rest = StatefulPartitionedCall(less:z:0) {Tin=[DT_INT32], Tout=[DT_INT32], f=func Down}
  sum = AddV2(rest:output:0, one:output:0) {T=DT_INT32}
  return y = sum:z:0
}
func Forever(n: int32) -> (y: int32) {
  two = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 2>}
  point = TestPoint(n)
  half = FloorDiv(point:y:0, two:output:0) {T=DT_INT32}
  small = Less(half:z:0, two:output:0) {T=DT_INT32}
  if = If(small:z:0, n) {Tcond=DT_BOOL, Tin=[DT_INT32], Tout=[DT_INT32], then_branch=func Same, else_branch=func Twice}
  return y = if:output:0
}
func Twice(n: int32) -> (y: int32) {
  a = StatefulPartitionedCall(n) {Tin=[DT_INT32], Tout=[DT_INT32], f=func Forever}
  b = StatefulPartitionedCall(a:output:0) {Tin=[DT_INT32], Tout=[DT_INT32], f=func Forever}
  return y = b:output:0
}
`

func recursiveProgram(t *testing.T, function string) *nodes.Program {
	return compiled(t, strings.Replace(recursive, "FUNCTION", function, 1), []string{"n"}, "y")
}

func TestRecursion(t *testing.T) {
	fib, down := recursiveProgram(t, "Fib"), recursiveProgram(t, "Down")
	for _, e := range engines(t, 2) {
		for _, c := range []struct {
			p    *nodes.Program
			n    int32
			want string
		}{{fib, 1, "1"}, {fib, 12, "144"}, {down, 0, "0"}, {down, 4000, "4000"}} {
			got, err := run(context.Background(), e, c.p, tensor.Scalar(c.n))
			if err != nil || fmt.Sprint(got[0].Tensor().Value()) != c.want {
				t.Errorf("%s: of %d: %v, %v, want %s", e.label, c.n, got, err, c.want)
			}
		}
		_, err := run(context.Background(), e, down, tensor.Scalar(int32(20_000)))
		if status.CodeOf(err) != status.ResourceExhausted || !strings.Contains(err.Error(), "more than 4096 deep") {
			t.Errorf("%s: too deep: %v", e.label, err)
		}
		if used := e.budget.Used(); used != 0 {
			t.Errorf("%s: %d bytes stay charged", e.label, used)
		}
	}
}

// TestRecursionCancelled cancels, from a kernel deep within, a recursion that
// would go on for good.
func TestRecursionCancelled(t *testing.T) {
	defer setHook(nil)
	p := recursiveProgram(t, "Forever")
	for _, e := range engines(t, 2) {
		ctx, cancel := context.WithCancel(context.Background())
		hit := newCountdown(1000)
		setHook(func(c *kernel.Context) error {
			if hit.now() {
				cancel()
				for c.Err() == nil { // or else a busy machine is too deep first
					runtime.Gosched()
				}
			}
			return nil
		})
		if _, err := run(ctx, e, p, tensor.Scalar(int32(100))); status.CodeOf(err) != status.Canceled {
			t.Errorf("%s: %v", e.label, err)
		}
		cancel()
	}
}

// A loop whose body calls a function that calls itself is a unit.
func TestRecursionInLoop(t *testing.T) {
	functions := recursive[strings.Index(recursive, "func Fib"):]
	p := compiled(t, `
		n = Placeholder() {dtype=DT_INT32, shape=shape []}
		zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
		w = StatelessWhile(zero, zero, n) {T=[DT_INT32, DT_INT32, DT_INT32], cond=func Below, body=func Adding}
		func Below(i: int32, s: int32, n: int32) -> (b: bool) {
		  less = Less(i, n) {T=DT_INT32}
		  return b = less:z:0
		}
		func Adding(i: int32, s: int32, n: int32) -> (j: int32, r: int32, m: int32) {
		  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
		  next = AddV2(i, one:output:0) {T=DT_INT32}
		  f = StatefulPartitionedCall(i) {Tin=[DT_INT32], Tout=[DT_INT32], f=func Fib}
		  sum = AddV2(s, f:output:0) {T=DT_INT32}
		  return j = next:z:0, r = sum:z:0, m = n
		}
`+functions, []string{"n"}, "w:1")
	if plan := p.Plan(); plan.Units() != 1 {
		t.Errorf("the loop is no unit: %v", plan)
	}
	for _, e := range engines(t, 1) {
		got, err := run(context.Background(), e, p, tensor.Scalar(int32(12)))
		if err != nil || fmt.Sprint(got[0].Tensor().Value()) != "232" {
			t.Errorf("%s: %v, %v", e.label, got, err)
		}
	}
}

// TestRecursionFails wants an error and a panic deep in a recursion to name the
// node of the function.
func TestRecursionFails(t *testing.T) {
	defer setHook(nil)
	p := recursiveProgram(t, "Forever")
	for _, e := range engines(t, 1) {
		for _, panics := range []bool{false, true} {
			hit := newCountdown(10)
			setHook(func(*kernel.Context) error {
				if !hit.now() {
					return nil
				}
				if panics {
					panic("deep within")
				}
				return status.Invalid("deep within")
			})
			_, err := run(context.Background(), e, p, tensor.Scalar(int32(1000)))
			bad, _ := err.(*status.Error)
			if bad == nil || !strings.HasSuffix(bad.Node, "point") || !strings.Contains(bad.Message, "deep within") || kernel.IsPanic(err) != panics {
				t.Errorf("%s: %v", e.label, err)
			}
			if used := e.budget.Used(); used != 0 {
				t.Errorf("%s: %d bytes stay charged", e.label, used)
			}
		}
	}
}

// TestRecursionWaits calls a function that calls itself and waits each time for
// what a node beside the call does: nobody may stand in the way of that.
func TestRecursionWaits(t *testing.T) {
	defer setHook(nil)
	p := compiled(t, `
		n = Placeholder() {dtype=DT_INT32, shape=shape []}
		other = TestWait(n)
		y = StatefulPartitionedCall(n) {Tin=[DT_INT32], Tout=[DT_INT32], f=func Wait}
		func Wait(n: int32) -> (y: int32) {
		  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
		  small = Less(n, one:output:0) {T=DT_INT32}
		  if = If(small:z:0, n) {Tcond=DT_BOOL, Tin=[DT_INT32], Tout=[DT_INT32], then_branch=func Same, else_branch=func WaitMore}
		  return y = if:output:0
		}
		func Same(n: int32) -> (y: int32) {
		  return y = n
		}
		func WaitMore(n: int32) -> (y: int32) {
		  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
		  wait = TestWait(n)
		  less = Sub(wait:y:0, one:output:0) {T=DT_INT32}
		  rest = StatefulPartitionedCall(less:z:0) {Tin=[DT_INT32], Tout=[DT_INT32], f=func Wait}
		  return y = rest:output:0
		}
	`, []string{"n"}, "y", "other")
	for _, e := range engines(t, 4) {
		both, begun := make(chan struct{}), atomic.Int32{}
		setHook(func(ctx *kernel.Context) error {
			if begun.Add(1) == 2 { // the first call's wait and the node beside
				close(both)
			}
			<-both
			return nil
		})
		got, err := run(context.Background(), e, p, tensor.Scalar(int32(3)))
		if err != nil || fmt.Sprint(got[0].Tensor().Value()) != "0" {
			t.Errorf("%s: %v, %v", e.label, got, err)
		}
	}
}
