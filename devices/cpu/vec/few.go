package vec

import (
	"fmt"
	"unsafe"
)

// FewColumns is how many columns at most a matrix has that [Rows.Multiply] takes.
const FewColumns = 8

// Rows are the left operand of products with a matrix of few columns, by columns: element i
// of column k lies i after the k-th offset. So neighbours of a row are neighbours in
// memory, and fill vectors that so few columns do not fill. An image whose channels lie in
// lines of their own has windows of a convolution as such rows.
type Rows struct {
	offsets []int32
	reach   []int // the largest offset up to each
}

// RowsAt returns Rows with these offsets. It panics if one is negative.
func RowsAt(offsets []int32) Rows {
	r := Rows{offsets, make([]int, len(offsets))}
	most := 0
	for k, o := range offsets {
		if o < 0 {
			panic(fmt.Sprintf("vec: offset %d is %d", k, o))
		}
		most = max(most, int(o))
		r.reach[k] = most
	}
	return r
}

// Whole returns n rounded up to a number of rows that fills vectors.
func (Rows) Whole(n int) int {
	lanes := fewLanes()
	return (n + lanes - 1) / lanes * lanes
}

func fewLanes() int {
	if isa == avx512 {
		return 16
	}
	return 8
}

// A fewRun is one call of the assembly. Distances count bytes. The assembly knows the fields
// by their order.
type fewRun struct {
	src, offsets, weights unsafe.Pointer
	next                  uintptr // from a row of B to the next
	k                     int
	dst                   unsafe.Pointer
	line                  uintptr // from a column of the result to the next
	add                   int
}

// Multiply sets c, n columns that are line elements apart, to the product of columns first
// to end of the rows and as many rows of b, which are ldb elements apart; or it adds it to
// c. Elements are summed up in order, from zero, as [Gemm] does it. It computes m rows, and
// as many more of src and c as fill vectors. It panics if something lies outside.
func (r Rows) Multiply(first, end, m, n int, src, b []float32, ldb int, c []float32, line int, add bool) {
	whole := r.Whole(m)
	if first < 0 || end <= first || end > len(r.offsets) || m < 1 || n < 1 || n > FewColumns || ldb < n || line < whole ||
		len(src) < r.reach[end-1]+whole || len(b) < (end-first-1)*ldb+n || len(c) < (n-1)*line+whole {
		panic(fmt.Sprintf("vec: %d rows of columns %d to %d by %d columns are not in %d, %d and %d elements", m, first, end, n, len(src), len(b), len(c)))
	}
	if isa == portable {
		r.portable(first, end, whole, n, src, b, ldb, c, line, add)
		return
	}
	t := fewRun{offsets: unsafe.Pointer(&r.offsets[first]), weights: unsafe.Pointer(&b[0]), next: uintptr(ldb) * 4, k: end - first, line: uintptr(line) * 4}
	if add {
		t.add = 1
	}
	lanes := fewLanes()
	for i := 0; i < whole; {
		t.src, t.dst = unsafe.Pointer(&src[i]), unsafe.Pointer(&c[i])
		if isa == avx512 {
			i += lanes * runFewAVX512(n, (whole-i)/lanes, &t)
		} else {
			i += lanes * runFewAVX2(n, (whole-i)/lanes, &t)
		}
	}
}

func (r Rows) portable(first, end, m, n int, src, b []float32, ldb int, c []float32, line int, add bool) {
	for j := range n {
		to := c[j*line:][:m]
		for i := range to {
			var sum float32
			for k, o := range r.offsets[first:end] {
				sum += float32(src[int(o)+i] * b[k*ldb+j])
			}
			if add {
				sum += to[i]
			}
			to[i] = sum
		}
	}
}
