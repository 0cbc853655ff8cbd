package math_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe/tensor"
)

// Reductions of integers of every size are those of Go's arithmetic on them: sums and
// products wrap around, and what is reduced to nothing gives the bounds of the type.
func TestReductionsOfIntegers(t *testing.T) {
	reductionsOf[int8](t, -1<<7, 1<<7-1)
	reductionsOf[int16](t, -1<<15, 1<<15-1)
	reductionsOf[int32](t, -1<<31, 1<<31-1)
	reductionsOf[int64](t, -1<<63, 1<<63-1)
	reductionsOf[uint8](t, 0, 1<<8-1)
	reductionsOf[uint16](t, 0, 1<<16-1)
	reductionsOf[uint32](t, 0, 1<<32-1)
	reductionsOf[uint64](t, 0, 1<<64-1)
}

func reductionsOf[T interface {
	tensor.Element
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}](t *testing.T, least, greatest T) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, r := range []struct {
		op    string
		empty T
		with  func(a, b T) T
	}{
		{"Sum", 0, func(a, b T) T { return a + b }},
		{"Prod", 1, func(a, b T) T { return a * b }},
		{"Max", least, func(a, b T) T { return max(a, b) }},
		{"Min", greatest, func(a, b T) T { return min(a, b) }},
	} {
		for _, n := range []int{0, 1, 2, 5, 9} {
			for _, inner := range []int{1, 3} {
				t.Run(fmt.Sprintf("%T/%s/%d×%d", least, r.op, n, inner), func(t *testing.T) {
					x := make([]T, 2*n*inner)
					for i := range x {
						x[i] = T(rng.Uint64()) // of the whole range
						if rng.IntN(4) == 0 {
							x[i] = []T{least, greatest}[rng.IntN(2)]
						}
					}
					got := data[T](t, run(t, r.op, nil, of(t, x, 2, int64(n), int64(inner)), of(t, []int32{1})))
					for i := range 2 * inner {
						want := r.empty
						for k := range n {
							want = r.with(want, x[(i/inner*n+k)*inner+i%inner])
						}
						if got[i] != want {
							t.Errorf("%v: %d is %v, want %v", x, i, got[i], want)
						}
					}
				})
			}
		}
	}
}
