package cellular_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/compile/cellular"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// later is a loop without kept values, whose iteration fails that looks word 8 up.
const later = `from = Placeholder() {dtype=DT_INT32, shape=shape []}
x = Placeholder() {dtype=DT_FLOAT, shape=shape [1,2]}
c = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
w = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [2,2] values: 1 0 0 1>}
loop = StatelessWhile(c, from, x, w) {T=[DT_INT32, DT_INT32, DT_FLOAT, DT_FLOAT], cond=func less, body=func next}
func less(c: int32, n: int32, x: float, w: float) -> (y: bool) {
  most = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 7>}
  less = Less(c, most:output:0) {T=DT_INT32}
  return y = less:z:0
}
func next(c: int32, n: int32, x: float, w: float) -> (d: int32, m: int32, y: float, v: float) {
  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
  table = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [8,2] values: 1>}
  d = AddV2(c, one:output:0) {T=DT_INT32}
  m = AddV2(n, one:output:0) {T=DT_INT32}
  row = GatherV2(table:output:0, n, zero:output:0) {Tparams=DT_FLOAT, Tindices=DT_INT32, Taxis=DT_INT32}
  p = MatMul(x, w) {T=DT_FLOAT}
  y = AddV2(p:product:0, row:output:0) {T=DT_FLOAT}
  return d = d:z:0
  return m = m:z:0
  return y = y:z:0
  return v = w
}
`

// TestFailsLater has a caller fail after iterations in a batch: its error is that of a single
// run, with the iteration as it is counted from where its loop began, also if the loop has no kept values.
func TestFailsLater(t *testing.T) {
	g := graph.New()
	if err := notation.Add(g, later); err != nil {
		t.Fatal(err)
	}
	callable := func(o *session.SessionOptions) *session.Callable {
		s, err := session.NewSession(g, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		out := g.Operation("loop")
		c, err := s.MakeCallable([]graph.Output{g.Operation("from").Output(0), g.Operation("x").Output(0)}, []graph.Output{out.Output(2)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	plain, batched := callable(&session.SessionOptions{}), callable(&session.SessionOptions{BatchLoops: true})
	callers := []int32{0, 4} // the second fails in iteration 4
	before, _ := cellular.Counts()
	ctx := together(t.Context(), len(callers))
	var wg sync.WaitGroup
	for _, from := range callers {
		args := make([]*tensor.Tensor, 2)
		for i, value := range []any{from, [][]float32{{0, 0}}} {
			var err error
			if args[i], err = tensor.NewTensor(value); err != nil {
				t.Fatal(err)
			}
		}
		want, wantErr := plain.Call(t.Context(), args...)
		wg.Go(func() {
			got, err := batched.Call(ctx, args...)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("from %d: error\n%v, not\n%v", from, err, wantErr)
			} else if err == nil {
				if err := tensor.Compare(got[0], want[0], tensor.Tolerance{Exact: true}); err != nil {
					t.Errorf("from %d: %v", from, err)
				}
			}
		})
	}
	wg.Wait()
	if after, _ := cellular.Counts(); after-before < 4 {
		t.Errorf("%d iterations were run in a batch", after-before)
	}
}
