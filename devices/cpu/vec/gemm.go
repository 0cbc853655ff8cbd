package vec

import (
	"fmt"

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
	if transA {
		mustHold("A", a, lda, k, m)
	} else {
		mustHold("A", a, lda, m, k)
	}
	if transB {
		mustHold("B", b, ldb, n, k)
	} else {
		mustHold("B", b, ldb, k, n)
	}
	gemmPortable(transA, transB, m, n, k, a, lda, b, ldb, c, ldc, add)
}

// mustHold panics unless s reaches to the end of a rows×cols matrix.
func mustHold[T any](name string, s []T, ld, rows, cols int) {
	if ld < cols || len(s) < cols || (rows-1) > (len(s)-cols)/ld {
		panic(fmt.Sprintf("vec: %d elements are too few for %s, %d×%d in rows of %d", len(s), name, rows, cols, ld))
	}
}
