package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestClaim gives each element of a gradient to the first of the greatest of several
// vectors, as a loop does.
func TestClaim(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 1))
		for n := range 50 {
			const several = 4
			var x, sum, want [several][]float32
			for i := range x {
				x[i], sum[i], want[i] = make([]float32, n), make([]float32, n), make([]float32, n)
				for j := range x[i] {
					x[i][j] = special[rng.IntN(9)] // many are equal, or no numbers
					sum[i][j] = float32(rng.IntN(9))
					want[i][j] = sum[i][j]
				}
			}
			rest := make([]float32, n)
			for j := range rest {
				rest[j] = float32(rng.NormFloat64())
				first := 0
				for i := range x {
					if x[i][j] > x[first][j] {
						first = i
					}
				}
				want[first][j] += rest[j]
			}
			best := append([]float32(nil), x[0]...)
			for _, v := range x[1:] {
				AtLeast(best, best, v)
			}
			ClaimFirst(sum[0], rest, x[0], best)
			for i := 1; i < several; i++ {
				Claim(sum[i], rest, x[i], best)
			}
			for i := range want {
				for j := range want[i] {
					if math.Float32bits(sum[i][j]) != math.Float32bits(want[i][j]) {
						t.Fatalf("element %d of vector %d is %v, not %v", j, i, sum[i][j], want[i][j])
					}
				}
			}
		}
	})
}
