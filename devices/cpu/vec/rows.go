package vec

import "unsafe"

const (
	// mostSummed is how many columns at most a matrix has whose rows are passed over for some
	// columns at a time, while their sums are in registers.
	mostSummed = 512
	// onesTogether is for how many columns that is.
	onesTogether = 64
)

// ones are weights with which a sum of products is a sum.
var ones = func() (x [onesTogether]float32) {
	for i := range x {
		x[i] = 1
	}
	return x
}()

// SumRows sets sums to those of the columns of rows, which follow each other in x: each
// element is added to the sum of those in front of it, from zero on. It panics if a row is not
// whole.
func SumRows(sums, x []float32) {
	n := len(sums)
	if n == 0 && len(x) > 0 || n > 0 && len(x)%n != 0 {
		panic("vec: elements are no rows")
	}
	if isa == portable || n > mostSummed || len(x) == 0 {
		clear(sums)
		for ; len(x) > 0; x = x[n:] {
			Add(sums, sums, x[:n])
		}
		return
	}
	lanes := 8
	if isa == avx512 {
		lanes = 16
	}
	r := tapRun{next: uintptr(n) * 4, weights: unsafe.Pointer(&ones[0]), columns: 1, lines: len(x) / n, pixels: 1}
	for c := 0; c < n; c += lanes {
		r.src, r.dst, r.lanes = unsafe.Pointer(&x[c]), unsafe.Pointer(&sums[c]), n-c
		switch wide := n-c >= 4*lanes; {
		case wide && isa == avx512:
			tapsWideAVX512(&r)
			c += 3 * lanes
		case wide:
			tapsWideAVX2(&r)
			c += 3 * lanes
		case isa == avx512:
			tapsAVX512(&r)
		default:
			tapsAVX2(&r)
		}
	}
}
