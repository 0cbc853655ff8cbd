package vec

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Steps have the same bits with every instruction set, of ranges of elements as of all, and
// write nothing else.
func TestFourierStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	random := func(n int) []complex128 {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(rng.NormFloat64(), rng.NormFloat64())
		}
		return x
	}
	for _, radix := range []int{2, 4} {
		for _, stride := range []int{1, 2, 3, 4, 6, 8, 12} {
			for _, m := range []int{1, 2, 5, 17} {
				for each := range 3 {
					n := radix * stride * m
					s := FourierStep{From: random(n), Stride: stride, Roots: random(n*each + 1), Each: each}
					split := func(lo, hi int) {
						if radix == 2 {
							s.Radix2(lo, hi)
						} else {
							s.Radix4(lo, hi)
						}
					}
					var want []complex128
					eachISA(t, func(t *testing.T) {
						s.To = make([]complex128, n)
						split(m/2, m)
						if slices.ContainsFunc(s.To[:radix*stride*(m/2)], func(x complex128) bool { return x != 0 }) {
							t.Errorf("radix %d, stride %d, from %d of %d: more is written", radix, stride, m/2, m)
						}
						split(0, m/2)
						if want == nil {
							want = s.To
						} else if !slices.Equal(s.To, want) {
							t.Errorf("radix %d, stride %d, %d elements differ: %v, not %v", radix, stride, m, s.To, want)
						}
					})
				}
			}
		}
	}
}
