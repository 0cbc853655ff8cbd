package all

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A small is a kernel on small tensors, as loops run them.
type small struct {
	name, op string
	attrs    registry.Attrs
	in       []tensor.Value
}

func (s small) String() string { return s.op + s.name }

var smalls = []small{
	{"", "Identity", nil, []tensor.Value{ramp(1, 64)}},
	{"VV", "AddV2", nil, []tensor.Value{ramp(1, 64), ramp(1, 64)}},
	{"Row", "AddV2", nil, []tensor.Value{ramp(1, 64), ramp(64)}},
	{"Rows", "AddV2", nil, []tensor.Value{ramp(4, 16), ramp(16)}},
	{"Scalar", "AddV2", nil, []tensor.Value{ramp(1, 64), tensor.Scalar(float32(2))}},
	{"VV", "Mul", nil, []tensor.Value{ramp(1, 64), ramp(1, 64)}},
	{"Column", "Mul", nil, []tensor.Value{ramp(4, 16), ramp(4, 1)}},
	{"Ints", "AddV2", nil, []tensor.Value{ints(1, 2, 3, 4), ints(5, 6, 7, 8)}},
	{"", "Sigmoid", nil, []tensor.Value{ramp(1, 64)}},
	{"", "Tanh", nil, []tensor.Value{ramp(1, 64)}},
	{"", "Exp", nil, []tensor.Value{ramp(1, 64)}},
	{"", "Relu", nil, []tensor.Value{ramp(1, 64)}},
	{"", "Neg", nil, []tensor.Value{ramp(1, 64)}},
	{"", "Greater", nil, []tensor.Value{ramp(1, 64), ramp(1, 64)}},
	{"", "BiasAdd", nil, []tensor.Value{ramp(1, 64), ramp(64)}},
	{"1x32x32", "MatMul", nil, []tensor.Value{ramp(1, 32), ramp(32, 32)}},
	{"4x32x32", "MatMul", nil, []tensor.Value{ramp(4, 32), ramp(32, 32)}},
	{"1x8x8", "MatMul", nil, []tensor.Value{ramp(1, 8), ramp(8, 8)}},
	{"1x8x8T", "MatMul", yes("transpose_b"), []tensor.Value{ramp(1, 8), ramp(8, 8)}},
	{"", "ConcatV2", nil, []tensor.Value{ramp(1, 64), ramp(1, 64), tensor.Scalar(int32(1))}},
	{"Rows", "ConcatV2", nil, []tensor.Value{ramp(4, 16), ramp(4, 16), tensor.Scalar(int32(1))}},
	{"", "Split", number("num_split", 4), []tensor.Value{tensor.Scalar(int32(1)), ramp(1, 256)}},
	{"Rows", "Split", number("num_split", 4), []tensor.Value{tensor.Scalar(int32(1)), ramp(4, 64)}},
	{"", "SplitV", number("num_split", 2), []tensor.Value{ramp(1, 64), ints(16, 48), tensor.Scalar(int32(1))}},
	{"", "Pack", nil, []tensor.Value{ramp(16), ramp(16), ramp(16)}},
	{"Scalars", "Pack", nil, []tensor.Value{tensor.Scalar(int32(1)), tensor.Scalar(int32(2)), tensor.Scalar(int32(3))}},
	{"", "Unpack", number("num", 4), []tensor.Value{ramp(4, 16)}},
	{"Scalars", "Unpack", number("num", 4), []tensor.Value{ints(1, 2, 3, 4)}},
	{"Row", "StridedSlice", number("shrink_axis_mask", 1), []tensor.Value{ramp(10, 16), ints(3), ints(4), ints(1)}},
	{"Element", "StridedSlice", number("shrink_axis_mask", 1), []tensor.Value{ramp(16), ints(3), ints(4), ints(1)}},
	{"Rows", "StridedSlice", nil, []tensor.Value{ramp(10, 16), ints(3), ints(5), ints(1)}},
	{"Column", "StridedSlice", append(number("begin_mask", 1), append(number("end_mask", 1), number("shrink_axis_mask", 2)...)...), []tensor.Value{ramp(10, 16), ints(0, 3), ints(0, 4), ints(1, 1)}},
	{"", "Slice", nil, []tensor.Value{ramp(10, 16), ints(3, 0), ints(1, 16)}},
	{"Columns", "Slice", nil, []tensor.Value{ramp(4, 16), ints(0, 4), ints(4, 8)}},
	{"Row", "GatherV2", nil, []tensor.Value{ramp(10, 16), tensor.Scalar(int32(3)), tensor.Scalar(int32(0))}},
	{"Rows", "GatherV2", nil, []tensor.Value{ramp(10, 16), ints(3), tensor.Scalar(int32(0))}},
	{"", "Reshape", nil, []tensor.Value{ramp(4, 16), ints(64)}},
	{"", "ExpandDims", nil, []tensor.Value{ramp(64), tensor.Scalar(int32(0))}},
	{"", "Squeeze", nil, []tensor.Value{ramp(1, 64)}},
	{"", "Cast", kind("DstT", tensor.Int32), []tensor.Value{ramp(64)}},
	{"Scalar", "Cast", kind("DstT", tensor.Int32), []tensor.Value{tensor.Scalar(float32(2))}},
	{"", "Select", nil, []tensor.Value{bools(true, false, true, false), ints(1, 2, 3, 4), ints(5, 6, 7, 8)}},
	{"Scalar", "SelectV2", nil, []tensor.Value{bools(true, false, true, false), ints(1, 2, 3, 4), tensor.Scalar(int32(0))}},
	{"", "Shape", nil, []tensor.Value{ramp(4, 16)}},
	{"", "Sum", nil, []tensor.Value{ramp(4, 16), ints(1)}},
	{"All", "Sum", nil, []tensor.Value{ramp(4, 16), ints(0, 1)}},
	{"Columns", "Sum", nil, []tensor.Value{ramp(4, 16), ints(0)}},
	{"", "Max", nil, []tensor.Value{ramp(4, 16), ints(1)}},
	{"", "Mean", nil, []tensor.Value{ramp(4, 16), ints(1)}},
	{"", "ArgMax", nil, []tensor.Value{ramp(1, 16), tensor.Scalar(int32(1))}},
	{"", "Softmax", nil, []tensor.Value{ramp(1, 16)}},
	{"", "Transpose", nil, []tensor.Value{ramp(4, 16), ints(1, 0)}},
	{"", "Fill", nil, []tensor.Value{ints(4, 16), tensor.Scalar(float32(1))}},
	{"", "ZerosLike", nil, []tensor.Value{ramp(4, 16)}},
	{"", "Range", nil, []tensor.Value{tensor.Scalar(int32(0)), tensor.Scalar(int32(8)), tensor.Scalar(int32(1))}},
	{"", "Tile", nil, []tensor.Value{ramp(1, 16), ints(4, 1)}},
	{"", "OneHot", nil, []tensor.Value{tensor.Scalar(int32(3)), tensor.Scalar(int32(16)), tensor.Scalar(float32(1)), tensor.Scalar(float32(0))}},
}

// ramp returns a float32 tensor of numbers from 0 to 1.
func ramp(dims ...int64) tensor.Value {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i) / float32(n)
	}
	return valueOf(x, dims)
}

func ints(x ...int32) tensor.Value { return valueOf(x, []int64{int64(len(x))}) }
func bools(x ...bool) tensor.Value { return valueOf(x, []int64{int64(len(x))}) }

func valueOf[T tensor.Element](x []T, dims []int64) tensor.Value {
	t, err := tensor.FromSlice(x, dims...)
	if err != nil {
		panic(err)
	}
	return tensor.ValueOf(t)
}

func number(name string, n int64) registry.Attrs {
	return registry.Attrs{{Name: name, Value: registry.AttrValue{Kind: registry.KindInt, I: n}}}
}

func yes(name string) registry.Attrs {
	return registry.Attrs{{Name: name, Value: registry.AttrValue{Kind: registry.KindBool, B: true}}}
}

func kind(name string, dt tensor.DType) registry.Attrs {
	return registry.Attrs{{Name: name, Value: registry.AttrValue{Kind: registry.KindType, Type: dt}}}
}

// loop makes a function that runs the kernel once, as an instruction of a loop:
// its outputs have homes, to which they return.
func (s small) loop() (func() error, error) {
	types := make([]tensor.DType, len(s.in))
	for i, v := range s.in {
		types[i] = v.DType()
	}
	attrs := s.attrs
	switch s.op {
	case "ConcatV2":
		attrs = number("N", int64(len(s.in)-1))
	case "Pack":
		attrs = number("N", int64(len(s.in)))
	}
	k, outputs, err := kerneltest.New("small", s.op, attrs, types...)
	if err != nil {
		return nil, err
	}
	ctx := new(kerneltest.Runner).Context()
	homes := make([]tensor.BufferSlot, len(outputs)+1)
	in, out := make([]tensor.Value, len(s.in)), make([]tensor.Value, len(outputs))
	return func() error {
		copy(in, s.in)
		clear(out)
		ctx.Keep, ctx.Slots = 0, homes
		if err := k.Run(ctx, in, out); err != nil {
			return err
		}
		for _, v := range out {
			if !v.Plain() {
				v.Hold(1)
			}
		}
		for _, v := range out {
			if !v.Plain() {
				ctx.Arena.Drop(v)
			}
		}
		return nil
	}, nil
}

// In a loop small kernels allocate nothing.
func TestSmallKernelsDoNotAllocate(t *testing.T) {
	for _, s := range smalls {
		run, err := s.loop()
		if err != nil {
			t.Errorf("%v: %v", s, err)
			continue
		}
		if err := run(); err != nil {
			t.Errorf("%v: %v", s, err)
			continue
		}
		if n := testing.AllocsPerRun(20, func() { err = run() }); n != 0 || err != nil {
			t.Errorf("%v: %v allocations, %v", s, n, err)
		}
	}
}

func BenchmarkSmallKernels(b *testing.B) {
	for _, s := range smalls {
		b.Run(fmt.Sprint(s), func(b *testing.B) {
			run, err := s.loop()
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
