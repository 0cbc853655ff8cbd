package elementwise_test

import (
	"math"
	"testing"

	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

var updates = map[elementwise.Update]func(x, y float64) float64{
	elementwise.UpdateAdd: func(x, y float64) float64 { return x + y },
	elementwise.UpdateSub: func(x, y float64) float64 { return x - y },
	elementwise.UpdateMul: func(x, y float64) float64 { return x * y },
	elementwise.UpdateDiv: func(x, y float64) float64 { return x / y },
	elementwise.UpdateMin: math.Min,
	elementwise.UpdateMax: math.Max,
}

// combineCheck compares an update of every kind with float64 arithmetic on
// numbers for which that is exact, or rounds as the type does.
func combineCheck[T tensor.Element](t *testing.T, dt tensor.DType, to func(float64) T, from func(T) float64) {
	t.Helper()
	xs, ys := []float64{9, 8, 7, 6, 1}, []float64{3, 2, 5, 4, 1}
	values := func(fs []float64) tensor.Value {
		data := make([]T, len(fs))
		for i, f := range fs {
			data[i] = to(f)
		}
		x, err := tensor.FromSlice(data, int64(len(fs)))
		if err != nil {
			t.Fatal(err)
		}
		return tensor.ValueOf(x)
	}
	for u, f := range updates {
		c := elementwise.Combine(u, dt)
		if c == nil {
			if (dt != tensor.Complex64 && dt != tensor.Complex128) || u < elementwise.UpdateMin {
				t.Errorf("%v: update %d is missing", dt, u)
			}
			continue
		}
		want := func(x, y float64) float64 { return from(to(f(x, y))) }
		x, y := values(xs), values(ys)
		if err := c.Range(&x, &x, 1, &y, 2, 3); err != nil {
			t.Fatal(err)
		}
		got := tensor.Of[T](&x)
		for i := range xs {
			w := from(to(xs[i]))
			if i >= 1 && i < 4 {
				w = want(xs[i], ys[i+1])
			}
			if from(got[i]) != w {
				t.Errorf("%v: update %d of %v by %v gives %v at %d, want %v", dt, u, xs, ys, from(got[i]), i, w)
			}
		}
		a, b := tensor.Scalar(to(9)), tensor.Scalar(to(4))
		if !a.Plain() {
			continue
		}
		s, err := c.Scalar(a, b)
		if err != nil || from(tensor.At0[T](&s)) != want(9, 4) {
			t.Errorf("%v: update %d of 9 by 4 gives %v, %v; want %v", dt, u, s, err, want(9, 4))
		}
	}
}

func number[T elementwise.Real](t *testing.T) {
	t.Helper()
	combineCheck(t, tensor.DTypeOf[T](), func(f float64) T { return T(f) }, func(x T) float64 { return float64(x) })
}

func TestCombine(t *testing.T) {
	number[int8](t)
	number[int16](t)
	number[int32](t)
	number[int64](t)
	number[uint8](t)
	number[uint16](t)
	number[uint32](t)
	number[uint64](t)
	number[float32](t)
	number[float64](t)
	combineCheck(t, tensor.Half, func(f float64) tensor.Float16 { return tensor.ToFloat16(float32(f)) },
		func(x tensor.Float16) float64 { return float64(x.Float32()) })
	combineCheck(t, tensor.Bfloat16, func(f float64) tensor.BFloat16 { return tensor.ToBFloat16(float32(f)) },
		func(x tensor.BFloat16) float64 { return float64(x.Float32()) })
	combineCheck(t, tensor.Complex64, func(f float64) complex64 { return complex(float32(f), 0) },
		func(x complex64) float64 { return float64(real(x)) })
	combineCheck(t, tensor.Complex128, func(f float64) complex128 { return complex(f, 0) },
		func(x complex128) float64 { return real(x) })
	for x := range 4 { // bools are added and subtracted as numbers of which all but 0 are true
		a, b := x&1 != 0, x&2 != 0
		for u, want := range map[elementwise.Update]bool{elementwise.UpdateAdd: a || b, elementwise.UpdateSub: a != b} {
			if got, err := elementwise.CombineBools(u).Scalar(tensor.Scalar(a), tensor.Scalar(b)); err != nil || tensor.At0[bool](&got) != want {
				t.Errorf("update %d of %v by %v: %v, %v", u, a, b, got, err)
			}
		}
	}
	for _, dt := range []tensor.DType{tensor.Bool, tensor.String, tensor.Qint8} {
		if elementwise.Combine(elementwise.UpdateAdd, dt) != nil {
			t.Errorf("%v can be summed", dt)
		}
	}
}

func TestCombineDividesByZero(t *testing.T) {
	c := elementwise.Combine(elementwise.UpdateDiv, tensor.Int32)
	x, y := tensor.Scalar(int32(1)), tensor.Scalar(int32(0))
	if _, err := c.Scalar(x, y); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("a scalar: %v", err)
	}
	least := tensor.Scalar(int32(math.MinInt32))
	if v, err := c.Scalar(least, tensor.Scalar(int32(-1))); err != nil || tensor.At0[int32](&v) != math.MinInt32 {
		t.Errorf("the least integer by -1: %v, %v", v, err)
	}
	f := elementwise.Combine(elementwise.UpdateMax, tensor.Float)
	if v, _ := f.Scalar(tensor.Scalar(float32(math.NaN())), tensor.Scalar(float32(1))); !math.IsNaN(float64(tensor.At0[float32](&v))) {
		t.Errorf("the greater of NaN and 1 is %v", v)
	}
}
