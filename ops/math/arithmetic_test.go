package math_test

import (
	"math"
	"testing"

	"github.com/troupe-go/troupe/tensor"
)

// Every pair of int8, against arithmetic in int: results wrap around.
func TestInt8(t *testing.T) {
	var x, y []int8
	for a := -128; a < 128; a++ {
		for b := -128; b < 128; b++ {
			x, y = append(x, int8(a)), append(y, int8(b))
		}
	}
	floor := func(a, b int) int { return int(math.Floor(float64(a) / float64(b))) }
	for op, f := range map[string]func(a, b int) int{
		"AddV2":       func(a, b int) int { return a + b },
		"Sub":         func(a, b int) int { return a - b },
		"Mul":         func(a, b int) int { return a * b },
		"Maximum":     func(a, b int) int { return max(a, b) },
		"Minimum":     func(a, b int) int { return min(a, b) },
		"FloorDiv":    floor,
		"FloorMod":    func(a, b int) int { return a - floor(a, b)*b },
		"TruncateDiv": func(a, b int) int { return a / b },
		"Div":         func(a, b int) int { return a / b },
		"BitwiseXor":  func(a, b int) int { return a ^ b },
	} {
		divides := op == "FloorDiv" || op == "FloorMod" || op == "TruncateDiv" || op == "Div"
		var xs, ys []int8
		for i := range x {
			if !divides || y[i] != 0 {
				xs, ys = append(xs, x[i]), append(ys, y[i])
			}
		}
		n := int64(len(xs))
		for i, got := range data[int8](t, run(t, op, nil, of(t, xs, n), of(t, ys, n))) {
			if want := int8(f(int(xs[i]), int(ys[i]))); got != want {
				t.Fatalf("%s(%d, %d) = %d, want %d", op, xs[i], ys[i], got, want)
			}
		}
		// The scalar path agrees with the loops.
		for i := 0; i < len(xs); i += 251 {
			s := data[int8](t, run(t, op, nil, of(t, xs[i:i+1]), of(t, ys[i:i+1])))[0]
			if want := int8(f(int(xs[i]), int(ys[i]))); s != want {
				t.Fatalf("%s(%d, %d) of scalars = %d, want %d", op, xs[i], ys[i], s, want)
			}
		}
	}
}

func TestLeastInteger(t *testing.T) {
	least, minus := of(t, []int64{math.MinInt64}), of(t, []int64{-1})
	if q := data[int64](t, run(t, "FloorDiv", nil, least, minus))[0]; q != math.MinInt64 {
		t.Error(q)
	}
	if r := data[int64](t, run(t, "FloorMod", nil, least, minus))[0]; r != 0 {
		t.Error(r)
	}
	if a := data[int64](t, run(t, "Abs", nil, least))[0]; a != math.MinInt64 {
		t.Error(a)
	}
}

func TestNaN(t *testing.T) {
	nan := math.NaN()
	x, y := of(t, []float64{nan, 1, nan, 0}, 4), of(t, []float64{1, nan, nan, -1}, 4)
	for op, last := range map[string]float64{"Maximum": 0, "Minimum": -1} {
		got := data[float64](t, run(t, op, nil, x, y))
		for i := range 3 {
			if !math.IsNaN(got[i]) {
				t.Errorf("%s: element %d is %v", op, i, got[i])
			}
		}
		if got[3] != last {
			t.Errorf("%s: element 3 is %v", op, got[3])
		}
	}
	for op, want := range map[string]bool{"Less": false, "GreaterEqual": false, "Equal": false, "NotEqual": true} {
		if got := data[bool](t, run(t, op, nil, x, y))[0]; got != want {
			t.Errorf("%s of NaN is %v", op, got)
		}
	}
}

// Functions on float32 against package math in float64, scalars and vectors
// alike.
func TestFunctionsOnFloat32(t *testing.T) {
	var x []float32
	for i := -400; i <= 400; i++ {
		x = append(x, float32(i)/16+0.01)
	}
	for op, f := range map[string]func(float64) float64{
		"Exp": math.Exp, "Tanh": math.Tanh, "Sin": math.Sin, "Cos": math.Cos, "Atan": math.Atan,
		"Sigmoid": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
		"Expm1":   math.Expm1, "Erf": math.Erf, "Square": func(x float64) float64 { return x * x },
		"Neg": func(x float64) float64 { return -x }, "Abs": math.Abs, "Floor": math.Floor, "Ceil": math.Ceil,
		"Round": math.RoundToEven, "Reciprocal": func(x float64) float64 { return 1 / x },
	} {
		got := data[float32](t, run(t, op, nil, of(t, x, int64(len(x)))))
		for i, x := range x {
			want := f(float64(x))
			scalar := data[float32](t, run(t, op, nil, of(t, []float32{x})))[0]
			for _, y := range []float32{got[i], scalar} {
				if math.Abs(float64(y)-want) > 4e-7*math.Abs(want)+1e-38 {
					t.Fatalf("%s(%v) = %v, want %v", op, x, y, want)
				}
			}
		}
	}
}

func TestHalfRounds(t *testing.T) {
	x := of(t, tensor.AppendFloat16s(nil, []float32{2048, 1}), 2)
	y := of(t, tensor.AppendFloat16s(nil, []float32{1, 0.0004}), 2)
	got := tensor.AppendFloat32s(nil, data[tensor.Float16](t, run(t, "AddV2", nil, x, y)))
	if got[0] != 2048 || got[1] != 1 {
		t.Errorf("sums of halves are %v", got)
	}
}
