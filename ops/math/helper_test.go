package math_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func of[T tensor.Element](tb interface{ Fatal(...any) }, data []T, dims ...int64) *tensor.Tensor {
	t, err := tensor.FromSlice(data, dims...)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func data[T tensor.Element](tb interface{ Fatal(...any) }, t *tensor.Tensor) []T {
	x, err := tensor.Data[T](t)
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

// run returns the first output of an operation that must not fail.
func run(tb interface{ Fatal(...any) }, op string, attrs registry.Attrs, in ...*tensor.Tensor) *tensor.Tensor {
	out, err := kerneltest.Run(op, attrs, in...)
	if err != nil {
		tb.Fatal(op, err)
	}
	return out[0]
}

func attr(name string, v registry.AttrValue) registry.Attrs {
	return registry.Attrs{{Name: name, Value: v}}
}

func TestErrors(t *testing.T) {
	i32 := func(x ...int32) *tensor.Tensor { return of(t, x, int64(len(x))) }
	scalar := func(x int32) *tensor.Tensor { return of(t, []int32{x}) }
	matrix := of(t, make([]float32, 6), 2, 3)
	for _, c := range []struct {
		op    string
		attrs registry.Attrs
		in    []*tensor.Tensor
		want  string
	}{
		{"AddV2", nil, []*tensor.Tensor{i32(1, 2), i32(1, 2, 3)}, "Incompatible shapes: [2] vs. [3]"},
		{"FloorDiv", nil, []*tensor.Tensor{i32(1, 2), i32(1, 0)}, "Integer division by zero"},
		{"FloorDiv", nil, []*tensor.Tensor{scalar(1), scalar(0)}, "Integer division by zero"},
		{"Mod", nil, []*tensor.Tensor{i32(1, 2), scalar(0)}, "Integer division by zero"},
		{"Pow", nil, []*tensor.Tensor{i32(2), i32(-1)}, "Integers to negative integer powers are not allowed"},
		{"MatMul", nil, []*tensor.Tensor{matrix, matrix}, "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]"},
		{"MatMul", nil, []*tensor.Tensor{matrix, of(t, make([]float32, 3), 3)}, "In[1] is not a matrix. Instead it has shape [3]"},
		{"BatchMatMulV2", nil, []*tensor.Tensor{of(t, make([]float32, 4), 2, 1, 2), of(t, make([]float32, 6), 3, 2, 1)}, "must have compatible batch dimensions: [2,1,2] vs. [3,2,1]"},
		{"Sum", nil, []*tensor.Tensor{matrix, scalar(2)}, "Invalid reduction dimension (2 for input with 2 dimension(s))"},
		{"Sum", nil, []*tensor.Tensor{matrix, i32(0, -2)}, "Axes contains duplicate dimension: 0"},
		{"ArgMax", nil, []*tensor.Tensor{matrix, scalar(5)}, "Expected dimension in the range [-2, 2), but got 5"},
		{"ArgMax", nil, []*tensor.Tensor{of(t, []float32{}, 0, 3), scalar(0)}, "Reduction axis 0 is empty in shape [0,3]"},
		{"Range", nil, []*tensor.Tensor{scalar(0), scalar(3), scalar(0)}, "Requires delta != 0"},
		{"Range", nil, []*tensor.Tensor{scalar(3), scalar(0), scalar(1)}, "Requires start <= limit when delta > 0"},
		{"Select", nil, []*tensor.Tensor{of(t, []bool{true}, 1), i32(1), i32(1, 2)}, "'then' and 'else' must have the same size"},
		{"AddN", attr("N", registry.IntAttr(2)), []*tensor.Tensor{i32(1), i32(1, 2)}, "Inputs to operation AddN must have the same size and shape"},
		{"TanhGrad", nil, []*tensor.Tensor{matrix, of(t, make([]float32, 3), 3)}, "must have same number of elements, got 6 and 3"},
	} {
		_, err := kerneltest.Run(c.op, c.attrs, c.in...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.op, err, c.want)
		}
	}
}

// Huge outputs are refused by the memory limit, impossible ones before.
func TestSizesAreChecked(t *testing.T) {
	r := kerneltest.Runner{Limit: 1 << 20}
	for _, limit := range []int64{1 << 30, 1<<63 - 1} {
		_, err := r.Run("n", "Range", nil, of(t, []int64{0}), of(t, []int64{limit}), of(t, []int64{1}))
		if err == nil {
			t.Errorf("a range of %d elements", limit)
		}
	}
	column, row := of(t, make([]float32, 4096), 4096, 1), of(t, make([]float32, 4096), 4096)
	if _, err := r.Run("n", "AddV2", nil, column, row); err == nil {
		t.Error("a sum of 64 MiB under a limit of 1 MiB")
	}
}
