package elementwise_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

func counted(t interface{ Fatal(...any) }, dims []int64) tensor.Value {
	n, err := tensor.NumElements(tensor.Int64, dims)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]int64, n)
	for i := range x {
		x[i] = int64(i) + 1
	}
	v, err := tensor.FromSlice(x, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return tensor.ValueOf(v)
}

// pairs are two shapes that broadcast, and what to.
func pairs(t *rapid.T) (x, y, both []int64) {
	limit := int64(4)
	if rapid.IntRange(0, 9).Draw(t, "large") == 0 {
		limit = 60
	}
	for range rapid.IntRange(0, 5).Draw(t, "rank") {
		n := rapid.Int64Range(0, limit).Draw(t, "dim")
		if limit > 4 && len(both) >= 3 {
			n = 1
		}
		both = append(both, n)
		xn, yn := n, n
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			xn = 1
		case 1:
			yn = 1
		}
		if xn == 1 && yn == 1 {
			both[len(both)-1] = 1
		}
		x, y = append(x, xn), append(y, yn)
	}
	// Leading dimensions of 1 may be left off.
	for len(x) > 0 && x[0] == 1 && rapid.Bool().Draw(t, "drop x") {
		x = x[1:]
	}
	for len(y) > 0 && y[0] == 1 && len(x) == len(both) && rapid.Bool().Draw(t, "drop y") {
		y = y[1:]
	}
	return x, y, both
}

// place returns where the element of the result at these coordinates comes from.
func place(dims, at []int64) int {
	i := int64(0)
	front := len(at) - len(dims)
	for d, n := range dims {
		k := at[front+d]
		if n == 1 {
			k = 0
		}
		i = i*n + k
	}
	return int(i)
}

func TestBinaryEqualsElementByElement(t *testing.T) {
	zip := &elementwise.Zip[int64, int64]{In: tensor.Int64, Out: tensor.Int64, F: func(x, y int64) int64 { return 1000*x - y }}
	for name, pool := range map[string]kernel.Pool{"serial": kerneltest.Serial{}, "threads": kerneltest.Threads{}} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			xd, yd, both := pairs(t)
			in := []tensor.Value{counted(t, xd), counted(t, yd)}
			x, y := tensor.Of[int64](&in[0]), tensor.Of[int64](&in[1])
			out := make([]tensor.Value, 1)
			if err := zip.Run((&kerneltest.Runner{Pool: pool}).Context(), in, out); err != nil {
				t.Fatalf("%v with %v: %v", xd, yd, err)
			}
			want := both
			if len(xd) < len(both) && len(yd) < len(both) {
				want = both[len(both)-max(len(xd), len(yd)):]
			}
			if diff := cmp.Diff(append([]int64{}, want...), append([]int64{}, out[0].Dims()...)); diff != "" {
				t.Fatalf("shape of %v with %v (-want +got):\n%s", xd, yd, diff)
			}
			at := make([]int64, len(want))
			for i, got := range tensor.Of[int64](&out[0]) {
				for d, r := len(want)-1, int64(i); d >= 0; d-- {
					at[d] = r % want[d]
					r /= want[d]
				}
				if w := zip.F(x[place(xd, at)], y[place(yd, at)]); got != w {
					t.Fatalf("%v with %v: element %v is %d, want %d", xd, yd, at, got, w)
				}
			}
		}))
	}
}

// Rows that are repeated, of all lengths around those that are: as either operand, in a few
// and in many blocks, of elements of all sizes.
func TestRepeatedRows(t *testing.T) {
	for _, pool := range []kernel.Pool{kerneltest.Serial{}, kerneltest.Threads{}} {
		for n := 1; n <= 70; n++ {
			for _, all := range []int{2047, 2049, 40000} {
				rows := (all-1)/n + 1
				repeatRows(t, pool, rows, n, func(i int) int8 { return int8(i) })
				repeatRows(t, pool, rows, n, func(i int) float32 { return float32(i % 9973) })
				repeatRows(t, pool, rows, n, func(i int) complex128 { return complex(float64(i), 1) })
			}
		}
	}
}

func repeatRows[T int8 | float32 | complex128](t *testing.T, pool kernel.Pool, rows, n int, element func(i int) T) {
	t.Helper()
	long, row := make([]T, rows*n), make([]T, n)
	for i := range long {
		long[i] = element(i)
	}
	for i := range row {
		row[i] = element(7*i + 3)
	}
	x, err := tensor.FromSlice(long, int64(rows), int64(n))
	if err != nil {
		t.Fatal(err)
	}
	y, err := tensor.FromSlice(row, 1, int64(n))
	if err != nil {
		t.Fatal(err)
	}
	zip := &elementwise.Zip[T, T]{In: x.DType(), Out: x.DType(), F: func(x, y T) T { return x + x - y }}
	for i, in := range [][]tensor.Value{{tensor.ValueOf(x), tensor.ValueOf(y)}, {tensor.ValueOf(y), tensor.ValueOf(x)}} {
		out := make([]tensor.Value, 1)
		if err := zip.Run((&kerneltest.Runner{Pool: pool}).Context(), in, out); err != nil {
			t.Fatal(err)
		}
		for at, got := range tensor.Of[T](&out[0]) {
			a, b := long[at], row[at%n]
			if i == 1 {
				a, b = b, a
			}
			if want := a + a - b; got != want {
				t.Fatalf("%d rows of %d %v, operand %d repeated: element %d is %v, want %v", rows, n, x.DType(), 1-i, at, got, want)
			}
		}
	}
}

func TestIncompatibleShapes(t *testing.T) {
	for _, c := range []struct {
		x, y []int64
		want string
	}{
		{[]int64{2}, []int64{3}, "INVALID_ARGUMENT: Incompatible shapes: [2] vs. [3]"},
		{[]int64{2, 3}, []int64{3, 2}, "INVALID_ARGUMENT: Incompatible shapes: [2,3] vs. [3,2]"},
		{[]int64{0}, []int64{2}, "INVALID_ARGUMENT: Incompatible shapes: [0] vs. [2]"},
	} {
		if _, err := elementwise.NewBroadcast(c.x, c.y); err == nil || err.Error() != c.want {
			t.Errorf("%v with %v: %v, want %s", c.x, c.y, err, c.want)
		}
	}
}

// A vector's worth of work takes one buffer, whatever the way that shapes meet,
// and none where an operand's can be had.
func TestAllocations(t *testing.T) {
	zip := &elementwise.Zip[int64, int64]{In: tensor.Int64, Out: tensor.Int64, F: func(x, y int64) int64 { return x + y }}
	for name, in := range map[string][]tensor.Value{
		"vectors":           {counted(t, []int64{8}), counted(t, []int64{8})},
		"vector and scalar": {counted(t, []int64{8}), counted(t, nil)},
		"matrix and row":    {counted(t, []int64{8, 4}), counted(t, []int64{4})},
		"matrix and column": {counted(t, []int64{8, 1}), counted(t, []int64{8, 4})},
		"many short rows":   {counted(t, []int64{1000, 3}), counted(t, []int64{3})},
	} {
		ctx := new(kerneltest.Runner).Context()
		out := make([]tensor.Value, 1)
		allocs := testing.AllocsPerRun(100, func() {
			if err := zip.Run(ctx, in, out); err != nil {
				t.Fatal(err)
			}
			ctx.Free(out[0])
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations beside recycled buffers", name, allocs)
		}
	}
}

func TestWidenRounds(t *testing.T) {
	half := func(x ...float32) *tensor.Tensor {
		v, err := tensor.FromSlice(tensor.AppendFloat16s(nil, x), int64(len(x)))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	add := &elementwise.Zip[float32, float32]{In: tensor.Float, Out: tensor.Float, F: func(x, y float32) float32 { return x + y }}
	k := elementwise.Widen(tensor.Half, add)
	in := []tensor.Value{tensor.ValueOf(half(1, 2048)), tensor.ValueOf(half(0.25, 1))}
	out := make([]tensor.Value, 1)
	if err := k.Run(new(kerneltest.Runner).Context(), in, out); err != nil {
		t.Fatal(err)
	}
	got := tensor.AppendFloat32s(nil, tensor.Of[tensor.Float16](&out[0]))
	if diff := cmp.Diff([]float32{1.25, 2048}, got); diff != "" { // 2049 is no half
		t.Error(diff)
	}
}
