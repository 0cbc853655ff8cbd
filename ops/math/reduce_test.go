package math_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// reduceSlowly folds the elements of x that agree in all dimensions but axes.
func reduceSlowly(x []int64, dims []int64, axes map[int]bool, start int64, f func(a, b int64) int64) []int64 {
	n := 1
	for d, size := range dims {
		if !axes[d] {
			n *= int(size)
		}
	}
	out := make([]int64, n)
	for i := range out {
		out[i] = start
	}
	for i, v := range x {
		at := make([]int64, len(dims))
		for d, r := len(dims)-1, int64(i); d >= 0; d-- {
			at[d], r = r%dims[d], r/dims[d]
		}
		o := int64(0)
		for d, k := range at {
			if !axes[d] {
				o = o*dims[d] + k
			}
		}
		out[o] = f(out[o], v)
	}
	return out
}

func TestReductionsEqualLoops(t *testing.T) {
	ops := []struct {
		op    string
		start int64
		f     func(a, b int64) int64
	}{
		{"Sum", 0, func(a, b int64) int64 { return a + b }},
		{"Prod", 1, func(a, b int64) int64 { return a * b }},
		{"Max", math.MinInt64, func(a, b int64) int64 { return max(a, b) }},
		{"Min", math.MaxInt64, func(a, b int64) int64 { return min(a, b) }},
	}
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.SliceOfN(rapid.Int64Range(0, 4), 0, 6).Draw(t, "dims")
		x := make([]int64, size(t, dims))
		for i := range x {
			x[i] = int64(i*7919%101) - 50
		}
		axes, list := map[int]bool{}, []int32{}
		for d := range dims {
			if rapid.Bool().Draw(t, "reduced") {
				axes[d] = true
				list = append(list, int32(d-len(dims)*rapid.IntRange(0, 1).Draw(t, "negative")))
			}
		}
		keep := rapid.Bool().Draw(t, "keep")
		var shape []int64
		for d, n := range dims {
			if axes[d] {
				n = 1
			}
			if keep || !axes[d] {
				shape = append(shape, n)
			}
		}
		op := rapid.SampledFrom(ops).Draw(t, "op")
		got := run(t, op.op, attr("keep_dims", registry.BoolAttr(keep)), of(t, x, dims...), of(t, list, int64(len(list))))
		if diff := cmp.Diff(append([]int64{}, shape...), append([]int64{}, got.Dims()...)); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(reduceSlowly(x, dims, axes, op.start, op.f), append([]int64{}, data[int64](t, got)...)); diff != "" {
			t.Fatalf("%s of %v along %v (-want +got):\n%s", op.op, dims, list, diff)
		}
	})
}

func size(t *rapid.T, dims []int64) int {
	n, err := tensor.NumElements(tensor.Int64, dims)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Sums of many numbers are the same bits on any number of threads, and close to
// the sum in float64.
func TestLargeSums(t *testing.T) {
	const rows, columns = 1500, 700
	x := make([]float32, rows*columns)
	for i := range x {
		x[i] = float32(math.Sin(float64(i))) + 1
	}
	in := of(t, x, rows, columns)
	for _, axes := range [][]int32{{0}, {1}, {0, 1}} {
		var first []float32
		for _, pool := range []kernel.Pool{kerneltest.Serial{}, kerneltest.Threads{}} {
			r := kerneltest.Runner{Pool: pool}
			out, err := r.Run("n", "Sum", nil, in, of(t, axes, int64(len(axes))))
			if err != nil {
				t.Fatal(err)
			}
			got := data[float32](t, out[0])
			if first == nil {
				first = got
			} else if diff := cmp.Diff(first, got); diff != "" {
				t.Errorf("threads change the sum along %v: %s", axes, diff)
			}
		}
		want := make([]float64, len(first))
		for i := range rows {
			for j := range columns {
				o := 0
				switch fmt.Sprint(axes) {
				case "[0]":
					o = j
				case "[1]":
					o = i
				}
				want[o] += float64(x[i*columns+j])
			}
		}
		for i := range want {
			if math.Abs(float64(first[i])-want[i]) > 1e-6*want[i] {
				t.Fatalf("sum %d along %v is %v, want %v", i, axes, first[i], want[i])
			}
		}
	}
}

func TestArgMaxTakesTheFirst(t *testing.T) {
	nan := float32(math.NaN())
	x := of(t, []float32{1, 3, 3, 2, nan, 5, nan, nan, 0, 0, -1, -1}, 4, 3)
	got := data[int64](t, run(t, "ArgMax", nil, x, of(t, []int32{1})))
	if diff := cmp.Diff([]int64{1, 2, 2, 0}, got); diff != "" {
		t.Error(diff)
	}
	got = data[int64](t, run(t, "ArgMin", nil, x, of(t, []int32{0})))
	if diff := cmp.Diff([]int64{3, 3, 3}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCumsum(t *testing.T) {
	x := of(t, []int32{1, 2, 3, 4, 5, 6}, 2, 3)
	for _, c := range []struct {
		exclusive, reverse bool
		axis               int32
		want               []int32
	}{
		{false, false, 1, []int32{1, 3, 6, 4, 9, 15}},
		{true, false, 1, []int32{0, 1, 3, 0, 4, 9}},
		{false, true, 1, []int32{6, 5, 3, 15, 11, 6}},
		{true, true, -1, []int32{5, 3, 0, 11, 6, 0}},
		{false, false, 0, []int32{1, 2, 3, 5, 7, 9}},
	} {
		attrs := registry.Attrs{
			{Name: "exclusive", Value: registry.BoolAttr(c.exclusive)},
			{Name: "reverse", Value: registry.BoolAttr(c.reverse)},
		}
		got := data[int32](t, run(t, "Cumsum", attrs, x, of(t, []int32{c.axis})))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("exclusive %v, reverse %v, axis %d: %s", c.exclusive, c.reverse, c.axis, diff)
		}
	}
}

// Rows of lengths about those of vectors, with NaN and infinities, against plain
// loops.
func TestLongRows(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	negative := float32(math.Copysign(0, -1))
	for _, n := range []int{1, 63, 64, 65, 127, 129, 1000, 5000, 40000} {
		for _, special := range []float32{0, negative, nan, inf, -inf, 3} {
			const rows = 3
			x := make([]float32, rows*n)
			for i := range x {
				x[i] = float32(math.Sin(float64(i)*0.7) * 2)
			}
			x[0], x[n+n/2], x[3*n-1] = special, special, special
			in, axis := of(t, x, rows, int64(n)), of(t, []int32{1})
			at := data[int64](t, run(t, "ArgMax", nil, in, axis))
			most, least := data[float32](t, run(t, "Max", nil, in, axis)), data[float32](t, run(t, "Min", nil, in, axis))
			total := data[float32](t, run(t, "Sum", nil, in, axis))
			for r := range rows {
				row := x[r*n : (r+1)*n]
				first, best, high, low, sum, size := 0, -inf, row[0], row[0], 0.0, 0.0
				for i, v := range row {
					if v > best {
						first, best = i, v
					}
					high, low, sum, size = max(high, v), min(low, v), sum+float64(v), size+math.Abs(float64(v))
				}
				if at[r] != int64(first) {
					t.Errorf("%d elements with %v: argmax %d, want %d", n, special, at[r], first)
				}
				if math.Float32bits(most[r]) != math.Float32bits(high) && high == high || high != high && most[r] == most[r] {
					t.Errorf("%d elements with %v: max %v, want %v", n, special, most[r], high)
				}
				if math.Float32bits(least[r]) != math.Float32bits(low) && low == low || low != low && least[r] == least[r] {
					t.Errorf("%d elements with %v: min %v, want %v", n, special, least[r], low)
				}
				if got := float64(total[r]); got != sum && !(math.Abs(got-sum) <= 1e-6*size) && sum == sum {
					t.Errorf("%d elements with %v: sum %v, want %v", n, special, got, sum)
				}
			}
		}
	}
}

// A power of a vector to one exponent is that of its elements.
func TestPowerOfVector(t *testing.T) {
	x := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2.5, -3.7, 1e-20, -1e-20, 1e20, 1e12, 7e12, -1e13, 1e-15, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.SmallestNonzeroFloat32, math.MaxFloat32}
	for _, y := range []float32{2, 3, -1, 0, 0.5} {
		got := data[float32](t, run(t, "Pow", nil, of(t, x, int64(len(x))), of(t, []float32{y})))
		for i, v := range x {
			want := float32(math.Pow(float64(v), float64(y)))
			if math.Float32bits(got[i]) != math.Float32bits(want) && (want == want || got[i] == got[i]) {
				t.Errorf("%v to the power of %v is %v, want %v", v, y, got[i], want)
			}
		}
	}
}
