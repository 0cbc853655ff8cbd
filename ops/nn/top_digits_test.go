package nn

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
)

// Sorting by digits is sorting by comparisons.
func TestByDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	digits(t, keyOfFloat32, func() float32 { return math.Float32frombits(rng.Uint32()) }, 0, float32(math.Copysign(0, -1)), 1, float32(math.Inf(1)), float32(math.Inf(-1)))
	digits(t, keyOfFloat64, func() float64 { return math.Float64frombits(rng.Uint64()) }, 0, math.Copysign(0, -1), 1, math.Inf(1), math.Inf(-1))
	digits(t, keyOfInt64, func() int64 { return int64(rng.Uint64()) }, 0, -1, 256, math.MinInt64, math.MaxInt64)
	digits(t, keyOfUint64, rng.Uint64, 0, 1, 256, math.MaxUint64)
}

func digits[T elementwise.Real](t *testing.T, key func(T) uint64, draw func() T, some ...T) {
	x := make([]T, 3000)
	for i := range x {
		if x[i] = draw(); i%3 == 0 || x[i] != x[i] {
			x[i] = some[i%len(some)]
		}
	}
	want := make([]ranked[T], len(x))
	for i, v := range x {
		want[i] = ranked[T]{v, i}
	}
	slices.SortStableFunc(want, func(a, b ranked[T]) int { return cmp.Compare(b.x, a.x) })
	for _, k := range []int{1, 1000, len(x)} {
		if got := byDigits(&kernel.Context{Step: &kernel.Step{Context: t.Context()}}, nil, x, k, key, make([]keyed, 2*len(x))); !slices.Equal(got, want[:k]) {
			t.Errorf("%T: the greatest %d differ", x, k)
		}
	}
}
