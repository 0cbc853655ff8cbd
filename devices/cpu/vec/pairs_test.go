package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPairs compares functions of two operands with what they are in float64, of special
// numbers in all pairs, of all magnitudes and of such as users have.
func TestPairs(t *testing.T) {
	unless := func(z, x float64) float64 {
		if z == 0 {
			return 0
		}
		return x
	}
	below := func(y, yes, no float64) float64 {
		if y < 0 {
			return yes
		}
		return no
	}
	var x, y []float32
	for _, a := range special {
		for _, b := range special {
			x, y = append(x, a), append(y, b)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		x, y = append(x, math.Float32frombits(rng.Uint32())), append(y, math.Float32frombits(rng.Uint32()))
		x, y = append(x, float32(4*rng.NormFloat64())), append(y, float32(4*rng.NormFloat64()))
	}
	const slope = 0.2
	eachISA(t, func(t *testing.T) {
		for _, c := range []struct {
			name  string
			vec   func(dst, x, y []float32)
			exact func(x, y float64) float64
			ulps  float64
		}{
			{"MulNoNan", MulNoNan, func(x, y float64) float64 { return unless(y, x*y) }, 0.5},
			{"DivNoNan", DivNoNan, func(x, y float64) float64 { return unless(y, x/y) }, 0.5},
			{"Xdivy", Xdivy, func(x, y float64) float64 { return unless(x, x/y) }, 0.5},
			{"Atan2", Atan2, math.Atan2, 4},
			{"LeakyReluGrad", func(dst, x, y []float32) { LeakyReluGrad(dst, x, y, slope) }, func(x, y float64) float64 {
				if y > 0 {
					return x
				}
				return x * float64(float32(slope))
			}, 0.5},
			{"EluGrad", EluGrad, func(x, y float64) float64 { return x * below(y, float64(float32(y)+1), 1) }, 0.5},
			{"SeluGrad", SeluGrad, func(x, y float64) float64 {
				return x * below(y, float64(float32(y)+float32(SeluScale*SeluAlpha)), SeluScale)
			}, 1.5},
			{"SoftplusGrad", func(dst, x, y []float32) {
				z := make([]float32, len(y))
				AtLeastScalar(z, y, -87)
				SoftplusGrad(dst, x, z)
			}, func(x, y float64) float64 { return x / (1 + math.Exp(-max(y, -87))) }, 3.5},
			{"SoftsignGrad", SoftsignGrad, func(x, y float64) float64 { return x / ((1 + math.Abs(y)) * (1 + math.Abs(y))) }, 3.5},
		} {
			dst := make([]float32, len(x))
			c.vec(dst, x, y)
			worst := 0.0
			for i := range dst {
				want := c.exact(float64(x[i]), float64(y[i]))
				e := ulps(dst[i], want)
				if want == 0 && math.Signbit(want) != math.Signbit(float64(dst[i])) {
					e = math.Inf(1)
				}
				if worst = max(worst, e); e > c.ulps {
					t.Fatalf("%s(%v, %v) is %v, not %v", c.name, x[i], y[i], dst[i], want)
				}
			}
			t.Logf("%s: %.3f ulp", c.name, worst)
			copy(dst, x) // in place, as kernels do
			c.vec(dst, dst, y)
			again := append([]float32(nil), y...)
			c.vec(again, x, again)
			for i := range dst {
				if math.Float32bits(dst[i]) != math.Float32bits(again[i]) && (dst[i] == dst[i] || again[i] == again[i]) {
					t.Fatalf("%s(%v, %v) is %v in the place of one operand and %v in that of the other", c.name, x[i], y[i], dst[i], again[i])
				}
			}
		}
	})
}

func TestPow(t *testing.T) {
	var x, y []float32
	for _, a := range append(special, 2, 3, 0.5, -2, -3, 0.99999994, 1.0000001) {
		for _, b := range append(special, 2, 3, 0.5, -2, -3, -0.75, 150, -150, 1<<24, -1<<30) {
			x, y = append(x, a), append(y, b)
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200_000 {
		x, y = append(x, math.Float32frombits(rng.Uint32()&^(1<<31))), append(y, float32(2*rng.NormFloat64()))
		near := 1 + float32(rng.NormFloat64())/1000
		x, y = append(x, near), append(y, float32(30_000*rng.NormFloat64()))
	}
	dst := make([]float32, len(x))
	Pow(dst, x, y)
	worst := 0.0
	for i, got := range dst {
		want := math.Pow(float64(x[i]), float64(y[i]))
		e := ulps(got, want)
		if want == 0 && math.Signbit(want) != math.Signbit(float64(got)) {
			e = math.Inf(1)
		}
		if worst = max(worst, e); e > 0.51 {
			t.Fatalf("Pow(%v, %v) is %v, not %v", x[i], y[i], got, want)
		}
	}
	t.Logf("%.5f ulp", worst)
	PowScalar(dst, x, 0.75)
	for i, got := range dst {
		if want := math.Pow(float64(x[i]), 0.75); ulps(got, want) > 0.51 {
			t.Fatalf("PowScalar(%v, 0.75) is %v, not %v", x[i], got, want)
		}
	}
}
