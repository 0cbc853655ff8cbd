package random

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestRemainder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	edges := []uint32{0, 1, 2, 3, 1<<31 - 1, 1 << 31, 1<<31 + 1, math.MaxUint32 - 1, math.MaxUint32}
	check := func(x, n uint32) {
		if n == 0 {
			return
		}
		if got := remainder(x, n, math.MaxUint64/uint64(n)+1); got != x%n {
			t.Fatalf("%d %% %d is %d, not %d", x, n, x%n, got)
		}
	}
	for range 100_000 {
		n := r.Uint32() >> r.IntN(32)
		for _, x := range append(edges, r.Uint32(), n-1, n, 2*n, r.Uint32()/max(n, 1)*n-1) {
			check(x, n)
		}
		for _, m := range edges {
			check(n, m)
		}
	}
}
