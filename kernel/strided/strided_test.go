package strided_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/tensor"
)

// A numbered tensor holds the numbers of its elements, in each dtype's way.
func numbered[T tensor.Element](t *rapid.T, dims []int64, f func(int) T) tensor.Value {
	n, err := tensor.NumElements(tensor.DTypeOf[T](), dims)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]T, n)
	for i := range x {
		x[i] = f(i)
	}
	v, err := tensor.FromSlice(x, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return tensor.ValueOf(v)
}

// places lists the places of a view's elements, in order, one by one.
func places(v strided.View) []int {
	at := []int{v.Offset}
	for d, n := range v.Dims {
		var next []int
		for _, a := range at {
			for i := range n {
				next = append(next, a+i*v.Strides[d])
			}
		}
		at = next
	}
	return at
}

// A view is drawn by slicing, reversing, permuting and broadcasting a tensor.
func drawView(t *rapid.T, dims []int64) strided.View {
	v := strided.Of(dims)
	for d := range dims {
		size := v.Dims[d]
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
			if size > 0 {
				start := rapid.IntRange(0, size-1).Draw(t, "start")
				step := rapid.IntRange(1, 3).Draw(t, "step")
				v.Slice(d, start, step, rapid.IntRange(0, (size-1-start)/step+1).Draw(t, "n"))
			}
		case 1:
			v.Reverse(d)
		}
	}
	perm := rapid.Permutation(indices(len(dims))).Draw(t, "perm")
	v = v.Permute(perm)
	if rapid.Bool().Draw(t, "repeat") {
		v = v.Insert(rapid.IntRange(0, len(v.Dims)).Draw(t, "at"), rapid.IntRange(1, 3).Draw(t, "times"), 0)
	}
	return v
}

func indices(n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = i
	}
	return x
}

func checkCopy[T tensor.Element](t *rapid.T, ctx *kernel.Context, dims []int64, f func(int) T) {
	src := numbered(t, dims, f)
	from := drawView(t, dims)
	shape := make([]int64, len(from.Dims))
	for i, d := range from.Dims {
		shape[i] = int64(d)
	}
	dst, err := ctx.AllocZeroed(src.DType(), shape)
	if err != nil {
		t.Fatal(err)
	}
	if err := strided.Copy(ctx, &dst, strided.Of(shape), &src, from); err != nil {
		t.Fatal(err)
	}
	want := []T{}
	for _, p := range places(from) {
		want = append(want, tensor.Of[T](&src)[p])
	}
	if diff := cmp.Diff(want, append([]T{}, tensor.Of[T](&dst)...)); diff != "" {
		t.Fatalf("%v from a tensor of shape %v (-want +got):\n%s", from, dims, diff)
	}
}

func TestCopyEqualsElementByElement(t *testing.T) {
	for name, pool := range map[string]kernel.Pool{"serial": kerneltest.Serial{}, "threads": kerneltest.Threads{}} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			ctx := (&kerneltest.Runner{Pool: pool}).Context()
			dims := rapid.SliceOfN(rapid.Int64Range(0, 6), 0, 5).Draw(t, "dims")
			switch rapid.IntRange(0, 9).Draw(t, "large") {
			case 0:
				dims = []int64{rapid.Int64Range(1, 300).Draw(t, "rows"), rapid.Int64Range(1, 300).Draw(t, "columns")}
			case 1:
				dims = nil
				for range 4 {
					dims = append(dims, rapid.Int64Range(9, 19).Draw(t, "dim"))
				}
			}
			switch rapid.IntRange(0, 5).Draw(t, "type") {
			case 0:
				checkCopy(t, ctx, dims, func(i int) uint8 { return uint8(i) })
			case 1:
				checkCopy(t, ctx, dims, func(i int) int16 { return int16(i) })
			case 2:
				checkCopy(t, ctx, dims, func(i int) float32 { return float32(i) })
			case 3:
				checkCopy(t, ctx, dims, func(i int) int64 { return int64(i) })
			case 4:
				checkCopy(t, ctx, dims, func(i int) complex128 { return complex(float64(i), 1) })
			default:
				checkCopy(t, ctx, dims, func(i int) string { return string(rune('a' + i%26)) })
			}
		}))
	}
}

// A transpose back and forth through tiles hands the tensor back.
func TestTransposeOfLargeMatrix(t *testing.T) {
	const rows, columns = 333, 517
	ctx := (&kerneltest.Runner{Pool: kerneltest.Threads{}}).Context()
	x := make([]float32, rows*columns)
	for i := range x {
		x[i] = float32(i)
	}
	m, err := tensor.FromSlice(x, rows, columns)
	if err != nil {
		t.Fatal(err)
	}
	src := tensor.ValueOf(m)
	turned, err := ctx.Alloc(tensor.Float, []int64{columns, rows})
	if err != nil {
		t.Fatal(err)
	}
	if err := strided.Copy(ctx, &turned, strided.Whole(turned), &src, strided.Whole(src).Permute([]int{1, 0})); err != nil {
		t.Fatal(err)
	}
	y := tensor.Of[float32](&turned)
	for i := range rows {
		for j := range columns {
			if y[j*rows+i] != x[i*columns+j] {
				t.Fatalf("element %d,%d is %v", j, i, y[j*rows+i])
			}
		}
	}
}

func TestGatherAndScatterUndoEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := new(kerneltest.Runner).Context()
		rows, n := rapid.IntRange(1, 9).Draw(t, "rows"), rapid.IntRange(1, 4).Draw(t, "n")
		dims := []int64{int64(rows), int64(n)}
		src := numbered(t, dims, func(i int) float64 { return float64(i) })
		perm := rapid.Permutation(indices(rows)).Draw(t, "perm")
		names := make([]int64, rows)
		for i, p := range perm {
			names[i] = int64(p)
		}
		mixed, err := ctx.AllocZeroed(tensor.Double, dims)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ctx.AllocZeroed(tensor.Double, dims)
		if err != nil {
			t.Fatal(err)
		}
		strided.Gather(&mixed, 0, &src, 0, names, n)
		strided.Scatter(&back, &mixed, names, n)
		if diff := cmp.Diff(tensor.Of[float64](&src), tensor.Of[float64](&back)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestContiguous(t *testing.T) {
	cut := func(d, start, step, n int) strided.View {
		v := strided.Of([]int64{4, 3, 2})
		v.Slice(d, start, step, n)
		return v
	}
	for _, c := range []struct {
		v    strided.View
		want bool
	}{
		{strided.Of(nil), true},
		{strided.Of([]int64{4, 3, 2}), true},
		{cut(0, 1, 1, 2), true},
		{cut(0, 1, 2, 2), false},
		{cut(0, 3, -1, 2), false},
		{cut(0, 3, -1, 1), true},
		{cut(1, 1, 1, 2), false},
		{cut(2, 1, 1, 1), false},
		{cut(1, 1, 1, 0), true},
		{strided.Of([]int64{1, 5}).Permute([]int{1, 0}), true},
		{strided.Of([]int64{2, 5}).Permute([]int{1, 0}), false},
		{strided.Of([]int64{1}).Broadcast([]int64{3}), false},
	} {
		if got := c.v.Contiguous(); got != c.want {
			t.Errorf("%v: %v, want %v", c.v, got, c.want)
		}
	}
}
