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

// What is computed for float has its digits.
func TestSinglePrecision(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	drawn := func(least, most int) float64 {
		return math.Ldexp(1+rng.Float64(), least+rng.IntN(most-least))
	}
	near := func(name string, a, x, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 0x1p-26*math.Abs(want)+0x1p-150 {
			t.Fatalf("%s of %v and %v is %v, want %v", name, a, x, got, want)
		}
	}
	if got := zeta(math.Inf(1), 1, single); got != 1 {
		t.Errorf("Zeta of +Inf and 1 is %v", got)
	}
	for range 20_000 {
		a := drawn(-12, 12)
		x := a * drawn(-6, 4)
		p, _ := gammaParts(a, x, single)
		wantP, _ := gammaParts(a, x, double)
		near("Igamma", a, x, p, wantP)
		near("Igammac", a, x, gammaUpper(a, x, single), gammaUpper(a, x, double))
		part := rng.Float64()
		near("Betainc", a, part, incompleteBeta(a, x, part, single), incompleteBeta(a, x, part, double))
		if d := math.Abs(digammaFrom(7, x) - digamma(x)); d > 0x1p-44*(1+1/x) {
			t.Fatalf("Digamma of %v is off by %v", x, d)
		}
		s, z := 1+drawn(-10, 5), drawn(-8, 8)
		if want := zeta(s, z, double); want < math.MaxFloat32 {
			near("Zeta", s, z, zeta(s, z, single), want)
		}
	}
}
