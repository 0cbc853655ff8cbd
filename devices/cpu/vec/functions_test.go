package vec

import (
	"math"
	"slices"
	"testing"
)

// A function is one of the package, what it is in float64, and its error.
type function struct {
	name  string
	vec   func(dst, x []float32)
	exact func(float64) float64
	ulps  float64
}

var functions = []function{
	{"Exp", Exp, math.Exp, 1.1},
	{"Tanh", Tanh, math.Tanh, 2.6},
	{"Sigmoid", Sigmoid, func(x float64) float64 {
		if x < 0 {
			return math.Exp(x) / (1 + math.Exp(x))
		}
		return 1 / (1 + math.Exp(-x))
	}, 2.5},
	{"Erf", Erf, math.Erf, 1.1},
	{"Sqrt", Sqrt, math.Sqrt, 0.5},
	{"Rsqrt", Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }, 1.5},
	{"Erfc", Erfc, math.Erfc, 3.5},
	{"Expm1", Expm1, math.Expm1, 2},
	{"Log", Log, math.Log, 1},
	{"Log1p", Log1p, math.Log1p, 2},
	{"Sin", Sin, math.Sin, 1.5},
	{"Cos", Cos, math.Cos, 1.5},
	{"Atan", Atan, math.Atan, 2},
	{"Asin", Asin, math.Asin, 4},
	{"Acos", Acos, math.Acos, 4},
	{"Atanh", Atanh, math.Atanh, 4},
	{"Cosh", Cosh, math.Cosh, 4},
	{"Softsign", Softsign, func(x float64) float64 { return x / (1 + math.Abs(x)) }, 1.5},
	{"Elu", Elu, func(x float64) float64 {
		if x < 0 {
			return math.Expm1(x)
		}
		return x
	}, 2},
	{"Selu", Selu, func(x float64) float64 {
		if x < 0 {
			return SeluScale * SeluAlpha * math.Expm1(x)
		}
		return SeluScale * x
	}, 3},
	{"Softplus", Softplus, func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }, 2.5},
	{"ExpSub", func(dst, x []float32) { ExpSub(dst, x, 1.5) }, func(x float64) float64 { return math.Exp(float64(float32(x) - 1.5)) }, 1.1},
}

// ulps returns how many units in the last place of want got is away from it.
func ulps(got float32, want float64) float64 {
	if math.IsNaN(want) || math.IsNaN(float64(got)) {
		if math.IsNaN(want) && math.IsNaN(float64(got)) {
			return 0
		}
		return math.Inf(1)
	}
	if w := float32(want); math.IsInf(float64(got), 0) || math.IsInf(float64(w), 0) {
		if got == w || math.IsInf(float64(got), 0) && math.Abs(want) > math.MaxFloat32*(1-0x1p-23) {
			return 0
		}
		return math.Inf(1)
	}
	_, exponent := math.Frexp(want)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(exponent-24, -149))
}

// Every so many of all float32, from the lowest bits to the highest.
func TestFunctionsAccuracy(t *testing.T) {
	step := uint64(4999)
	if testing.Short() {
		step *= 16
	}
	eachISA(t, func(t *testing.T) {
		for _, f := range functions {
			x, y := make([]float32, 0, 1000), make([]float32, 1000)
			worst, at := 0.0, float32(0)
			for b := uint64(0); b < 1<<32; b += step {
				x = append(x, math.Float32frombits(uint32(b)))
				if len(x) < cap(x) && b+step < 1<<32 {
					continue
				}
				f.vec(y[:len(x)], x)
				for i, v := range x {
					if e := ulps(y[i], f.exact(float64(v))); e > worst {
						worst, at = e, v
					}
				}
				x = x[:0]
			}
			t.Logf("%s: %.3f ulp at %v", f.name, worst, at)
			if worst > f.ulps {
				t.Errorf("%s is wrong by %v ulp at %v, documented are %v", f.name, worst, at, f.ulps)
			}
		}
	})
}

var (
	inf       = float32(math.Inf(1))
	nan       = float32(math.NaN())
	tiny      = float32(math.SmallestNonzeroFloat32)
	minusZero = float32(math.Copysign(0, -1))
	special   = []float32{0, minusZero, 1, -1, inf, -inf, nan, -nan, tiny, -tiny, 1e-40, -1e-40, math.MaxFloat32,
		-math.MaxFloat32, 88.72283, 88.72284, -87.33655, -103.97208, -103.97209, -104, 128, 9.01, 9.02, -10, 0x1p-126}
)

func TestFunctionsSpecial(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, c := range []struct {
			f       func(dst, x []float32)
			name    string
			x, want float32
		}{
			{Exp, "Exp", inf, inf}, {Exp, "Exp", -inf, 0}, {Exp, "Exp", minusZero, 1}, {Exp, "Exp", tiny, 1},
			{Exp, "Exp", 88.72284, inf}, {Exp, "Exp", 88.72283, 3.4027985e+38}, {Exp, "Exp", -103.97, tiny}, {Exp, "Exp", -104, 0},
			{Tanh, "Tanh", inf, 1}, {Tanh, "Tanh", -inf, -1}, {Tanh, "Tanh", 0, 0}, {Tanh, "Tanh", minusZero, minusZero},
			{Tanh, "Tanh", tiny, tiny}, {Tanh, "Tanh", -1e-40, -1e-40}, {Tanh, "Tanh", -math.MaxFloat32, -1},
			{Sigmoid, "Sigmoid", inf, 1}, {Sigmoid, "Sigmoid", -inf, 0}, {Sigmoid, "Sigmoid", minusZero, 0.5},
			{Erf, "Erf", inf, 1}, {Erf, "Erf", -inf, -1}, {Erf, "Erf", 0, 0}, {Erf, "Erf", minusZero, minusZero},
			{Erf, "Erf", -math.MaxFloat32, -1}, {Erf, "Erf", 4, 1}, {Erf, "Erf", -3.95, -1},
			{Sqrt, "Sqrt", minusZero, minusZero}, {Sqrt, "Sqrt", inf, inf}, {Sqrt, "Sqrt", 0x1p-148, 0x1p-74},
			{Rsqrt, "Rsqrt", 0, inf}, {Rsqrt, "Rsqrt", minusZero, -inf}, {Rsqrt, "Rsqrt", inf, 0}, {Rsqrt, "Rsqrt", 0x1p-148, 0x1p74},
			{Erfc, "Erfc", inf, 0}, {Erfc, "Erfc", -inf, 2}, {Erfc, "Erfc", 0, 1}, {Erfc, "Erfc", math.MaxFloat32, 0},
			{Expm1, "Expm1", inf, inf}, {Expm1, "Expm1", -inf, -1}, {Expm1, "Expm1", minusZero, minusZero}, {Expm1, "Expm1", -tiny, -tiny}, {Expm1, "Expm1", 88.72283, 3.4027985e+38},
			{Log, "Log", 0, -inf}, {Log, "Log", minusZero, -inf}, {Log, "Log", inf, inf}, {Log, "Log", 1, 0}, {Log, "Log", tiny, -103.27893},
			{Log1p, "Log1p", -1, -inf}, {Log1p, "Log1p", inf, inf}, {Log1p, "Log1p", 0, 0}, {Log1p, "Log1p", minusZero, minusZero}, {Log1p, "Log1p", -tiny, -tiny}, {Log1p, "Log1p", math.MaxFloat32, 88.72284},
			{Sin, "Sin", minusZero, minusZero}, {Sin, "Sin", 0, 0}, {Sin, "Sin", tiny, tiny}, {Sin, "Sin", 1e10, -0.48750603}, {Cos, "Cos", 0, 1}, {Cos, "Cos", 1e10, 0.87311965},
			{Atan, "Atan", inf, math.Pi / 2}, {Atan, "Atan", -inf, -math.Pi / 2}, {Atan, "Atan", minusZero, minusZero}, {Atan, "Atan", -tiny, -tiny},
			{Elu, "Elu", inf, inf}, {Elu, "Elu", -inf, -1}, {Elu, "Elu", minusZero, minusZero}, {Elu, "Elu", -tiny, -tiny},
			{Selu, "Selu", inf, inf}, {Selu, "Selu", minusZero, minusZero},
			{Softplus, "Softplus", inf, inf}, {Softplus, "Softplus", -inf, 0}, {Softplus, "Softplus", 0, math.Ln2}, {Softplus, "Softplus", -103.97, tiny},
			{Relu6, "Relu6", inf, 6}, {Relu6, "Relu6", -inf, 0}, {Relu6, "Relu6", minusZero, minusZero}, {Relu6, "Relu6", 5.5, 5.5}, {Relu6, "Relu6", tiny, tiny},
			{Sign, "Sign", inf, 1}, {Sign, "Sign", -tiny, -1}, {Sign, "Sign", minusZero, 0}, {Sign, "Sign", 0, 0},
			{Sigmoid, "Sigmoid", -103.97, tiny}, {Sigmoid, "Sigmoid", -math.MaxFloat32, 0}, {Sigmoid, "Sigmoid", 100, 1},
		} {
			got := []float32{0}
			c.f(got, []float32{c.x})
			if math.Float32bits(got[0]) != math.Float32bits(c.want) {
				t.Errorf("%s(%v) = %v, want %v", c.name, c.x, got[0], c.want)
			}
		}
		for _, f := range functions {
			got := make([]float32, 2)
			f.vec(got, []float32{nan, -nan})
			if got[0] == got[0] || got[1] == got[1] {
				t.Errorf("%s(NaN) = %v", f.name, got)
			}
		}
	})
}

// An element depends on its operand alone: not on its place, nor on the length
// of the slice, nor on which of the two instruction sets computes it.
func TestFunctionsPlace(t *testing.T) {
	for _, f := range functions {
		long := make([]float32, 300)
		for i := range long {
			long[i] = float32(i-150) * 0.37
		}
		copy(long[20:], special)
		var want [portable + avx512 + 1][]float32
		for s := portable; s <= avx512; s++ {
			withISA(s, func() {
				all := make([]float32, len(long))
				f.vec(all, long)
				want[s] = all
				for n := range 140 {
					x, y := guarded[float32](t, n), guarded[float32](t, n)
					copy(x, long[n:])
					f.vec(y, x)
					if !same(y, all[n:2*n]) {
						t.Errorf("%v: %s of %d elements differs from that of %d", s, f.name, n, len(long))
					}
					f.vec(x, x)
					if !same(x, y) {
						t.Errorf("%v: %s of %d elements in place differs", s, f.name, n)
					}
				}
			})
		}
		if want[avx512] != nil && !same(want[avx2], want[avx512]) {
			t.Errorf("%s differs between AVX2 and AVX-512", f.name)
		}
	}
}

// same compares bits, but takes all NaN for one.
func same(x, y []float32) bool {
	return slices.EqualFunc(x, y, func(a, b float32) bool {
		return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
	})
}
