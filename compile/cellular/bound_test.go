package cellular_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// assigned is a loop whose weights are read from a variable before it.
const assigned = `x = Placeholder() {dtype=DT_FLOAT, shape=shape [1,2]}
value = Placeholder() {dtype=DT_FLOAT, shape=shape [2,2]}
n = Placeholder() {dtype=DT_INT32, shape=shape []}
c = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
variable = VarHandleOp() {dtype=DT_FLOAT, shape=shape [2,2]}
assign = AssignVariableOp(variable, value) {dtype=DT_FLOAT}
w = ReadVariableOp(variable) {dtype=DT_FLOAT}
loop = StatelessWhile(c, n, x, w) {T=[DT_INT32, DT_INT32, DT_FLOAT, DT_FLOAT], cond=func less, body=func next}
func less(c: int32, n: int32, x: float, w: float) -> (y: bool) {
  less = Less(c, n) {T=DT_INT32}
  return y = less:z:0
}
func next(c: int32, n: int32, x: float, w: float) -> (d: int32, m: int32, y: float, v: float) {
  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
  d = AddV2(c, one:output:0) {T=DT_INT32}
  p = MatMul(x, w) {T=DT_FLOAT}
  return d = d:z:0
  return m = n
  return y = p:product:0
  return v = w
}
`

// TestAssigned has callers share iterations while variables are assigned between them: constants
// of programs are those weights that the caller has read, however often they change and come back.
func TestAssigned(t *testing.T) {
	g := graph.New()
	if err := notation.Add(g, assigned); err != nil {
		t.Fatal(err)
	}
	s, err := session.NewSession(g, &session.SessionOptions{BatchLoops: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	at := func(name string, i int) graph.Output { return g.Operation(name).Output(i) }
	c, err := s.MakeCallable([]graph.Output{at("x", 0), at("n", 0)}, []graph.Output{at("loop", 2)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	value := func(v any) *tensor.Tensor {
		r, err := tensor.NewTensor(v)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const callers = 3
	before := s.ProgramMemory()
	for round := range 40 {
		sign := float32(1 - 2*(round/2%2))
		if _, err := s.Run(map[graph.Output]*tensor.Tensor{at("value", 0): value([][]float32{{0, sign}, {1, 0}})}, nil, []*graph.Node{g.Operation("assign")}); err != nil {
			t.Fatal(err)
		}
		ctx := together(t.Context(), callers)
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				n := 40 + i
				got, err := c.Call(ctx, value([][]float32{{3, 4}}), value(int32(n)))
				if err != nil {
					t.Error(err)
					return
				}
				x := [2]float32{3, 4}
				for range n {
					x = [2]float32{x[1], sign * x[0]}
				}
				if text := fmt.Sprint(got[0].Value()); text != fmt.Sprint([][]float32{{x[0], x[1]}}) {
					t.Errorf("round %d: %d iterations give %s, not %v", round, n, text, x)
				}
			})
		}
		wg.Wait()
	}
	if more := s.ProgramMemory() - before; more > 200<<10 { // one form with constants takes 110 kB
		t.Errorf("programs have grown by %d bytes", more)
	}
}

// bounds is a loop that sets elements of a list of four.
const bounds = `n = Placeholder() {dtype=DT_INT32, shape=shape []}
x = Placeholder() {dtype=DT_FLOAT, shape=shape [1,2]}
c = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
four = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 4>}
shape = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 1 2>}
w = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [2,2] values: 0 1 1 0>}
list = TensorListReserve(shape, four) {element_dtype=DT_FLOAT, shape_type=DT_INT32}
loop = StatelessWhile(c, n, x, list, w) {T=[DT_INT32, DT_INT32, DT_FLOAT, DT_VARIANT, DT_FLOAT], cond=func less, body=func next}
words = TensorListStack(loop:3, shape) {element_dtype=DT_FLOAT}
func less(c: int32, n: int32, x: float, l: variant, w: float) -> (y: bool) {
  less = Less(c, n) {T=DT_INT32}
  return y = less:z:0
}
func next(c: int32, n: int32, x: float, l: variant, w: float) -> (d: int32, m: int32, y: float, k: variant, v: float) {
  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
  d = AddV2(c, one:output:0) {T=DT_INT32}
  p = MatMul(x, w) {T=DT_FLOAT}
  k = TensorListSetItem(l, c, p:product:0) {element_dtype=DT_FLOAT}
  return d = d:z:0
  return m = n
  return y = p:product:0
  return k = k:output_handle:0
  return v = w
}
`

// TestOutOfBounds has callers share iterations of a loop that sets elements of a list, which is
// done for all iterations at once: an index out of bounds is the error that it is alone.
func TestOutOfBounds(t *testing.T) {
	g := graph.New()
	if err := notation.Add(g, bounds); err != nil {
		t.Fatal(err)
	}
	at := func(name string, i int) graph.Output { return g.Operation(name).Output(i) }
	callable := func(o *session.SessionOptions) *session.Callable {
		s, err := session.NewSession(g, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		c, err := s.MakeCallable([]graph.Output{at("n", 0), at("x", 0)}, []graph.Output{at("words", 0)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	plain, batched := callable(&session.SessionOptions{}), callable(&session.SessionOptions{BatchLoops: true})
	const callers = 7
	ctx := together(t.Context(), callers)
	var wg sync.WaitGroup
	for i := range callers {
		x, err := tensor.FromSlice([]float32{float32(i), 1}, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		args := []*tensor.Tensor{tensor.FromScalar(int32(i)), x}
		want, wantErr := plain.Call(t.Context(), args...)
		if (wantErr != nil) != (i > 4) {
			t.Errorf("%d iterations alone: %v", i, wantErr)
		}
		wg.Go(func() {
			got, err := batched.Call(ctx, args...)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%d iterations: error\n%v, not\n%v", i, err, wantErr)
			} else if err == nil {
				if err := tensor.Compare(got[0], want[0], tensor.Tolerance{Exact: true}); err != nil {
					t.Errorf("%d iterations: %v", i, err)
				}
			}
		})
	}
	wg.Wait()
}
