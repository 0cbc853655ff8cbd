package nodes_test

import (
	"context"
	"fmt"
	"strings"
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
	return compile(t, strings.Replace(recursive, "FUNCTION", function, 1), []string{"n"}, "y")
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
		setHook(func(*kernel.Context) error {
			if hit.now() {
				cancel()
			}
			return nil
		})
		if _, err := run(ctx, e, p, tensor.Scalar(int32(100))); status.CodeOf(err) != status.Canceled {
			t.Errorf("%s: %v", e.label, err)
		}
		cancel()
	}
}
