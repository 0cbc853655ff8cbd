package math_test

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/math"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// scalarKernels are those that loops consist of.
var scalarKernels = []struct {
	op string
	in []tensor.Value
}{
	{"AddV2", []tensor.Value{tensor.Scalar(int32(3)), tensor.Scalar(int32(4))}},
	{"AddV2", []tensor.Value{tensor.Scalar(float32(3)), tensor.Scalar(float32(4))}},
	{"Sub", []tensor.Value{tensor.Scalar(int64(3)), tensor.Scalar(int64(4))}},
	{"Mul", []tensor.Value{tensor.Scalar(int32(3)), tensor.Scalar(int32(4))}},
	{"Mul", []tensor.Value{tensor.Scalar(float32(3)), tensor.Scalar(float32(4))}},
	{"Less", []tensor.Value{tensor.Scalar(int32(3)), tensor.Scalar(int32(4))}},
	{"Less", []tensor.Value{tensor.Scalar(float32(3)), tensor.Scalar(float32(4))}},
	{"Equal", []tensor.Value{tensor.Scalar(int32(3)), tensor.Scalar(int32(4))}},
	{"Maximum", []tensor.Value{tensor.Scalar(float32(3)), tensor.Scalar(float32(4))}},
	{"FloorDiv", []tensor.Value{tensor.Scalar(int32(30)), tensor.Scalar(int32(4))}},
	{"FloorMod", []tensor.Value{tensor.Scalar(int32(30)), tensor.Scalar(int32(4))}},
	{"RealDiv", []tensor.Value{tensor.Scalar(float32(3)), tensor.Scalar(float32(4))}},
	{"LogicalAnd", []tensor.Value{tensor.Scalar(true), tensor.Scalar(true)}},
	{"LogicalNot", []tensor.Value{tensor.Scalar(true)}},
	{"Neg", []tensor.Value{tensor.Scalar(float32(3))}},
	{"Square", []tensor.Value{tensor.Scalar(float32(3))}},
	{"Sqrt", []tensor.Value{tensor.Scalar(float32(3))}},
	{"Tanh", []tensor.Value{tensor.Scalar(float32(3))}},
	{"AddV2", []tensor.Value{tensor.Scalar(tensor.ToFloat16(3)), tensor.Scalar(tensor.ToFloat16(4))}},
}

func newScalarKernel(tb testing.TB, op string, in []tensor.Value) (kernel.Kernel, []tensor.Value) {
	types := make([]tensor.DType, len(in))
	for i := range in {
		types[i] = in[i].DType()
	}
	k, outputs, err := kerneltest.New("n", op, registry.Attrs{}, types...)
	if err != nil {
		tb.Fatal(err)
	}
	return k, make([]tensor.Value, len(outputs))
}

func TestScalarsDoNotAllocate(t *testing.T) {
	for _, c := range scalarKernels {
		k, out := newScalarKernel(t, c.op, c.in)
		allocs := testing.AllocsPerRun(100, func() {
			if err := k.Run(nil, c.in, out); err != nil { // the fast path needs no context
				t.Fatal(err)
			}
		})
		if allocs != 0 {
			t.Errorf("%s on %v scalars allocates %v times", c.op, c.in[0].DType(), allocs)
		}
	}
}

func BenchmarkScalar(b *testing.B) {
	for _, c := range scalarKernels {
		b.Run(fmt.Sprintf("%s/%v", c.op, c.in[0].DType()), func(b *testing.B) {
			k, out := newScalarKernel(b, c.op, c.in)
			for b.Loop() {
				if err := k.Run(nil, c.in, out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
