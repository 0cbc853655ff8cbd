package cellular_test

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// assignedCalls is a function that calls itself with weights read from a variable before it, and a
// scalar as a table, which it is not.
const assignedCalls = `x = Placeholder() {dtype=DT_FLOAT, shape=shape [1,2]}
value = Placeholder() {dtype=DT_FLOAT, shape=shape [2,2]}
n = Placeholder() {dtype=DT_INT32, shape=shape []}
words = Placeholder() {dtype=DT_INT32, shape=shape ?}
variable = VarHandleOp() {dtype=DT_FLOAT, shape=shape [2,2]}
assign = AssignVariableOp(variable, value) {dtype=DT_FLOAT}
w = ReadVariableOp(variable) {dtype=DT_FLOAT}
call = PartitionedCall(n, x, w, words) {Tin=[DT_INT32, DT_FLOAT, DT_FLOAT, DT_INT32], Tout=[DT_FLOAT], f=func power}
func power(n: int32, x: float, w: float, words: int32) -> (y: float) {
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
  more = Less(zero:output:0, n) {T=DT_INT32}
  y = If(more:z:0, n, x, w, words) {Tcond=DT_BOOL, Tin=[DT_INT32, DT_FLOAT, DT_FLOAT, DT_INT32], Tout=[DT_FLOAT], then_branch=func times, else_branch=func same}
  return y = y:output:0
}
func same(n: int32, x: float, w: float, words: int32) -> (y: float) {
  return y = x
}
func times(n: int32, x: float, w: float, words: int32) -> (y: float) {
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
  word = GatherV2(words, zero:output:0, zero:output:0) {Tparams=DT_INT32, Tindices=DT_INT32, Taxis=DT_INT32}
  less = Sub(n, word:output:0) {T=DT_INT32}
  f = PartitionedCall(less:z:0, x, w, words) {Tin=[DT_INT32, DT_FLOAT, DT_FLOAT, DT_INT32], Tout=[DT_FLOAT], f=func power}
  p = MatMul(f:output:0, w) {T=DT_FLOAT}
  return y = p:product:0
}
`

// TestTreesAssigned has calls batched while their weights are assigned between runs: the constants of
// programs are those weights that the run has read, however often they change and come back. Tables
// have any length; a scalar is none.
func TestTreesAssigned(t *testing.T) {
	g := graph.New()
	if err := notation.Add(g, assignedCalls); err != nil {
		t.Fatal(err)
	}
	at := func(name string) graph.Output { return g.Operation(name).Output(0) }
	value := func(v any) *tensor.Tensor {
		r, err := tensor.NewTensor(v)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	open := func(o *session.SessionOptions) (*session.Session, *session.Callable) {
		s, err := session.NewSession(g, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		c, err := s.MakeCallable([]graph.Output{at("n"), at("x"), at("words")}, []graph.Output{at("call")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s, c
	}
	plain, one := open(&session.SessionOptions{})
	batched, two := open(&session.SessionOptions{BatchLoops: true})
	for i := range 600 {
		w := value([][]float32{{float32(i/150%2) + .5, 1}, {-1, .25}})
		for _, s := range []*session.Session{plain, batched} {
			if _, err := s.Run(map[graph.Output]*tensor.Tensor{at("value"): w}, nil, []*graph.Node{g.Operation("assign")}); err != nil {
				t.Fatal(err)
			}
		}
		var words any = make([]int32, 1+i%3)
		words.([]int32)[0] = 1
		if i%50 == 0 {
			words = int32(1)
		}
		args := []*tensor.Tensor{value(int32(i % 7)), value([][]float32{{1, float32(i)}}), value(words)}
		want, wantErr := one.Call(t.Context(), args...)
		got, gotErr := two.Call(watched(t, nil), args...)
		if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
			t.Fatalf("run %d: error\n%v, not\n%v", i, gotErr, wantErr)
		}
		if gotErr == nil {
			if err := compareAll(got, want); err != nil {
				t.Fatalf("run %d: %v", i, err)
			}
		}
	}
}
