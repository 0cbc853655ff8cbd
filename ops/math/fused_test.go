package math

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A chain with an operation that refuses or reinterprets operands of different shapes
// answers what its parts do, in one pass or one after another.
func TestFusedOperandsOfOneShape(t *testing.T) {
	six, three, one := []int64{2, 3}, []int64{3}, []int64{}
	for _, c := range []struct {
		op      string
		x, y, z []int64 // op(x*y, z)
		refused bool
	}{
		{"TanhGrad", six, six, six, false},
		{"TanhGrad", six, three, six, false},
		{"TanhGrad", three, one, six, true},
		{"TanhGrad", six, six, one, true},
		{"TanhGrad", six, six, []int64{3, 2}, false},
		{"RsqrtGrad", three, three, six, true},
		{"SqrtGrad", one, six, six, false},
	} {
		x, y, z := ramp(t, c.x, 1), ramp(t, c.y, 2), ramp(t, c.z, 3)
		list := func(values ...string) registry.AttrValue {
			v := registry.AttrValue{Kind: registry.KindString | registry.ListOf}
			for _, s := range values {
				v.List = append(v.List, registry.AttrValue{Kind: registry.KindString, S: s})
			}
			return v
		}
		operands := registry.AttrValue{Kind: registry.KindInt | registry.ListOf}
		for _, i := range []int64{0, 1, 3, 2} {
			operands.List = append(operands.List, registry.AttrValue{Kind: registry.KindInt, I: i})
		}
		got, err := kerneltest.Run("_FusedElementwise", registry.Attrs{
			{Name: "ops", Value: list("Mul", c.op)}, {Name: "nodes", Value: list("product", "last")}, {Name: "operands", Value: operands},
		}, x, y, z)
		product, mulErr := kerneltest.Run("Mul", nil, x, y)
		if mulErr != nil {
			t.Fatal(mulErr)
		}
		want, wantErr := kerneltest.Run(c.op, nil, product[0], z)
		if (err != nil) != c.refused || (wantErr != nil) != c.refused {
			t.Errorf("%s of %v: fused %v, apart %v, want refused %v", c.op, c, err, wantErr, c.refused)
			continue
		}
		if err == nil {
			if err := tensor.Compare(got[0], want[0], tensor.Tolerance{}); err != nil {
				t.Errorf("%s of %v: %v", c.op, c, err)
			}
		}
	}
}

// ramp returns a tensor of small numbers.
func ramp(t *testing.T, dims []int64, by float32) *tensor.Tensor {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = by * float32(i+1) / 8
	}
	v, err := tensor.FromSlice(x, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
