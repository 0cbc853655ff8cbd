package state_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/math"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Two handles of one variable, and shapes that do not fit, have the updates run one after
// another, as nodes would.
func TestFusedUpdateOfOneVariable(t *testing.T) {
	var runner kerneltest.Runner
	run := func(op, attrs string, outs int, in ...tensor.Value) (tensor.Value, error) {
		parsed, err := registry.ParseAttrs(attrs)
		if err != nil {
			t.Fatal(err)
		}
		types := make([]tensor.DType, len(in))
		for i, v := range in {
			types[i] = v.DType()
		}
		k, _, err := kerneltest.New(op, op, parsed, types...)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]tensor.Value, 1)
		err = k.Run(runner.Context(), in, out[:outs])
		return out[0], err
	}
	handle := func(name string) tensor.Value {
		v, err := run("VarHandleOp", "dtype=DT_FLOAT, shape=shape [], shared_name='"+name+"'", 1)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	vector := func(xs ...float32) tensor.Value {
		v, err := tensor.FromSlice(xs, int64(len(xs)))
		if err != nil {
			t.Fatal(err)
		}
		return tensor.ValueOf(v)
	}
	const attrs = "M=2, N=1, T=DT_FLOAT, nodes=['a', 'b', 'c', 'd'], operands=[0, 2, 0, 4, 4, 1, 5], ops=['AssignAddVariableOp', 'ReadVariableOp', 'Mul', 'AssignSubVariableOp']"
	for _, c := range []struct {
		first, second string
		value, want   []float32
		fails         bool
	}{
		{"v", "w", []float32{3, 4}, []float32{-15, -34}, false},       // w - (v+g)²
		{"v", "v", []float32{3, 4}, []float32{4 - 16, 6 - 36}, false}, // (v+g) - (v+g)²
		{"v", "w", []float32{3, 4, 5}, nil, true},
	} {
		for _, name := range []string{"v", "w"} {
			if _, err := run("AssignVariableOp", "", 0, handle(name), vector(1, 2)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := run("_FusedUpdate", attrs, 0, handle(c.first), handle(c.second), vector(c.value...))
		if c.fails {
			if e := status.From(err); err == nil || e.Node != "a" || e.Op != "AssignAddVariableOp" {
				t.Errorf("update by %v: %v", c.value, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := run("ReadVariableOp", "dtype=DT_FLOAT", 1, handle(c.second))
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range tensor.Of[float32](&got) {
			if x != c.want[i] {
				t.Errorf("%s and %s: element %d is %v, want %v", c.first, c.second, i, x, c.want[i])
			}
		}
	}
}
