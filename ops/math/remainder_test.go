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
	for range 2_000_000 {
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
