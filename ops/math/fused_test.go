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
		got, err := fused([]string{"Mul", c.op}, []int64{0, 1, 3, 2}, x, y, z)
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

// fused runs a chain of operations; results of operations are counted behind the inputs.
func fused(ops []string, operands []int64, inputs ...*tensor.Tensor) ([]*tensor.Tensor, error) {
	names := registry.AttrValue{Kind: registry.KindString | registry.ListOf}
	for _, op := range ops {
		names.List = append(names.List, registry.AttrValue{Kind: registry.KindString, S: op})
	}
	places := registry.AttrValue{Kind: registry.KindInt | registry.ListOf}
	for _, i := range operands {
		places.List = append(places.List, registry.AttrValue{Kind: registry.KindInt, I: i})
	}
	return kerneltest.Run("_FusedElementwise", registry.Attrs{{Name: "ops", Value: names}, {Name: "nodes", Value: names}, {Name: "operands", Value: places}}, inputs...)
}

// A chain whose operands are repeated along any dimensions has the bits of its operations
// alone, or their error.
func TestFusedSpread(t *testing.T) {
	for _, shapes := range [][4][]int64{
		{{40, 1, 17}, {40, 6, 1}, {40, 1, 1}, {6, 17}},                 // tiles begin within rows
		{{1, 6, 17}, {40, 1, 17}, {}, {40, 6, 17}},                     //
		{{3000, 1}, {1, 3}, {3}, {1, 1}},                               // rows of one length
		{{2, 1, 3, 1, 2, 1, 2, 1}, {1, 3, 1, 2, 1, 3, 1, 2}, {2}, {1}}, // more dimensions than fit
		{{7, 1}, {700}, {7, 700}, {700}},                               //
		{{5, 1}, {1, 4}, {5, 4}, {4, 1}},                               // refused
		{{5, 1}, {1, 0}, {5, 1}, {1}},                                  // empty
		{{20, 1, 30}, {20, 1, 30}, {20, 1, 30}, {20, 9, 1}},            // most of it is smaller than the result
		{{20, 1, 30}, {20, 1, 1}, {1, 9, 1}, {20, 9, 30}},
	} {
		w, x, y, z := ramp(t, shapes[0], 1), ramp(t, shapes[1], -2), ramp(t, shapes[2], 3), ramp(t, shapes[3], 1)
		got, err := fused([]string{"Sub", "Mul", "Tanh", "AddV2", "RealDiv"}, []int64{0, 1, 4, 2, 5, 3, 6, 7, 0}, w, x, y, z)
		var want *tensor.Tensor
		wantErr := func() error {
			a := w
			for i, op := range []string{"Sub", "Mul", "Tanh", "AddV2", "RealDiv"} {
				inputs := [][]*tensor.Tensor{{a, x}, {a, y}, {a}, {z, a}, {a, w}}[i]
				r, err := kerneltest.Run(op, nil, inputs...)
				if err != nil {
					return err
				}
				a = r[0]
			}
			want = a
			return nil
		}()
		if (err != nil) != (wantErr != nil) {
			t.Errorf("%v: fused %v, apart %v", shapes, err, wantErr)
			continue
		}
		if err == nil {
			if err := tensor.Compare(got[0], want, tensor.Tolerance{}); err != nil {
				t.Errorf("%v: %v", shapes, err)
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
		x[i] = by * float32(i%1000+1) / 8
	}
	v, err := tensor.FromSlice(x, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
