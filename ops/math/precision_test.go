package math

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Remainders are math.Mod's to the bit: of numbers of all sizes, of near multiples, and of
// what is no number.
func TestRemainder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	drawn := func() float32 {
		switch rng.IntN(8) {
		case 0:
			return math.Float32frombits(rng.Uint32())
		case 1:
			return []float32{0, float32(math.Copysign(0, -1)), 1, -3, float32(math.Inf(1)), float32(math.NaN()), math.MaxFloat32, math.SmallestNonzeroFloat32}[rng.IntN(8)]
		}
		return float32(math.Ldexp(rng.Float64()*2-1, rng.IntN(60)-30))
	}
	for range 300_000 {
		x, y := drawn(), drawn()
		if rng.IntN(2) == 0 { // at a multiple of y, or next to it
			x = y * float32(rng.IntN(1<<20)-1<<19)
			if rng.IntN(2) == 0 {
				x = math.Nextafter32(x, drawn())
			}
		}
		got, want := mod(x, y), float32(math.Mod(float64(x), float64(y)))
		if got != got && want != want {
			continue
		}
		if math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("remainder of %v by %v is %v, want %v", x, y, got, want)
		}
		if got, want := floorMod32(x, y), float32(floorMod(float64(x), float64(y))); got != want {
			t.Fatalf("floor remainder of %v by %v is %v, want %v", x, y, got, want)
		}
	}
}

// Special functions of floats are those of doubles, rounded: none is off by more than 0.51
// units in its last place, at edges either, and an element has the same bits alone.
func TestSinglePrecision(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	drawn := func(least, most int) float64 { return math.Ldexp(1+rng.Float64(), least+rng.IntN(most-least)) }
	edge := func(x float64) float64 {
		edges := []float64{0, math.Copysign(0, -1), -1, -2.5, 1, 2, math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-149, math.MaxFloat32, plainMost, 3}
		if rng.IntN(20) == 0 {
			return edges[rng.IntN(len(edges))]
		}
		return x
	}
	functions := []struct {
		name string
		draw func() (a, b, x float64)
		many func(o, a, b, x []float32)
		want func(a, b, x float64) float64
	}{
		{
			"Igamma",
			func() (a, b, x float64) { a = drawn(-12, 23); return a, 0, a * drawn(-6, 4) },
			func(o, a, _, x []float32) { igammas(o, a, x) },
			func(a, _, x float64) float64 { return gammaLower(a, x) },
		},
		{
			"Igammac",
			func() (a, b, x float64) {
				a = drawn(-12, 12)
				return a, 0, a + (a+2)*(rng.Float64()-rng.Float64()*a/(a+2))
			},
			func(o, a, _, x []float32) { igammacs(o, a, x) },
			func(a, _, x float64) float64 { return gammaUpper(a, x) },
		},
		{
			"Betainc",
			func() (a, b, x float64) { return drawn(-12, 17), drawn(-12, 17), rng.Float64() },
			func(o, a, b, x []float32) { betaFloats(o, a, b, x) },
			incompleteBeta,
		},
		{
			"Digamma",
			func() (a, b, x float64) { return 0, 0, drawn(-12, 20) },
			func(o, _, _, x []float32) { digammas(o, x) },
			func(_, _, x float64) float64 { return digamma(x) },
		},
		{
			"Zeta",
			func() (a, b, x float64) { return 0, 1 + drawn(-20, 7), drawn(-8, 10) },
			func(o, _, b, x []float32) { zetas(o, b, x) },
			func(_, b, x float64) float64 { return zeta(b, x) },
		},
	}
	for _, f := range functions {
		for range 200 {
			var o, a, b, x, alone [100]float32
			n := 1 + rng.IntN(len(o))
			for i := range n {
				p, q, z := f.draw()
				a[i], b[i], x[i] = float32(edge(p)), float32(edge(q)), float32(edge(z))
			}
			f.many(o[:n], a[:n], b[:n], x[:n])
			for i := range n {
				f.many(alone[i:i+1], a[i:i+1], b[i:i+1], x[i:i+1])
				if math.Float32bits(alone[i]) != math.Float32bits(o[i]) {
					t.Fatalf("%s of %v, %v and %v is %v alone and %v among others", f.name, a[i], b[i], x[i], alone[i], o[i])
				}
				want := f.want(float64(a[i]), float64(b[i]), float64(x[i]))
				if got := o[i]; got != float32(want) && (got == got || want == want) {
					unit := float64(math.Nextafter32(float32(math.Abs(want)), math.MaxFloat32)) - math.Abs(float64(float32(want)))
					if e := math.Abs(float64(got) - want); !(e <= 0.51*unit) {
						t.Fatalf("%s of %v, %v and %v is %v, want %v, off by %.3g units", f.name, a[i], b[i], x[i], got, want, e/unit)
					}
				}
			}
		}
	}
}

// betaFloats sets o to I_x(a, b).
func betaFloats(o, a, b, x []float32) {
	for len(o) > 0 {
		n := min(len(o), batch)
		var p, q, z [batch]float64
		for i := range n {
			p[i], q[i], z[i] = float64(a[i]), float64(b[i]), float64(x[i])
		}
		betaBatch(z[:n], p[:n], q[:n])
		for i := range n {
			o[i] = float32(z[i])
		}
		o, a, b, x = o[n:], a[n:], b[n:], x[n:]
	}
}
