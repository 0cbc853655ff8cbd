package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/kernel"
)

// fma32 is x*y + z rounded once. The product is exact in float64; a sum that is
// not is made odd in its last bit, so that rounding it again to float32 is
// right (S. Boldo and G. Melquiond, Emulation of FMA and Correctly Rounded
// Sums: Proved Algorithms Using Rounding to Odd, 2008).
func fma32(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	back := s - p
	if lost := (p - (s - back)) + (c - back); lost != 0 {
		b := math.Float64bits(s)
		if b&1 == 0 {
			if (lost > 0) == (s > 0) {
				b++
			} else {
				b--
			}
		}
		s = math.Float64frombits(b)
	}
	return float32(s)
}

// multiplyAdd is the step of a chain of products, x*y + z: rounded once where there is assembly.
func multiplyAdd[T float32 | float64](x, y, z T) T {
	if isa == portable {
		return z + T(x*y)
	}
	switch any(z).(type) {
	case float32:
		return T(fma32(float32(x), float32(y), float32(z)))
	default:
		return T(math.FMA(float64(x), float64(y), float64(z)))
	}
}

// chain returns what an element of a product is documented to be.
func chain[T float32 | float64](k int, a, b func(p int) T) T {
	total := T(0)
	for lo := 0; lo < k; lo += GemmBlock {
		sum := T(0)
		for p := lo; p < min(lo+GemmBlock, k); p++ {
			sum = multiplyAdd(a(p), b(p), sum)
		}
		if lo == 0 {
			total = sum
		} else {
			total += sum
		}
	}
	return total
}

// goroutines is a pool that starts a goroutine for each piece of work, pieces
// as small as allowed.
type goroutines struct{}

func (goroutines) Workers() int { return 8 }

func (goroutines) Expect(time.Duration) {}

func (goroutines) Parallel(n, grain int, f func(lo, hi int)) {
	var wg sync.WaitGroup
	for lo := 0; lo < n; lo += grain {
		wg.Go(func() { f(lo, min(lo+grain, n)) })
	}
	wg.Wait()
}

// sizes are those around the edges of tiles, panels, strips and blocks.
var sizes = [][3]int{ // m, n, k
	{1, 1, 1}, {1, 32, 32}, {1, 7, 5}, {1, 64, 256}, {1, 127, 3}, {1, 128, 1}, {1, 129, 2}, {1, 200, 300}, {1, 250, 6}, {1, 257, 3},
	{2, 3, 4}, {2, 65, 9}, {3, 63, 10}, {3, 100, 257}, {4, 33, 8}, {5, 31, 255}, {6, 16, 6}, {7, 17, 7},
	{8, 8, 8}, {9, 1, 9}, {13, 1, 300}, {13, 15, 40}, {14, 32, 14}, {15, 34, 15}, {16, 48, 256}, {29, 5, 513},
	{31, 31, 31}, {57, 70, 64}, {64, 64, 64}, {100, 1, 100}, {61, 150, 530}, {120, 1100, 70}, {85, 2100, 40},
}

func testGemm[T float32 | float64](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fill := func(s []T) {
		for i := range s {
			s[i] = T(rng.NormFloat64())
		}
	}
	for _, size := range sizes {
		m, n, k := size[0], size[1], size[2]
		for variant := range 16 {
			transA, transB, add, wide := variant&1 > 0, variant&2 > 0, variant&4 > 0, variant&8 > 0
			if m*n*k > 1<<16 && add != wide {
				continue
			}
			pad := 0
			if wide {
				pad = 3
			}
			rowsA, colsA, rowsB, colsB := m, k, k, n
			if transA {
				rowsA, colsA = k, m
			}
			if transB {
				rowsB, colsB = n, k
			}
			lda, ldb, ldc := colsA+pad, colsB+pad, n+pad
			// The last row ends with the matrix.
			a, b, c := guarded[T](t, rowsA*lda-pad), guarded[T](t, rowsB*ldb-pad), guarded[T](t, m*ldc-pad)
			fill(a)
			fill(b)
			fill(c)
			before := slices.Clone(c)
			if add {
				GemmAdd(goroutines{}, transA, transB, m, n, k, a, lda, b, ldb, c, ldc)
			} else {
				Gemm(goroutines{}, transA, transB, m, n, k, a, lda, b, ldb, c, ldc)
			}
			name := fmt.Sprintf("%dx%dx%d transA=%v transB=%v add=%v ld+%d", m, n, k, transA, transB, add, pad)
			check := max(1, m*n/60) // of large results some elements
			for i := range m {
				for j := range ldc {
					if i*ldc+j >= len(c) {
						break
					}
					got, old := c[i*ldc+j], before[i*ldc+j]
					if j >= n {
						if got != old {
							t.Fatalf("%s: wrote beside row %d", name, i)
						}
						continue
					}
					if (i*n+j)%check > 0 && i > 0 && j < n-1 {
						continue
					}
					elementA := func(p int) T {
						if transA {
							return a[p*lda+i]
						}
						return a[i*lda+p]
					}
					elementB := func(p int) T {
						if transB {
							return b[j*ldb+p]
						}
						return b[p*ldb+j]
					}
					want := chain(k, elementA, elementB)
					if add {
						want = chainAdd(old, k, elementA, elementB)
					}
					if got != want {
						t.Fatalf("%s: element %d, %d is %v, want %v", name, i, j, got, want)
					}
					exact, scale := 0.0, 0.0
					if add {
						exact, scale = float64(old), math.Abs(float64(old))
					}
					for p := range k {
						x := float64(elementA(p)) * float64(elementB(p))
						exact += x
						scale += math.Abs(x)
					}
					eps := 0x1p-24
					if any(got) == any(float64(got)) {
						eps = 0x1p-52
					}
					if diff := math.Abs(float64(got) - exact); diff > eps*scale*float64(min(k, GemmBlock)+k/GemmBlock+2) {
						t.Fatalf("%s: element %d, %d is %v, exactly %v", name, i, j, got, exact)
					}
				}
			}
		}
	}
}

// chainAdd is chain where C is added to.
func chainAdd[T float32 | float64](old T, k int, a, b func(p int) T) T {
	for lo := 0; lo < k; lo += GemmBlock {
		old += chain(min(GemmBlock, k-lo), func(p int) T { return a(lo + p) }, func(p int) T { return b(lo + p) })
	}
	return old
}

func TestGemm(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		t.Run("float32", testGemm[float32])
		t.Run("float64", testGemm[float64])
	})
}

// A product has the same bits with and without a pool, and on both instruction
// sets with fused multiply-add.
func TestGemmBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, size := range [][3]int{{1, 300, 300}, {70, 300, 400}, {200, 100, 30}, {16, 256, 256}, {300, 520, 70}} {
		m, n, k := size[0], size[1], size[2]
		a, b := make([]float32, m*k), make([]float32, k*n)
		for _, s := range [][]float32{a, b} {
			for i := range s {
				s[i] = float32(rng.NormFloat64())
			}
		}
		var want []float32
		for s := avx512; s > portable; s-- {
			for _, p := range []kernel.Pool{nil, goroutines{}} {
				for _, transA := range []bool{false, true} {
					c := make([]float32, m*n)
					withISA(s, func() {
						if p == nil {
							Gemm(nil, false, false, m, n, k, a, k, b, n, c, n)
							return
						}
						x, lda := a, k
						if transA {
							x, lda = transposed(a, m, k), m
						}
						Gemm(p, transA, true, m, n, k, x, lda, transposed(b, k, n), k, c, n)
					})
					if s > isa {
						continue
					}
					if want == nil {
						want = c
					}
					if !slices.Equal(c, want) {
						t.Errorf("%dx%dx%d: %v with pool %v differs", m, n, k, s, p)
					}
				}
			}
		}
		want = nil
	}
}

func transposed[T any](x []T, rows, cols int) []T {
	y := make([]T, len(x))
	for i := range rows {
		for j := range cols {
			y[j*rows+i] = x[i*cols+j]
		}
	}
	return y
}

// Elements that are not floating-point numbers.
func TestGemmOther(t *testing.T) {
	a, b := []int32{1, -2, 3, 4, 5, -6}, []int32{7, 8, 9, 10, -11, 12}
	c := make([]int32, 4)
	Gemm(nil, false, false, 2, 2, 3, a, 3, b, 2, c, 2)
	if want := []int32{7 - 18 - 33, 8 - 20 + 36, 28 + 45 + 66, 32 + 50 - 72}; !slices.Equal(c, want) {
		t.Errorf("int32: %v, want %v", c, want)
	}
	x, y := []complex64{1i, 2}, []complex64{3, 4i}
	z := []complex64{100}
	GemmAdd(nil, true, true, 1, 1, 2, x, 1, y, 2, z, 1)
	if z[0] != 100+11i {
		t.Errorf("complex64: %v", z)
	}
	n := 100
	u, v, w := make([]complex128, n*n), make([]complex128, n*n), make([]complex128, n*n)
	for i := range u {
		u[i], v[i] = complex(float64(i%7), 1), complex(1, float64(i%5))
	}
	Gemm(goroutines{}, false, false, n, n, n, u, n, v, n, w, n)
	for i := range n {
		for j := range n {
			want := complex128(0)
			for p := range n {
				want += u[i*n+p] * v[p*n+j]
			}
			if w[i*n+j] != want {
				t.Fatalf("complex128: element %d, %d is %v, want %v", i, j, w[i*n+j], want)
			}
		}
	}
}

func TestGemmEdges(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		c := []float32{1, 2, 3, 4}
		Gemm(nil, false, false, 2, 1, 0, nil, 0, nil, 1, c, 2)
		if want := []float32{0, 2, 0, 4}; !slices.Equal(c, want) {
			t.Errorf("k=0: %v, want %v", c, want)
		}
		GemmAdd(nil, false, false, 2, 1, 0, nil, 0, nil, 1, c, 2)
		Gemm[float32](nil, false, false, 0, 1, 5, nil, 5, nil, 1, nil, 1)
		Gemm[float32](nil, false, false, 1, 0, 5, nil, 5, nil, 0, nil, 0)
		// Zeros do not hide what is not a number.
		inf := float32(math.Inf(1))
		Gemm(nil, false, false, 1, 1, 2, []float32{0, 1}, 2, []float32{inf, 1}, 1, c, 1)
		if c[0] == c[0] {
			t.Errorf("0·∞ + 1 = %v", c[0])
		}
	})
	for _, c := range []struct{ m, n, k, a, lda, b, ldb, c, ldc int }{
		{-1, 1, 1, 1, 1, 1, 1, 1, 1},
		{2, 2, 2, 3, 2, 4, 2, 4, 2},
		{2, 2, 2, 4, 2, 3, 2, 4, 2},
		{2, 2, 2, 4, 2, 4, 2, 3, 2},
		{2, 2, 2, 4, 1, 4, 2, 4, 2},
		{2, 2, 2, 4, 2, 4, math.MaxInt, 4, 2},
		{math.MaxInt/2 + 1, 2, 2, 4, 2, 4, 2, 4, 2},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v did not panic", c)
				}
			}()
			Gemm(nil, false, false, c.m, c.n, c.k, make([]float32, c.a), c.lda, make([]float32, c.b), c.ldb, make([]float32, c.c), c.ldc)
		}()
	}
}

// TestGemmAgainOfNothing sums up no products.
// TestGemmOfNothing: a product over no elements is zeros, or adds nothing, also for elements
// without tiles and of several rows.
func TestGemmOfNothing(t *testing.T) {
	for _, trans := range []bool{false, true} {
		c := []int32{1, 2, 3, 4, 5, 6}
		Gemm(nil, trans, trans, 3, 2, 0, nil, 3, nil, 2, c, 2)
		if !slices.Equal(c, make([]int32, 6)) {
			t.Errorf("transposed %v: %v", trans, c)
		}
		d := []float64{1, 2, 3, 4, 5, 6}
		Gemm(nil, trans, trans, 3, 2, 0, nil, 3, nil, 2, d, 2)
		if !slices.Equal(d, make([]float64, 6)) {
			t.Errorf("transposed %v: %v", trans, d)
		}
	}
}

func TestGemmAgainOfNothing(t *testing.T) {
	for _, trans := range []bool{false, true} {
		c := []float32{1, 2, 3, 4}
		GemmAgain[float32](trans, false, 2, 2, 0, 2, 2, 2)(c, nil, nil)
		if !slices.Equal(c, make([]float32, 4)) {
			t.Errorf("a product of 2×0 and 0×2 is %v", c)
		}
		GemmAgain[float32](trans, false, 0, 2, 2, 2, 2, 2)(nil, nil, []float32{1, 2, 3, 4})
	}
}
