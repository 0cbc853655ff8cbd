package vec

import "unsafe"

// Rows that are a multiple of aliasing bytes apart meet in a few sets of a
// cache, each of which has room for 8 or 12 lines.
const aliasing = 2048

// packsA reports whether rows of A get in each other's way.
func (q *product[T]) packsA(g *geometry) bool {
	return q.m > 6 && q.colA == 1 && uintptr(q.rowA)*g.size%(2*aliasing) == 0
}

// packsB reports whether B is to be packed for its tiles.
func (q *product[T]) packsB(g *geometry) bool { return q.readsBadly(g) || q.readsFar(g) }

// readsBadly reports whether B is not in rows, or rows of it get in each other's way
// often enough to pay for moving them.
func (q *product[T]) readsBadly(g *geometry) bool {
	return q.transB || q.m > 2*g.rows && uintptr(q.rowB)*g.size%aliasing == 0
}

// A tile asks for the panel next to its own while it multiplies, so that reading B where it
// lies is as fast as packing it, or faster, also if it comes from afar, as the weights of a
// network do. But rows of farRow bytes or more are on as many pages as the panel is high, all
// of which each strip of A touches: from farStrips on it pays to move what is not likely in
// the second cache, from farBytes on.
const (
	farRow    = 2048
	farStrips = 16
	farBytes  = 1 << 17
)

// readsFar reports whether B is likely far away, and used often enough to be brought near.
func (q *product[T]) readsFar(g *geometry) bool {
	return q.m > farStrips*g.rows && uintptr(q.rowB)*g.size >= farRow && q.k*q.n*int(g.size) >= farBytes
}

// packStrip packs a strip of A, which lies in rows: its columns first to last, one after the other.
func (q *product[T]) packStrip(g *geometry, dst []T, strip, first, last int) {
	strips := q.strips(g)
	top, bottom := cut(q.m, strips, strip), cut(q.m, strips, strip+1)
	transposeInto(g, dst, g.strip, q.a, q.rowA, top, bottom, first, last)
}

// packPanel packs columns left to right of op(B): their rows first to last, one
// after the other.
func (q *product[T]) packPanel(g *geometry, dst []T, width, left, right, first, last int) {
	if q.transB {
		transposeInto(g, dst, width, q.b, q.rowB, left, right, first, last)
		return
	}
	copyPanel(g, dst, width, q.b[left:], q.rowB, last-first, right-left, first)
}

// packed is an operand that was packed before it is needed: strips of A or panels of
// B, one after the other, each wide elements for each of the products from first to
// first+depth that make up an element of C.
type packed[T Number] struct {
	s                  []T // nil: it was not
	wide, first, depth int
}

// at returns where the i-th strip or panel has what the given product takes.
func (p *packed[T]) at(i, product int) unsafe.Pointer {
	return unsafe.Pointer(&p.s[(i*p.depth+product-p.first)*p.wide])
}

// A Right is the right operand of products, in the order in which tiles read it: for
// who multiplies with the same matrix again and again. It is safe for concurrent use.
type Right[T Number] struct {
	packed[T]
	n int
}

// RightBytes returns how much memory a [Right] takes that is made of these; 0 where there is
// none.
func RightBytes[T Number](transB bool, m, n, k, ldb int) int64 {
	var z T
	switch any(z).(type) {
	case float32:
		return rightBytes32(transB, m, n, k, ldb)
	case float64:
		return rightBytes64(transB, m, n, k, ldb)
	}
	return 0
}

//go:noinline
func rightBytes32(transB bool, m, n, k, ldb int) int64 {
	return rightBytes[float32](transB, m, n, k, ldb)
}

//go:noinline
func rightBytes64(transB bool, m, n, k, ldb int) int64 {
	return rightBytes[float64](transB, m, n, k, ldb)
}

func rightBytes[T Number](transB bool, m, n, k, ldb int) int64 {
	var z T
	if m < 1 || n < 2 || k < 1 || ldb < 1 || !inAssembly[T]() {
		return 0
	}
	g := geometryOf(unsafe.Sizeof(z))
	q := product[T]{m: m, n: n, k: k, rowB: ldb, transB: transB}
	if !q.readsBadly(g) {
		return 0
	}
	width := q.tileWidth(g)
	return (int64(n-1)/int64(width) + 1) * int64(width*k) * int64(g.size)
}

// NewRight is op(B), a k×n matrix in rows of ldb elements, for products of m rows; nil
// where they read it as fast where it is. It panics if b is too short.
func NewRight[T Number](transB bool, m, n, k int, b []T, ldb int) *Right[T] {
	var r any
	switch b := any(b).(type) {
	case []float32:
		r = right32(transB, m, n, k, b, ldb)
	case []float64:
		r = right64(transB, m, n, k, b, ldb)
	}
	right, _ := r.(*Right[T])
	return right
}

//go:noinline
func right32(transB bool, m, n, k int, b []float32, ldb int) *Right[float32] {
	return newRight(transB, m, n, k, b, ldb)
}

//go:noinline
func right64(transB bool, m, n, k int, b []float64, ldb int) *Right[float64] {
	return newRight(transB, m, n, k, b, ldb)
}

func newRight[T Number](transB bool, m, n, k int, b []T, ldb int) *Right[T] {
	bytes := rightBytes[T](transB, m, n, k, ldb)
	if bytes == 0 {
		return nil
	}
	if transB {
		mustHold("B", b, ldb, n, k)
	} else {
		mustHold("B", b, ldb, k, n)
	}
	g := geometryOf(unsafe.Sizeof(b[0]))
	q := product[T]{m: m, n: n, k: k, b: b, rowB: ldb, transB: transB}
	width := q.tileWidth(g)
	r := &Right[T]{packed[T]{make([]T, bytes/int64(g.size)), width, 0, k}, n}
	for left := 0; left < n; left += width {
		q.packPanel(g, r.s[left*k:], width, left, min(left+width, n), 0, k)
	}
	return r
}

// fits reports whether the tiles of a product read right.
func (q *product[T]) fits(g *geometry, right *Right[T]) bool {
	return right != nil && right.n == q.n && right.depth == q.k &&
		(right.wide == q.tileWidth(g) || q.transB && right.wide == g.panel)
}
