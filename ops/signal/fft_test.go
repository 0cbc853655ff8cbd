package signal_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func TestTransforms(t *testing.T) { kerneltest.Script(t, "testdata/fft") }

// slowly transforms the last axes of x by the definition.
func slowly(x []complex128, dims []int64, axes int, sign float64) []complex128 {
	for d := len(dims) - axes; d < len(dims); d++ {
		n, behind := int(dims[d]), 1
		for _, m := range dims[d+1:] {
			behind *= int(m)
		}
		y := make([]complex128, len(x))
		for i := range y {
			k, start := i/behind%n, i-i/behind%n*behind
			for j := range n {
				y[i] += x[start+j*behind] * cmplx.Rect(1, sign*2*math.Pi*float64(j*k%n)/float64(n))
			}
			if sign > 0 {
				y[i] /= complex(float64(n), 0)
			}
		}
		x = y
	}
	return x
}

func run[T tensor.Element](t *rapid.T, op string, attrs registry.Attrs, in ...*tensor.Tensor) ([]T, []int64) {
	out, err := (&kerneltest.Runner{Pool: kerneltest.Threads{}}).Run("n", op, attrs, in...)
	if err != nil {
		t.Fatal(op, err)
	}
	data, err := tensor.Data[T](out[0])
	if err != nil {
		t.Fatal(err)
	}
	return data, out[0].Dims()
}

func of[T tensor.Element](t *rapid.T, data []T, dims []int64) *tensor.Tensor {
	x, err := tensor.FromSlice(data, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func close(t *rapid.T, what string, got, want []complex128, limit float64) {
	if len(got) != len(want) {
		t.Fatalf("%s has %d elements, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(cmplx.Abs(got[i]-want[i]) <= limit) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func wide[C complex64 | complex128](x []C) []complex128 {
	y := make([]complex128, len(x))
	for i, v := range x {
		y[i] = complex128(v)
	}
	return y
}

// Complex transforms of 1 and 2 dimensions equal the definition.
func TestComplexTransformsEqualDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		axes := rapid.IntRange(1, 2).Draw(t, "axes")
		dims := rapid.SliceOfN(rapid.Int64Range(1, 9), axes, 3).Draw(t, "dims")
		x := numbers(dims)
		sign, op := -1.0, "FFT"
		if rapid.Bool().Draw(t, "inverse") {
			sign, op = 1, "IFFT"
		}
		if axes == 2 {
			op += "2D"
		}
		want := slowly(x, dims, axes, sign)
		got, _ := run[complex128](t, op, nil, of(t, x, dims))
		close(t, op, got, want, 1e-12)
		narrow := make([]complex64, len(x))
		for i, v := range x {
			narrow[i] = complex64(v)
		}
		got64, _ := run[complex64](t, op, nil, of(t, narrow, dims))
		close(t, op, wide(got64), want, 1e-4)
	})
}

// numbers fills a shape with numbers that repeat nowhere.
func numbers(dims []int64) []complex128 {
	n := 1
	for _, d := range dims {
		n *= int(d)
	}
	x := make([]complex128, n)
	for i := range x {
		x[i] = cmplx.Rect(1+float64(i%7), float64(i*i))
	}
	return x
}

// Transforms of real numbers are the half of the complex ones of what the
// lengths leave, and are undone by the inverse.
func TestRealTransformsEqualDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		axes := rapid.IntRange(1, 3).Draw(t, "axes")
		dims := rapid.SliceOfN(rapid.Int64Range(1, 7), axes, 4).Draw(t, "dims")
		outer := len(dims) - axes
		var lengths []int32
		cut := append([]int64(nil), dims...)
		for d := outer; d < len(dims); d++ {
			cut[d] = rapid.Int64Range(1, dims[d]).Draw(t, "length")
			lengths = append(lengths, int32(cut[d]))
		}
		x := numbers(dims)
		reals := make([]float64, len(x))
		for i, v := range x {
			reals[i] = real(v)
		}
		kept := make([]float64, len(numbers(cut))) // what the lengths leave
		full := make([]complex128, len(kept))
		for i := range kept {
			at, rest, size := 0, i, 1
			for d := len(dims) - 1; d >= 0; d-- {
				at += rest % int(cut[d]) * size
				rest /= int(cut[d])
				size *= int(dims[d])
			}
			kept[i] = reals[at]
			full[i] = complex(reals[at], 0)
		}
		full = slowly(full, cut, axes, -1)
		n := int(cut[len(cut)-1])
		var want []complex128
		for i, v := range full {
			if i%n <= n/2 {
				want = append(want, v)
			}
		}
		op := "RFFT"
		if axes > 1 {
			op += fmt.Sprint(axes, "D")
		}
		length := of(t, lengths, []int64{int64(axes)})
		double := registry.Attrs{{Name: "Tcomplex", Value: registry.TypeAttr(tensor.Complex128)}}
		got, shape := run[complex128](t, op, double, of(t, reals, dims), length)
		close(t, op, got, want, 1e-11)
		back, _ := run[float64](t, "I"+op, registry.Attrs{{Name: "Treal", Value: registry.TypeAttr(tensor.Double)}}, of(t, got, shape), length)
		for i, v := range back {
			if !(math.Abs(v-kept[i]) < 1e-12) {
				t.Fatalf("I%s: element %d is %v, want %v", op, i, v, kept[i])
			}
		}
	})
}
