package vec

import (
	"fmt"
	"math/bits"
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
	gemm(p, transA, transB, m, n, k, a, lda, b, ldb, nil, c, ldc, false)
}

// GemmAdd computes C += op(A)·op(B); see [Gemm].
func GemmAdd[T Number](p kernel.Pool, transA, transB bool, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int) {
	gemm(p, transA, transB, m, n, k, a, lda, b, ldb, nil, c, ldc, true)
}

// GemmFinish is [Gemm] of float32 of which f finishes each element. What it adds lies as C.
func GemmFinish(p kernel.Pool, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, f *Finish) {
	if m < 0 || n < 0 || k < 0 {
		panic(fmt.Sprintf("vec: product of a %d×%d and a %d×%d matrix", m, k, k, n))
	}
	if m == 0 || n == 0 {
		return
	}
	f.check(n, (m-1)*ldc+n)
	if inAssembly[float32]() && k > 0 && (n > 1 || m == 1) {
		gemm32(p, false, false, m, n, k, a, lda, b, ldb, nil, c, ldc, false, f)
		return
	}
	gemm32(p, false, false, m, n, k, a, lda, b, ldb, nil, c, ldc, false, nil)
	f.Rows(c, 0, m, n, ldc)
}

// GemmRight is [Gemm] for callers that keep op(B) as right. It reads b if right is nil or was
// made for other numbers of rows.
func GemmRight[T Number](p kernel.Pool, transA, transB bool, m, n, k int, a []T, lda int, b []T, ldb int, right *Right[T], c []T, ldc int) {
	gemm(p, transA, transB, m, n, k, a, lda, b, ldb, right, c, ldc, false)
}

// GemmAgain is [Gemm] with a nil pool, for matrices of certain sizes: a function of C, A
// and B. It panics where Gemm would, if the function is called with such slices.
func GemmAgain[T Number](transA, transB bool, m, n, k, lda, ldb, ldc int) func(c, a, b []T) {
	var f func(c, a, b []T)
	switch f := any(&f).(type) {
	case *func(c, a, b []float32):
		*f = again32(transA, transB, m, n, k, lda, ldb, ldc)
	case *func(c, a, b []float64):
		*f = again64(transA, transB, m, n, k, lda, ldb, ldc)
	}
	if f == nil {
		return func(c, a, b []T) { Gemm(nil, transA, transB, m, n, k, a, lda, b, ldb, c, ldc) }
	}
	return f
}

// tiledAgain is GemmAgain by tiles.
func tiledAgain[T Number](transA, transB bool, m, n, k, lda, ldb, ldc int) func(c, a, b []T) {
	if m < 1 || k < 1 || !isDirect[T](m, n, k, transB) || lda < 1 || ldb < n || ldc < n {
		return func(c, a, b []T) { Gemm(nil, transA, transB, m, n, k, a, lda, b, ldb, c, ldc) }
	}
	var z T
	g := geometryOf(unsafe.Sizeof(z))
	t := tile{rowA: uintptr(lda) * g.size, colA: g.size, rowB: uintptr(ldb) * g.size, rowC: uintptr(ldc) * g.size}
	rows, cols := m, k
	if transA {
		rows, cols = k, m
		t.rowA, t.colA = t.colA, t.rowA
	}
	endA, endB, endC := (rows-1)*lda+cols, (k-1)*ldb+n, (m-1)*ldc+n
	return func(c, a, b []T) {
		if len(a) < endA || len(b) < endB || len(c) < endC {
			Gemm(nil, transA, transB, m, n, k, a, lda, b, ldb, c, ldc) // which says what is wrong
			return
		}
		t := t
		t.a, t.b, t.c = unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(unsafe.SliceData(c))
		g.direct(m, n, k, &t)
	}
}

// isDirect reports whether direct computes a product that nobody shares out.
func isDirect[T Number](m, n, k int, transB bool) bool {
	return m <= directRows && !transB && n > 1 && inAssembly[T]() && !worth(m, n, k)
}

func gemm[T Number](p kernel.Pool, transA, transB bool, m, n, k int, a []T, lda int, b []T, ldb int, right *Right[T], c []T, ldc int, add bool) {
	if m < 0 || n < 0 || k < 0 {
		panic(fmt.Sprintf("vec: product of a %d×%d and a %d×%d matrix", m, k, k, n))
	}
	if m == 0 || n == 0 {
		return
	}
	switch c := any(c).(type) {
	case []float32:
		gemm32(p, transA, transB, m, n, k, any(a).([]float32), lda, any(b).([]float32), ldb, any(right).(*Right[float32]), c, ldc, add, nil)
	case []float64:
		gemm64(p, transA, transB, m, n, k, any(a).([]float64), lda, any(b).([]float64), ldb, any(right).(*Right[float64]), c, ldc, add)
	default:
		untiled(p, transA, transB, m, n, k, a, lda, b, ldb, any(c).([]T), ldc, add)
	}
}

// What computes by tiles is compiled here alone, for the elements that there are tiles
// for: the functions below are called, not inlined, so that no importer compiles it again.

//go:noinline
func gemm32(p kernel.Pool, transA, transB bool, m, n, k int, a []float32, lda int, b []float32, ldb int, right *Right[float32], c []float32, ldc int, add bool, f *Finish) {
	tiled(p, transA, transB, m, n, k, a, lda, b, ldb, right, c, ldc, add, f)
}

//go:noinline
func gemm64(p kernel.Pool, transA, transB bool, m, n, k int, a []float64, lda int, b []float64, ldb int, right *Right[float64], c []float64, ldc int, add bool) {
	tiled(p, transA, transB, m, n, k, a, lda, b, ldb, right, c, ldc, add, nil)
}

//go:noinline
func again32(transA, transB bool, m, n, k, lda, ldb, ldc int) func(c, a, b []float32) {
	return tiledAgain[float32](transA, transB, m, n, k, lda, ldb, ldc)
}

//go:noinline
func again64(transA, transB bool, m, n, k, lda, ldb, ldc int) func(c, a, b []float64) {
	return tiledAgain[float64](transA, transB, m, n, k, lda, ldb, ldc)
}

// mustHoldAll panics unless the operands reach to the ends of their matrices, k products
// for each element.
func mustHoldAll[T Number](transA, transB bool, m, n, k int, a []T, lda int, b []T, ldb int) {
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
}

// untiled is Gemm for elements without tiles: rows are shared out, and computed in Go.
func untiled[T Number](p kernel.Pool, transA, transB bool, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int, add bool) {
	mustHold("C", c, ldc, m, n)
	if k == 0 {
		ofNothing(m, n, c, ldc, add)
		return
	}
	mustHoldAll(transA, transB, m, n, k, a, lda, b, ldb)
	q := rows[T]{m: m, n: n, k: k, a: a, rowA: lda, colA: 1, b: b, rowB: ldb, transB: transB, c: c, rowC: ldc, add: add}
	if transA {
		q.rowA, q.colA = 1, lda
	}
	if !shares(p, m, n, k) {
		q.compute(0, m)
		return
	}
	Expect[T](p, m, n, k)
	p.Parallel(m, grain(shareWork/8, work(1, n, k)), q.compute)
}

// ofNothing is a product of matrices without columns and rows between them: zeros.
func ofNothing[T Number](m, n int, c []T, ldc int, add bool) {
	for i := range m {
		if !add {
			clear(c[i*ldc:][:n])
		}
	}
}

// tiled is Gemm by tiles, where the processor has them. f, of float32, is finished with, where
// there are tiles and k is not 0.
func tiled[T Number](p kernel.Pool, transA, transB bool, m, n, k int, a []T, lda int, b []T, ldb int, right *Right[T], c []T, ldc int, add bool, f *Finish) {
	mustHold("C", c, ldc, m, n)
	if k == 0 {
		ofNothing(m, n, c, ldc, add)
		return
	}
	rowA, colA := lda, 1
	if transA {
		rowA, colA = 1, lda
	}
	mustHoldAll(transA, transB, m, n, k, a, lda, b, ldb)
	if isDirect[T](m, n, k, transB) {
		g := geometryOf(unsafe.Sizeof(a[0]))
		t := tile{a: unsafe.Pointer(&a[0]), rowA: uintptr(rowA) * g.size, colA: uintptr(colA) * g.size,
			b: unsafe.Pointer(&b[0]), rowB: uintptr(ldb) * g.size, c: unsafe.Pointer(&c[0]), rowC: uintptr(ldc) * g.size}
		if add {
			t.add = 1
		}
		if f != nil {
			t.finish = f.run()
		}
		g.direct(m, n, k, &t)
		return
	}
	q := product[T]{m: m, n: n, k: k, a: a, rowA: rowA, colA: colA, b: b, rowB: ldb, transB: transB, c: c, rowC: ldc, add: add}
	if f != nil {
		q.finish = f.run()
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
	if g := geometryOf(unsafe.Sizeof(a[0])); q.fits(g, right) {
		q.packedB = right.packed
	}
	q.run(p)
}

// mustHold panics unless s reaches to the end of a rows×cols matrix, which is
// not empty.
func mustHold[T any](name string, s []T, ld, rows, cols int) {
	if over, last := bits.Mul64(uint64(rows-1), uint64(ld)); ld < cols || len(s) < cols || over != 0 || last > uint64(len(s)-cols) {
		tooFew(name, len(s), ld, rows, cols)
	}
}

func tooFew(name string, n, ld, rows, cols int) {
	panic(fmt.Sprintf("vec: %d elements are too few for %s, %d×%d in rows of %d", n, name, rows, cols, ld))
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
	finish     finishing // of the sums, where tiles compute them

	packedA, packedB packed[T]
	least            int // how many strips the rows are cut into at least
}

// inAssembly reports whether there are tiles for elements of type T.
func inAssembly[T Number]() bool {
	var z T
	switch any(z).(type) {
	case float32, float64:
		return isa != portable
	}
	return false
}

// shares reports whether a product goes to the pool, part by part. Alone one goes part by
// part, too, if there are many: a pool may leave some out.
func shares(p kernel.Pool, m, n, k int) bool {
	return p != nil && worth(m, n, k) && (p.Workers() > 1 || work(m, n, k) > mostWork)
}

// run computes the product by the way that suits its size.
func (q *product[T]) run(p kernel.Pool) {
	var z T
	assembly := inAssembly[T]()
	g := geometryOf(unsafe.Sizeof(z))
	sharing := shares(p, q.m, q.n, q.k)
	switch {
	case !sharing && assembly:
		q.compute(g, q.whole(g))
	case !sharing:
		q.portable(0, q.m)
	case assembly:
		Expect[T](p, q.m, q.n, q.k)
		s := share(q, g)
		s.spread(p)
		s.end()
	default:
		Expect[T](p, q.m, q.n, q.k)
		s := share(q, g)
		p.Parallel(q.m, grain(shareWork/8, work(1, q.n, q.k)), s.rows)
		s.end()
	}
}
