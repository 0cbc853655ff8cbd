package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/devices/cpu/vec"
)

// Products have the same bits on any number of threads, also when several are
// computed at once.
func TestGemm(t *testing.T) {
	const m, n, k = 150, 170, 600
	rng := rand.New(rand.NewPCG(7, 8))
	a, b := make([]float32, m*k), make([]float32, k*n)
	for _, s := range [][]float32{a, b} {
		for i := range s {
			s[i] = rng.Float32() - 0.5
		}
	}
	want := make([]float32, m*n)
	vec.Gemm(nil, false, false, m, n, k, a, k, b, n, want, n)
	each(t, func(t *testing.T, p *Pool) {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				got := make([]float32, m*n)
				for range 5 {
					vec.Gemm(p, false, false, m, n, k, a, k, b, n, got, n)
					if !slices.Equal(got, want) {
						t.Error("the product differs")
					}
				}
			})
		}
		wg.Wait()
	})
}

func BenchmarkGemm(b *testing.B) {
	for _, n := range []int{128, 256, 512, 1024} {
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprintf("n=%d/threads=%d", n, threads), func(b *testing.B) {
				p := newPool(b, threads)
				x, y, z := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
				for b.Loop() {
					vec.Gemm(p, false, false, n, n, n, x, n, y, n, z, n)
				}
			})
		}
	}
}
