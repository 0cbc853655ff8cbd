package vec

import (
	"fmt"
	"unsafe"

	"github.com/troupe-go/troupe/kernel"
)

// A Number is an element that matrices may have.
type Number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		float32 | float64 | complex64 | complex128
}

// GemmBlock is how many products of an element are summed up before the sum is
// added to the result.
const GemmBlock = 256

// Gemm computes C = op(A)·op(B), where op transposes its operand if transA or
// transB is set. op(A) is m×k, op(B) is k×n and C is m×n, in rows of lda, ldb
// and ldc elements. C must not overlap A or B. Large products are shared out
// through p; with a nil p the caller computes alone. It panics if a slice is
// too short for its matrix.
func Gemm[T Number](p kernel.Pool, transA, transB bool, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int) {
	gemm(p, transA, transB, m, n, k, a, lda, b, ldb, c, ldc, false)
}

// GemmAdd computes C += op(A)·op(B); see [Gemm].
func GemmAdd[T Number](p kernel.Pool, transA, transB bool, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int) {
	gemm(p, transA, transB, m, n, k, a, lda, b, ldb, c, ldc, true)
}

func gemm[T Number](p kernel.Pool, transA, transB bool, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int, add bool) {
	if m < 0 || n < 0 || k < 0 {
		panic(fmt.Sprintf("vec: product of a %d×%d and a %d×%d matrix", m, k, k, n))
	}
	if m == 0 || n == 0 {
		return
	}
	mustHold("C", c, ldc, m, n)
	if k == 0 {
		if !add {
			for i := range m {
				clear(c[i*ldc:][:n])
			}
		}
		return
	}
	q := product[T]{m: m, n: n, k: k, a: a, rowA: lda, colA: 1, b: b, rowB: ldb, transB: transB, c: c, rowC: ldc, add: add}
	if transA {
		mustHold("A", a, lda, k, m)
		q.rowA, q.colA = 1, lda
	} else {
		mustHold("A", a, lda, m, k)
	}
	if transB {
		mustHold("B", b, ldb, n, k)
	} else {
		mustHold("B", b, ldb, k, n)
	}
	if n == 1 && m > 1 && ldc == 1 {
		// A column is the transpose of a row, which the tiles are made for.
		q.m, q.n = 1, m
		q.a, q.rowA, q.colA = b, 1, ldb
		if transB {
			q.colA = 1
		}
		q.b, q.rowB, q.transB = a, lda, !transA
		q.rowC = m
	}
	q.run(p)
}

// mustHold panics unless s reaches to the end of a rows×cols matrix.
func mustHold[T any](name string, s []T, ld, rows, cols int) {
	if ld < cols || len(s) < cols || (rows-1) > (len(s)-cols)/ld {
		panic(fmt.Sprintf("vec: %d elements are too few for %s, %d×%d in rows of %d", len(s), name, rows, cols, ld))
	}
}

// A product is one call of Gemm. Strides count elements.
type product[T Number] struct {
	m, n, k    int
	a          []T
	rowA, colA int // from an element of A to the next below and to the right
	b          []T
	rowB       int // from a row of B, as stored, to the next
	transB     bool
	c          []T
	rowC       int
	add        bool
}

// run computes the product by the way that suits its size.
func (q *product[T]) run(p kernel.Pool) {
	var z T
	assembly := false
	switch any(z).(type) {
	case float32, float64:
		assembly = isa != portable
	}
	g := geometryOf(unsafe.Sizeof(z))
	sharing := p != nil && p.Workers() > 1 && work(q.m, q.n, q.k) >= worthSharing
	switch {
	case !sharing && assembly:
		q.compute(g, 0, q.m, 0, q.n)
	case !sharing:
		q.portable(0, q.m)
	case assembly:
		s := share(q, g)
		s.spread(p)
		s.end()
	default:
		s := share(q, g)
		p.Parallel(q.m, grain(shareWork/8, work(1, q.n, q.k)), s.rows)
		s.end()
	}
}
