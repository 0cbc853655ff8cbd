package gradients_test

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// marked has a conditional and a loop that run in parts: a counts what is done for first
// outputs, b for second ones.
const marked = `
	a = VarHandleOp() {dtype=DT_FLOAT, shape=shape [], shared_name="a"}
	b = VarHandleOp() {dtype=DT_FLOAT, shape=shape [], shared_name="b"}
	zero = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 0>}
	zero_a = AssignVariableOp(a, zero) {dtype=DT_FLOAT}
	zero_b = AssignVariableOp(b, zero) {dtype=DT_FLOAT}
	read_a = ReadVariableOp(a) {dtype=DT_FLOAT}
	read_b = ReadVariableOp(b) {dtype=DT_FLOAT}
	x = Placeholder() {dtype=DT_FLOAT, shape=shape []}
	positive = Greater(x, zero)
	if = If(positive, x, a, b) {Tcond=DT_BOOL, Tin=[DT_FLOAT, DT_RESOURCE, DT_RESOURCE], Tout=[DT_FLOAT, DT_FLOAT], else_branch=func Both, then_branch=func Both, _lower_using_switch_merge=true}
	if_first = Identity(if)
	if_second = Identity(if:1)
	i = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
	while = While(i, x, x, a, b) {T=[DT_INT32, DT_FLOAT, DT_FLOAT, DT_RESOURCE, DT_RESOURCE], cond=func Twice, body=func Turn, _lower_using_switch_merge=true}
	while_first = Identity(while:1)
	while_second = Identity(while:2)

	stateful func Both(x: float, a: resource, b: resource) -> (first: float, second: float) {
	  one = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}
	  add_a = AssignAddVariableOp(a, one:output:0) {dtype=DT_FLOAT}
	  add_b = AssignAddVariableOp(b, one:output:0) {dtype=DT_FLOAT}
	  y = Mul(x, x, ^add_a) {T=DT_FLOAT}
	  z = Neg(x, ^add_b) {T=DT_FLOAT}
	  return first = y:z:0, second = z:y:0
	}
	func Twice(i: int32, x: float, y: float, a: resource, b: resource) -> (more: bool) {
	  two = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 2>}
	  less = Less(i, two:output:0) {T=DT_INT32}
	  return more = less:z:0
	}
	stateful func Turn(i: int32, x: float, y: float, a: resource, b: resource) -> (j: int32, first: float, second: float, c: resource, d: resource) {
	  one = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}
	  next = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
	  k = AddV2(i, next:output:0) {T=DT_INT32}
	  add_a = AssignAddVariableOp(a, one:output:0) {dtype=DT_FLOAT}
	  add_b = AssignAddVariableOp(b, one:output:0) {dtype=DT_FLOAT}
	  v = Mul(x, x, ^add_a) {T=DT_FLOAT}
	  w = Neg(y, ^add_b) {T=DT_FLOAT}
	  return j = k:z:0, first = v:z:0, second = w:y:0, c = a, d = b
	}
`

// Once gradients have been taken through them, conditionals and loops still leave out
// what the outputs that are asked for do not need, and so do their gradients.
func TestPartsAfterGradients(t *testing.T) {
	g := graph.New()
	if err := notation.Add(g, marked); err != nil {
		t.Fatal(err)
	}
	out := func(name string) graph.Output { return g.Operation(name).Output(0) }
	gradient := map[string]graph.Output{}
	for _, name := range []string{"if_first", "if_second", "while_first", "while_second"} {
		dx, err := g.AddGradients("of_"+name, []graph.Output{out(name)}, []graph.Output{out("x")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		gradient[name] = dx[0]
	}
	s, err := tf.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x, err := tensor.NewTensor(float32(3))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		fetch graph.Output
		want  string
	}{
		{out("if_first"), "9 [1 0]"},
		{out("if_second"), "-3 [0 1]"},
		{out("if"), "9 [1 1]"},
		{gradient["if_first"], "6 [1 0]"}, // what flows in is as large as the output
		{gradient["if_second"], "-1 [0 1]"},
		{out("while_first"), "81 [2 0]"},
		{out("while_second"), "3 [0 2]"},
		{gradient["while_first"], "108 [2 0]"},
		{gradient["while_second"], "1 [0 0]"},
	} {
		if _, err := s.Run(nil, nil, []*graph.Node{g.Operation("zero_a"), g.Operation("zero_b")}); err != nil {
			t.Fatal(err)
		}
		got, err := s.Run(map[graph.Output]*tensor.Tensor{out("x"): x}, []graph.Output{c.fetch}, nil)
		if err != nil {
			t.Fatalf("%v: %v", c.fetch, err)
		}
		vars, err := s.Run(nil, []graph.Output{out("read_a"), out("read_b")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%v [%v %v]", got[0].Value(), vars[0].Value(), vars[1].Value()); got != c.want {
			t.Errorf("%v is %s, want %s", c.fetch, got, c.want)
		}
	}
}
