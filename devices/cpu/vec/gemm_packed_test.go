package vec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Whoever packs, and when, an element has the same bits: where nobody does, each part,
// each worker once, all of it or in slabs, or who keeps an operand for many products.
func TestPacked(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		sizes := [][3]int{{1, 512, 512}, {3, 96, 40}, {5, 512, 512}, {64, 512, 784}, {430, 512, 1024}, {43, 300, 130}, {17, 526, 530}}
		if isa == portable {
			sizes = sizes[:3] // there is one way, and it is slow
		}
		for _, size := range sizes {
			testPacked[float32](t, size[0], size[1], size[2], 8)
			testPacked[float64](t, size[0], size[1]/2, size[2]/2, 8)
		}
		if isa != portable && !testing.Short() {
			testPacked[float32](t, 3100, 1024, 512, 1) // in slabs
			testPacked[float32](t, 1900, 40, 512, 8)   // by rows
		}
	})
}

func testPacked[T float32 | float64](t *testing.T, m, n, k, variants int) {
	rng := rand.New(rand.NewPCG(7, 8))
	a, b := make([]T, m*k), make([]T, k*n)
	for _, s := range [][]T{a, b} {
		for i := range s {
			s[i] = T(rng.IntN(2000)-1000) / 1024
		}
	}
	want := make([]T, m*n)
	for i := range m { // rows alone are packed by nobody
		Gemm(nil, false, false, 1, n, k, a[i*k:], k, b, n, want[i*n:], n)
	}
	across := map[bool][]T{false: b, true: transposed(b, k, n)}
	along := map[bool][]T{false: a, true: transposed(a, m, k)}
	for variant := range variants {
		transA, transB, keeps := variant&1 > 0, variant&2 > 0, variant&4 > 0
		lda, ldb := k, n
		if transA {
			lda = m
		}
		if transB {
			ldb = k
		}
		var right *Right[T]
		if keeps {
			if right = NewRight(transB, m, n, k, across[transB], ldb); right == nil {
				continue
			}
		}
		c := make([]T, m*n)
		GemmRight(goroutines{}, transA, transB, m, n, k, along[transA], lda, across[transB], ldb, right, c, n)
		name := fmt.Sprintf("%dx%dx%d transA=%v transB=%v kept=%v", m, n, k, transA, transB, keeps)
		if !slices.Equal(c, want) {
			t.Errorf("%s differs", name)
		}
		if !keeps || m == 1 {
			continue
		}
		// What is kept for some number of rows serves others too, or is left alone.
		clear(c)
		GemmRight(nil, false, transB, 1, n, k, a, k, across[transB], ldb, right, c, n)
		if !slices.Equal(c[:n], want[:n]) {
			t.Errorf("%s: its first row differs", name)
		}
	}
}
