package train_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"

	_ "github.com/troupe-go/troupe/ops/state"
	_ "github.com/troupe-go/troupe/ops/train"
)

func TestOptimizers(t *testing.T) {
	datadriven.Walk(t, "testdata", kerneltest.Script)
}

// TestLarge updates more elements than one worker takes, and compares with a
// plain loop.
func TestLarge(t *testing.T) {
	const n = 3*elementwise.Grain + 5
	x, m, g := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], m[i], g[i] = float64(i%17)-8, float64(i%5), float64(i%7)-3
	}
	r := kerneltest.Runner{Pool: kerneltest.Threads{}}
	run := func(node, op string, attrs registry.Attrs, in ...*tensor.Tensor) []*tensor.Tensor {
		t.Helper()
		out, err := r.Run(node, op, attrs, in...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	vector := func(x []float64) *tensor.Tensor {
		v, err := tensor.FromSlice(slices.Clone(x), n)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	variable := func(name string, x []float64) *tensor.Tensor {
		dt, err := registry.ParseAttr(registry.KindType, "double")
		if err != nil {
			t.Fatal(err)
		}
		s, err := registry.ParseAttr(registry.KindShape, "[?]")
		if err != nil {
			t.Fatal(err)
		}
		n, err := registry.ParseAttr(registry.KindString, strconv.Quote(name))
		if err != nil {
			t.Fatal(err)
		}
		h := run(name, "VarHandleOp", registry.Attrs{{Name: "dtype", Value: dt}, {Name: "shape", Value: s}, {Name: "shared_name", Value: n}})[0]
		run("assign", "AssignVariableOp", nil, h, vector(x))
		return h
	}
	v, a := variable("v", x), variable("a", m)
	for range 2 { // the second time in place
		run("update", "ResourceApplyMomentum", nil, v, a, tensor.FromScalar(0.5), vector(g), tensor.FromScalar(0.25))
		for i := range x {
			m[i] = m[i]*0.25 + g[i]
			x[i] -= m[i] * 0.5
		}
	}
	double, _ := registry.ParseAttr(registry.KindType, "double")
	got := run("read", "ReadVariableOp", registry.Attrs{{Name: "dtype", Value: double}}, v)[0]
	if d := cmp.Diff(x, got.Value()); d != "" {
		t.Error(d)
	}
}
