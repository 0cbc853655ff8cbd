//go:build !race

package vec

import (
	"testing"
	"time"
)

// inOrder is a pool that does everything itself.
type inOrder struct{}

func (inOrder) Workers() int { return 2 }

func (inOrder) Expect(time.Duration) {}

func (inOrder) Parallel(n, grain int, f func(lo, hi int)) {
	for lo := 0; lo < n; lo += grain {
		f(lo, min(lo+grain, n))
	}
}

// What is borrowed is given back and used again. The race detector makes
// sync.Pool forget.
func TestGemmNoAllocation(t *testing.T) {
	for _, n := range []int{32, 200} {
		a, b, c := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
		if got := testing.AllocsPerRun(20, func() {
			Gemm(nil, false, false, 1, n, n, a, n, b, n, c, n)
			Gemm(nil, false, true, n, n, n, a, n, b, n, c, n)
			Gemm(inOrder{}, true, false, n, n, n, a, n, b, n, c, n)
		}); got > 0 {
			t.Errorf("%v allocations at size %d", got, n)
		}
	}
}
