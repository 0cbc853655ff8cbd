package array_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/array"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

type fataler interface{ Fatal(...any) }

func of[T tensor.Element](tb fataler, data []T, dims ...int64) *tensor.Tensor {
	t, err := tensor.FromSlice(data, dims...)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func ints(tb fataler, x ...int32) *tensor.Tensor { return of(tb, x, int64(len(x))) }

func scalar(tb fataler, x int32) *tensor.Tensor { return of(tb, []int32{x}) }

// counted holds 0, 1, 2 …
func counted(tb fataler, dims ...int64) *tensor.Tensor {
	n, err := tensor.NumElements(tensor.Float, dims)
	if err != nil {
		tb.Fatal(err)
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i)
	}
	return of(tb, x, dims...)
}

func run(tb fataler, op string, attrs registry.Attrs, in ...*tensor.Tensor) []*tensor.Tensor {
	out, err := kerneltest.Run(op, attrs, in...)
	if err != nil {
		tb.Fatal(op, err)
	}
	return out
}

func intAttr(name string, x int) registry.NamedAttr {
	return registry.NamedAttr{Name: name, Value: registry.IntAttr(int64(x))}
}

// equal compares shapes and elements.
func equal(tb fataler, what string, got, want *tensor.Tensor) {
	if diff := cmp.Diff(want.Dims(), got.Dims()); diff != "" {
		tb.Fatal(what, "shape (-want +got):\n", diff)
	}
	if diff := cmp.Diff(floats(tb, want), floats(tb, got)); diff != "" {
		tb.Fatal(what, "(-want +got):\n", diff)
	}
}

func floats(tb fataler, t *tensor.Tensor) []float32 {
	x, err := tensor.Data[float32](t)
	if err != nil {
		tb.Fatal(err)
	}
	return append([]float32{}, x...)
}

// at returns the element of t at these coordinates.
func at(x []float32, dims, place []int64) float32 {
	i := int64(0)
	for d, n := range dims {
		i = i*n + place[d]
	}
	return x[i]
}

// build makes a tensor whose elements f gives by their coordinates.
func build(tb fataler, dims []int64, f func(place []int64) float32) *tensor.Tensor {
	t := counted(tb, dims...)
	x := floats(tb, t)
	for i := range x {
		place := make([]int64, len(dims))
		for d, r := len(dims)-1, int64(i); d >= 0; d-- {
			place[d], r = r%dims[d], r/dims[d]
		}
		x[i] = f(place)
	}
	return of(tb, x, dims...)
}

func drawDims(t *rapid.T, least int64) []int64 {
	return rapid.SliceOfN(rapid.Int64Range(least, 4), 1, 4).Draw(t, "dims")
}

func narrow(x []int64) []int32 {
	y := make([]int32, len(x))
	for i := range x {
		y[i] = int32(x[i])
	}
	return y
}

func TestTransposeEqualsLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := drawDims(t, 0)
		order := make([]int32, len(dims))
		for i := range order {
			order[i] = int32(i)
		}
		perm := rapid.Permutation(order).Draw(t, "perm")
		x := counted(t, dims...)
		turned := make([]int64, len(dims))
		for i, p := range perm {
			turned[i] = dims[p]
		}
		want := build(t, turned, func(place []int64) float32 {
			from := make([]int64, len(place))
			for i, p := range perm {
				from[p] = place[i]
			}
			return at(floats(t, x), dims, from)
		})
		equal(t, "transpose", run(t, "Transpose", nil, x, ints(t, perm...))[0], want)
	})
}

// Transposes that are matrices, seen with neighbouring dimensions merged, and
// large enough to be shared out.
func TestLargeTransposes(t *testing.T) {
	for _, c := range []struct {
		dims []int64
		perm []int32
	}{
		{[]int64{70, 90}, []int32{1, 0}},
		{[]int64{1030, 67}, []int32{1, 0}},
		{[]int64{3, 5000}, []int32{1, 0}},
		{[]int64{20000, 3}, []int32{1, 0}},
		{[]int64{3, 1, 20, 30, 40}, []int32{0, 3, 4, 1, 2}},
		{[]int64{5, 16, 17, 33}, []int32{0, 3, 1, 2}},
		{[]int64{16, 17, 33}, []int32{1, 2, 0}},
		{[]int64{16, 17, 33}, []int32{2, 1, 0}},
		{[]int64{9, 8, 17, 65}, []int32{0, 2, 1, 3}},
	} {
		n := int64(1)
		for _, d := range c.dims {
			n *= d
		}
		wide, narrow, short := make([]int64, n), make([]float32, n), make([]int8, n)
		for i := range wide {
			wide[i], narrow[i], short[i] = int64(i)<<20, float32(i), int8(i)
		}
		turned := make([]int64, len(c.dims))
		for i, p := range c.perm {
			turned[i] = c.dims[p]
		}
		perm := ints(t, c.perm...)
		gotWide, err := tensor.Data[int64](run(t, "Transpose", nil, of(t, wide, c.dims...), perm)[0])
		if err != nil {
			t.Fatal(err)
		}
		gotShort, err := tensor.Data[int8](run(t, "Transpose", nil, of(t, short, c.dims...), perm)[0])
		if err != nil {
			t.Fatal(err)
		}
		gotNarrow := floats(t, run(t, "Transpose", nil, of(t, narrow, c.dims...), perm)[0])
		place := make([]int64, len(c.dims))
		for i := range wide {
			rest := int64(i)
			for d := len(turned) - 1; d >= 0; d-- {
				place[c.perm[d]], rest = rest%turned[d], rest/turned[d]
			}
			from := int64(0)
			for d, p := range place {
				from = from*c.dims[d] + p
			}
			if gotWide[i] != wide[from] || gotNarrow[i] != narrow[from] || gotShort[i] != short[from] {
				t.Fatalf("%v by %v: element %d is not element %d", c.dims, c.perm, i, from)
			}
		}
	}
}

func TestSliceTileAndPadEqualLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := drawDims(t, 1)
		x := counted(t, dims...)
		rank := len(dims)
		begin, size := make([]int64, rank), make([]int64, rank)
		times, tiled := make([]int64, rank), make([]int64, rank)
		pads, padded := make([]int64, 2*rank), make([]int64, rank)
		for d, n := range dims {
			begin[d] = rapid.Int64Range(0, n).Draw(t, "begin")
			size[d] = rapid.Int64Range(0, n-begin[d]).Draw(t, "size")
			times[d] = rapid.Int64Range(0, 3).Draw(t, "times")
			tiled[d] = n * times[d]
			pads[2*d], pads[2*d+1] = rapid.Int64Range(0, 2).Draw(t, "before"), rapid.Int64Range(0, 2).Draw(t, "after")
			padded[d] = pads[2*d] + n + pads[2*d+1]
		}
		plus := func(a, b []int64) []int64 {
			c := make([]int64, len(a))
			for i := range a {
				c[i] = a[i] + b[i]
			}
			return c
		}
		equal(t, "slice", run(t, "Slice", nil, x, ints(t, narrow(begin)...), ints(t, narrow(size)...))[0],
			build(t, size, func(place []int64) float32 { return at(floats(t, x), dims, plus(place, begin)) }))
		equal(t, "tile", run(t, "Tile", nil, x, ints(t, narrow(times)...))[0],
			build(t, tiled, func(place []int64) float32 {
				from := make([]int64, rank)
				for d := range from {
					from[d] = place[d] % dims[d]
				}
				return at(floats(t, x), dims, from)
			}))
		equal(t, "pad", run(t, "Pad", nil, x, of(t, narrow(pads), int64(rank), 2))[0],
			build(t, padded, func(place []int64) float32 {
				from := make([]int64, rank)
				for d := range from {
					if from[d] = place[d] - pads[2*d]; from[d] < 0 || from[d] >= dims[d] {
						return 0
					}
				}
				return at(floats(t, x), dims, from)
			}))
	})
}

// What is cut apart and joined again is the same.
func TestSplitAndConcatUndoEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := drawDims(t, 1)
		x := counted(t, dims...)
		axis := rapid.IntRange(0, len(dims)-1).Draw(t, "axis")
		left, sizes := dims[axis], []int64{}
		for left > 0 {
			n := rapid.Int64Range(0, left).Draw(t, "part")
			sizes, left = append(sizes, n), left-n
			if len(sizes) == 4 {
				sizes, left = append(sizes, left), 0
			}
		}
		parts := run(t, "SplitV", registry.Attrs{intAttr("num_split", len(sizes))}, x, ints(t, narrow(sizes)...), scalar(t, int32(axis)))
		if len(parts) > 1 {
			joined := run(t, "ConcatV2", registry.Attrs{intAttr("N", len(parts))}, append(parts, scalar(t, int32(axis-len(dims))))...)
			equal(t, "concat", joined[0], x)
		}
		rows := run(t, "Unpack", registry.Attrs{intAttr("axis", axis), intAttr("num", int(dims[axis]))}, x)
		packed := run(t, "Pack", registry.Attrs{intAttr("N", len(rows)), intAttr("axis", axis)}, rows...)
		equal(t, "pack", packed[0], x)
	})
}

func TestGatherEqualsLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := drawDims(t, 1)
		x := counted(t, dims...)
		axis := rapid.IntRange(0, len(dims)-1).Draw(t, "axis")
		idx := rapid.SliceOfN(rapid.Int32Range(0, int32(dims[axis]-1)), 0, 5).Draw(t, "indices")
		shape := append(append(append([]int64{}, dims[:axis]...), int64(len(idx))), dims[axis+1:]...)
		got := run(t, "GatherV2", nil, x, ints(t, idx...), scalar(t, int32(axis)))[0]
		equal(t, "gather", got, build(t, shape, func(place []int64) float32 {
			from := append([]int64{}, place...)
			from[axis] = int64(idx[place[axis]])
			return at(floats(t, x), dims, from)
		}))
	})
}

func TestScatterNdAddsInOrder(t *testing.T) {
	idx := of(t, []int32{1, 3, 1}, 3, 1)
	updates := of(t, []float32{1, 2, 10, 20, 100, 200}, 3, 2)
	got := run(t, "ScatterNd", nil, idx, updates, ints(t, 4, 2))[0]
	equal(t, "scatter", got, of(t, []float32{0, 0, 101, 202, 0, 0, 10, 20}, 4, 2))
}

func TestErrors(t *testing.T) {
	m := counted(t, 2, 3)
	for _, c := range []struct {
		op    string
		attrs registry.Attrs
		in    []*tensor.Tensor
		want  string
	}{
		{"Reshape", nil, []*tensor.Tensor{m, ints(t, -1, -1)}, "Only one input size may be -1, not both 0 and 1"},
		{"Reshape", nil, []*tensor.Tensor{m, ints(t, -2, 3)}, "Size 0 must be non-negative, not -2"},
		{"Reshape", nil, []*tensor.Tensor{m, ints(t, 2, 2)}, "Input to reshape is a tensor with 6 values, but the requested shape"},
		{"Reshape", nil, []*tensor.Tensor{m, ints(t, 4, -1)}, "requires a multiple of 4"},
		{"Reshape", nil, []*tensor.Tensor{m, of(t, []int64{1 << 40, 1 << 40}, 2)}, "values, but the requested shape"},
		{"Slice", nil, []*tensor.Tensor{m, ints(t, 1, 0), ints(t, 2, 1)}, "Expected size[0] in [0, 1]"},
		{"StridedSlice", nil, []*tensor.Tensor{m, ints(t, 0), ints(t, 1), ints(t, 0)}, "strides[0] must be non-zero"},
		{"StridedSlice", registry.Attrs{intAttr("shrink_axis_mask", 1)}, []*tensor.Tensor{m, ints(t, 2), ints(t, 3), ints(t, 1)}, "slice index 2 of dimension 0 out of bounds"},
		{"StridedSlice", registry.Attrs{intAttr("shrink_axis_mask", 1)}, []*tensor.Tensor{m, ints(t, 1), ints(t, 2, 3), ints(t, 1)}, "1D equal size tensors, but got shapes [1], [2], and [1]"},
		{"StridedSlice", registry.Attrs{intAttr("shrink_axis_mask", 1)}, []*tensor.Tensor{m, ints(t, 1), ints(t, 2), scalar(t, 1)}, "1D equal size tensors, but got shapes [1], [1], and []"},
		{"Transpose", nil, []*tensor.Tensor{m, ints(t, 1, 1)}, "0 is missing from {1,1}"},
		{"GatherV2", nil, []*tensor.Tensor{m, ints(t, 1, 7), scalar(t, 0)}, "indices[1] = 7 is not in [0, 2)"},
		{"GatherV2", nil, []*tensor.Tensor{m, of(t, []int32{0, 1, -1, 0}, 2, 2), scalar(t, 0)}, "indices[1,0] = -1 is not in [0, 2)"},
		{"GatherNd", nil, []*tensor.Tensor{m, of(t, []int32{0, 0, 5, 0}, 2, 2)}, "indices[1] = [5,0] does not index into param shape [2,3]"},
		{"ScatterNd", nil, []*tensor.Tensor{of(t, []int32{4}, 1, 1), of(t, []float32{1}, 1), ints(t, 4)}, "indices[0] = [4] does not index into"},
		{"Tile", nil, []*tensor.Tensor{m, ints(t, 1, -1)}, "Expected multiples[1] >= 0, but got -1"},
		{"Tile", nil, []*tensor.Tensor{m, of(t, []int64{1 << 62, 1 << 62}, 2)}, "larger than 63 bits"},
		{"Fill", nil, []*tensor.Tensor{ints(t, -1), m}, "must be >= 0"},
		{"ConcatV2", registry.Attrs{intAttr("N", 2)}, []*tensor.Tensor{m, m, scalar(t, 2)}, "in the range [-2, 2)"},
		{"Pack", registry.Attrs{intAttr("N", 2)}, []*tensor.Tensor{m, counted(t, 3)}, "Shapes of all inputs must match: values[0].shape = [2,3] != values[1].shape = [3]"},
		{"Split", registry.Attrs{intAttr("num_split", 2)}, []*tensor.Tensor{scalar(t, 1), m}, "should evenly divide the split dimension"},
		{"Squeeze", registry.Attrs{{Name: "squeeze_dims", Value: registry.ListAttr(registry.KindInt, registry.IntAttr(0))}}, []*tensor.Tensor{m}, "Can not squeeze dim[0]"},
		{"ExpandDims", nil, []*tensor.Tensor{m, scalar(t, 3)}, "Tried to expand dim index 3 for tensor with 2 dimensions"},
		{"InvertPermutation", nil, []*tensor.Tensor{ints(t, 0, 0)}, "0 is duplicated in the input"},
		{"Pad", nil, []*tensor.Tensor{m, of(t, []int32{0, 0, -1, 0}, 2, 2)}, "Paddings must be non-negative"},
		{"Placeholder", registry.Attrs{{Name: "dtype", Value: registry.TypeAttr(tensor.Float)}, {Name: "shape", Value: registry.ShapeAttr(registry.Shape{Dims: []int64{2, -1}})}}, nil,
			"You must feed a value for placeholder tensor 'node' with dtype float and shape [2,?]"},
	} {
		_, err := kerneltest.Run(c.op, c.attrs, c.in...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.op, err, c.want)
		}
	}
}

// Small inputs that ask for huge outputs meet the memory limit.
func TestHugeOutputs(t *testing.T) {
	huge := of(t, []int64{1 << 20, 1 << 20}, 2)
	m := counted(t, 1, 1)
	for _, c := range []struct {
		op string
		in []*tensor.Tensor
	}{
		{"Fill", []*tensor.Tensor{huge, scalar(t, 1)}},
		{"Tile", []*tensor.Tensor{m, huge}},
		{"BroadcastTo", []*tensor.Tensor{m, huge}},
		{"OneHot", []*tensor.Tensor{ints(t, 0, 1), scalar(t, 1<<30), scalar(t, 1), scalar(t, 0)}},
		{"ScatterNd", []*tensor.Tensor{of(t, []int64{0, 0}, 1, 2), counted(t, 1), huge}},
		{"Pad", []*tensor.Tensor{m, of(t, []int64{0, 1 << 30, 0, 1 << 20}, 2, 2)}},
	} {
		r := kerneltest.Runner{Limit: 1 << 20}
		if _, err := r.Run("n", c.op, nil, c.in...); err == nil {
			t.Errorf("%s gave an output of terabytes", c.op)
		}
	}
}

// A loop over the rows of a tensor costs one buffer an iteration, or none.
func TestRowsDoNotAllocate(t *testing.T) {
	k, _, err := kerneltest.New("n", "StridedSlice", registry.Attrs{intAttr("shrink_axis_mask", 1)}, tensor.Float, tensor.Int32, tensor.Int32, tensor.Int32)
	if err != nil {
		t.Fatal(err)
	}
	in := []tensor.Value{tensor.ValueOf(counted(t, 9)), tensor.ValueOf(ints(t, 4)), tensor.ValueOf(ints(t, 5)), tensor.ValueOf(ints(t, 1))}
	out := make([]tensor.Value, 1)
	ctx := new(kerneltest.Runner).Context()
	if n := testing.AllocsPerRun(100, func() {
		if err := k.Run(ctx, in, out); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("an element of a vector takes %v allocations", n)
	}
	if got := tensor.At0[float32](&out[0]); got != 4 {
		t.Errorf("element 4 is %v", got)
	}
}

// No elements are taken from nowhere, however far in they begin.
func TestStridedSliceOfNothing(t *testing.T) {
	x, err := tensor.New(tensor.Float, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []int32{1, 2} {
		got := run(t, "StridedSlice", nil, x, ints(t, 1, 0), ints(t, 3, 0), ints(t, step, 1))[0]
		if d := got.Dims(); len(d) != 2 || d[0] != int64(3-step) || d[1] != 0 {
			t.Errorf("step %d: shape %v", step, d)
		}
	}
}
