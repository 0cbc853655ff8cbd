package cellular_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/compile/cellular"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// branching is a loop with conditionals: one within another, of rows; one that writes to a list or
// not; and a Case.
const branching = `n = Placeholder() {dtype=DT_INT32, shape=shape []}
x = Placeholder() {dtype=DT_FLOAT, shape=shape [1,4]}
c = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
w = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [4,4] values: 0.5 -1 0.25 1 -0.75 0.5 1 -1 1 0.25 -0.5 0.75 -0.25 1 -1 0.5>}
shape = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 1 4>}
list = TensorListReserve(shape, n) {element_dtype=DT_FLOAT, shape_type=DT_INT32}
loop = StatelessWhile(c, n, x, list, w) {T=[DT_INT32, DT_INT32, DT_FLOAT, DT_VARIANT, DT_FLOAT], cond=func less, body=func next}
words = TensorListStack(loop:3, shape) {element_dtype=DT_FLOAT}
func less(c: int32, n: int32, x: float, l: variant, w: float) -> (y: bool) {
  less = Less(c, n) {T=DT_INT32}
  return y = less:z:0
}
func next(c: int32, n: int32, x: float, l: variant, w: float) -> (d: int32, m: int32, y: float, k: variant, v: float) {
  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
  three = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 3>}
  zero = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 0>}
  axes = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 0 1>}
  d = AddV2(c, one:output:0) {T=DT_INT32}
  p = MatMul(x, w) {T=DT_FLOAT}
  sum = Sum(p:product:0, axes:output:0) {T=DT_FLOAT, Tidx=DT_INT32}
  up = Greater(sum:output:0, zero:output:0) {T=DT_FLOAT}
  turn = FloorMod(c, three:output:0) {T=DT_INT32}
  a = If(up:z:0, p:product:0, turn:z:0) {Tcond=DT_BOOL, Tin=[DT_FLOAT, DT_INT32], Tout=[DT_FLOAT], then_branch=func tanh, else_branch=func inner}
  b = Case(turn:z:0, a:output:0) {Tin=[DT_FLOAT], Tout=[DT_FLOAT], branches=list(func) [same, minus, fixed]}
  k = If(up:z:0, l, c, b:output:0) {Tcond=DT_BOOL, Tin=[DT_VARIANT, DT_INT32, DT_FLOAT], Tout=[DT_VARIANT], then_branch=func set, else_branch=func leave}
  return d = d:z:0
  return m = n
  return y = b:output:0
  return k = k:output:0
  return v = w
}
func tanh(x: float, t: int32) -> (y: float) {
  y = Tanh(x) {T=DT_FLOAT}
  return y = y:y:0
}
func inner(x: float, t: int32) -> (y: float) {
  i = If(t, x) {Tcond=DT_INT32, Tin=[DT_FLOAT], Tout=[DT_FLOAT], then_branch=func minus, else_branch=func fixed}
  return y = i:output:0
}
func same(x: float) -> (y: float) {
  return y = x
}
func minus(x: float) -> (y: float) {
  n = Neg(x) {T=DT_FLOAT}
  y = Sigmoid(n:y:0) {T=DT_FLOAT}
  return y = y:y:0
}
func fixed(x: float) -> (y: float) {
  y = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [1,4] values: 0.25 0.5 -1 0.75>}
  return y = y:output:0
}
func set(l: variant, c: int32, x: float) -> (k: variant) {
  k = TensorListSetItem(l, c, x) {element_dtype=DT_FLOAT}
  return k = k:output_handle:0
}
func leave(l: variant, c: int32, x: float) -> (k: variant) {
  return k = l
}
`

// TestBranches has callers share iterations of a loop with conditionals, of which they take
// different branches: results are those of single runs.
func TestBranches(t *testing.T) {
	g := graph.New()
	if err := notation.Add(g, branching); err != nil {
		t.Fatal(err)
	}
	at := func(name string, i int) graph.Output { return g.Operation(name).Output(i) }
	callable := func(o *session.SessionOptions) *session.Callable {
		s, err := session.NewSession(g, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		c, err := s.MakeCallable([]graph.Output{at("n", 0), at("x", 0)}, []graph.Output{at("loop", 2), at("words", 0)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	plain, batched := callable(&session.SessionOptions{}), callable(&session.SessionOptions{BatchLoops: true})
	if text, err := batched.Batching(t.Context()); err != nil || !strings.Contains(text, "loop loop: batched") {
		t.Fatalf("%s%v", text, err)
	}
	const callers = 12
	for round := range 4 { // later ones with constants
		ctx := together(t.Context(), callers)
		before, _ := cellular.Counts()
		var wg sync.WaitGroup
		for i := range callers {
			x, err := tensor.FromSlice([]float32{float32(i) - 5, 1, float32(i%3) - 1, .5}, 1, 4)
			if err != nil {
				t.Fatal(err)
			}
			a := &caller{cancelled: -1, args: []*tensor.Tensor{tensor.FromScalar(int32(5 + 3*i)), x}}
			a.want.out, a.want.err = plain.Call(t.Context(), a.args...)
			wg.Go(func() {
				a.got.out, a.got.err = batched.Call(ctx, a.args...)
				a.check(t, fmt.Sprintf("round %d, caller %d", round, i))
			})
		}
		wg.Wait()
		if after, _ := cellular.Counts(); after-before < 38 {
			t.Errorf("%d iterations were run in a batch", after-before)
		}
	}
}
