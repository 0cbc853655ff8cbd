package cellular_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/compile/cellular"
	"github.com/troupe-go/troupe/graph"
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
	if err := g.AddText(assigned); err != nil {
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
		entered := make(chan struct{}, callers)
		var once sync.Once
		ctx := cellular.Watched(t.Context(), &cellular.Watch{
			Entered: func() { entered <- struct{}{} },
			Iterating: func() {
				once.Do(func() {
					for range callers {
						<-entered
					}
				})
			},
		})
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
	if more := s.ProgramMemory() - before; more > 100<<10 {
		t.Errorf("programs have grown by %d bytes", more)
	}
}
