package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Each block alone, in plain Go, against many at once.
func TestPhilox(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	eachISA(t, func(t *testing.T) {
		for range 300 {
			n, low, high, key := r.IntN(600), r.Uint64(), r.Uint64(), r.Uint64()
			switch r.IntN(4) {
			case 0: // the lower half overflows
				low = math.MaxUint64 - uint64(r.IntN(200))
			case 1: // its lower half does
				low = low<<32 | math.MaxUint32 - uint64(r.IntN(200))
			}
			got, want := make([]uint32, n), make([]uint32, n)
			Philox(got, low, high, key)
			for i := range n / 4 {
				at := low + uint64(i)
				up := high
				if at < low {
					up++
				}
				philoxPortable(want[4*i:4*i+4], at, up, key)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d numbers from (%#x, %#x) with key %#x differ", n, low, high, key)
			}
		}
	})
}
