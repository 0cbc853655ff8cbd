package vec

import (
	"math/rand/v2"
	"testing"
)

// Products with few columns have the bits of Gemm.
func TestRows(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		numbers := func(n int) []float32 {
			x := make([]float32, n)
			for i := range x {
				x[i] = rng.Float32() - 0.5
			}
			return x
		}
		for n := 1; n <= FewColumns; n++ {
			for _, m := range []int{1, 7, 8, 15, 16, 17, 33, 64, 100, 129, 200, 300} {
				for _, k := range []int{1, 2, 9, 40, GemmBlock} {
					offsets := make([]int32, k+3)
					for i := range offsets {
						offsets[i] = int32(rng.IntN(1000))
					}
					r, ldb := RowsAt(offsets), n+m%2
					whole := r.Whole(m)
					src, b := numbers(1000+whole), numbers(k*ldb)
					line := whole + m%3
					got, a := guarded[float32](t, (n-1)*line+whole), make([]float32, m*k)
					for i := range m {
						for p := range k {
							a[i*k+p] = src[int(offsets[3+p])+i]
						}
					}
					want := make([]float32, m*n)
					for round, add := range []bool{false, true} {
						r.Multiply(3, 3+k, m, n, src, b, ldb, got, line, add)
						if add {
							GemmAdd(nil, false, false, m, n, k, a, k, b, ldb, want, n)
						} else {
							Gemm(nil, false, false, m, n, k, a, k, b, ldb, want, n)
						}
						for i := range want {
							if got[i%n*line+i/n] != want[i] {
								t.Fatalf("%d×%d×%d, round %d: row %d, column %d is %v, want %v", m, n, k, round, i/n, i%n, got[i%n*line+i/n], want[i])
							}
						}
					}
					for name, f := range map[string]func(){
						"src":     func() { r.Multiply(3, 3+k, m, n, src[:whole-1], b, ldb, got, line, false) },
						"b":       func() { r.Multiply(3, 3+k, m, n, src, b[:(k-1)*ldb+n-1], ldb, got, line, false) },
						"c":       func() { r.Multiply(3, 3+k, m, n, src, b, ldb, got[:len(got)-1], line, false) },
						"offsets": func() { r.Multiply(3, 4+k, m, n, src, numbers((k+1)*ldb), ldb, got, line, false) },
					} {
						func() {
							defer func() {
								if recover() == nil {
									t.Errorf("%d×%d×%d: %s was too short", m, n, k, name)
								}
							}()
							f()
						}()
					}
				}
			}
		}
	})
}
