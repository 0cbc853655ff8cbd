package model_test

import (
	"path/filepath"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/model"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/tensor"
)

// TestRepeatable: what draws, writes or takes is not repeatable, in called functions too.
func TestRepeatable(t *testing.T) {
	m, err := model.Load("../examples/serve/digits", []string{"serve"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Session.Close()
	for name, want := range map[string]bool{"serve": true, "serving_default": true, "none": false} {
		if got := m.Repeatable(t.Context(), name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"pure": {"y = Neg(x)", true},
		"checked": {`
yes = Const() {dtype=DT_BOOL, value=Tensor<type: bool shape: [] values: true>}
c = Assert(yes, x) {T=[DT_FLOAT]}
y = Identity(x, ^c)`, true},
		"random": {`
s = Shape(x)
r = RandomUniform(s) {dtype=DT_FLOAT}
y = AddV2(x, r)`, false},
		"reads": {`
v = VarHandleOp() {dtype=DT_FLOAT, shape=shape []}
r = ReadVariableOp(v) {dtype=DT_FLOAT}
y = AddV2(x, r)`, true},
		"writes": {`
v = VarHandleOp() {dtype=DT_FLOAT, shape=shape []}
w = AssignAddVariableOp(v, x) {dtype=DT_FLOAT}
y = Identity(x, ^w)`, false},
		"array": {`
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
a = TensorArrayV3(one) {dtype=DT_FLOAT}
w = TensorArrayWriteV3(a, zero, x, a:1)
y = TensorArrayReadV3(a, zero, w) {dtype=DT_FLOAT}`, true},
	} {
		dir := filepath.Join(t.TempDir(), name)
		g := graph.New()
		if err := notation.Add(g, "x = Placeholder() {dtype=DT_FLOAT}\n"+c.text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sig := model.ExportSignature{
			Inputs:  map[string]graph.Output{"x": g.Operation("x").Output(0)},
			Outputs: map[string]graph.Output{"y": g.Operation("y").Output(0)},
		}
		if err := model.Write(dir, model.Export{Graph: g, Signatures: map[string]model.ExportSignature{"s": sig}, Variables: map[string]*tensor.Tensor{"v": tensor.FromScalar(float32(1))}}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m, err := model.Load(dir, []string{"serve"}, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := m.Repeatable(t.Context(), "s"); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		m.Session.Close()
	}
}
