package vec

import (
	"unsafe"

	"github.com/troupe-go/troupe/kernel"
)

// Thick products follow K. Goto and R. A. van de Geijn, Anatomy of
// High-Performance Matrix Multiplication (2008): a block of B is packed into
// panels that tiles read in order, and strips of A are packed beside it.

const (
	// thickColumns is how many columns of B are packed at a time.
	thickColumns = 2048
	// stripsAtOnce is how many strips of A are packed at a time, so that each
	// panel of B serves several of them while it is in the cache.
	stripsAtOnce = 4
	// thickBytes is the size of a B that does not stay in the cache by itself.
	thickBytes = 256 << 10
)

// isThick says whether packing is worth its time.
func (q *product[T]) isThick(g geometry) bool {
	return q.m > 4*g.rows && q.n > 2*g.panel && float64(q.n)*float64(q.k)*float64(g.size) > thickBytes
}

func (s *shared[T]) thickly(p kernel.Pool) {
	strips := s.strips()
	for s.left = 0; s.left < s.n; s.left = s.right {
		s.right = min(s.left+thickColumns, s.n)
		panels := (s.right-s.left-1)/s.g.panel + 1
		s.packed = borrow[T](panels * s.g.panel * min(GemmBlock, s.k))
		for s.first = 0; s.first < s.k; s.first = s.last {
			s.last = min(s.first+GemmBlock, s.k)
			p.Parallel(panels, 8, s.packPanels)
			each := work(s.g.rows, s.right-s.left, s.last-s.first)
			most := max(1, strips/(4*p.Workers())) // strips of a range
			p.Parallel(strips, min(grain(8*shareWork, each), most), s.thickStrips)
		}
		s.packed.giveBack()
	}
}

// strips is how many strips A is cut into.
func (s *shared[T]) strips() int { return (s.m-1)/s.g.rows + 1 }

// panel is packed panel i of B.
func (s *shared[T]) panel(i int) []T {
	size := s.g.panel * (s.last - s.first)
	return s.packed.s[i*size:][:size]
}

// pack packs panels lo to hi of B: a panel is the rows of its columns, one
// after the other.
func (s *shared[T]) pack(lo, hi int) {
	for i := lo; i < hi; i++ {
		dst := s.panel(i)
		left := s.left + i*s.g.panel
		right := min(left+s.g.panel, s.right)
		if s.transB {
			transposeInto(s.g, dst, s.g.panel, s.b, s.rowB, left, right, s.first, s.last)
			continue
		}
		for p := s.first; p < s.last; p++ {
			copy(dst[:s.g.panel], s.b[p*s.rowB+left:p*s.rowB+right])
			dst = dst[s.g.panel:]
		}
	}
}

// packStrip packs rows top to bottom of A: their columns, one after the other.
func (s *shared[T]) packStrip(dst []T, top, bottom int) {
	if s.colA == 1 {
		transposeInto(s.g, dst, s.g.strip, s.a, s.rowA, top, bottom, s.first, s.last)
		return
	}
	for p := s.first; p < s.last; p++ {
		copy(dst, s.a[p*s.colA+top:p*s.colA+bottom])
		dst = dst[s.g.strip:]
	}
}

// computeThick computes strips lo to hi.
func (s *shared[T]) computeThick(lo, hi int) {
	g, strips, k := s.g, s.strips(), s.last-s.first
	packed := borrow[T](stripsAtOnce * g.strip * k)
	t := tile{rowA: g.size, colA: uintptr(g.strip) * g.size, rowB: uintptr(g.panel) * g.size,
		rowC: uintptr(s.rowC) * g.size, k: k}
	if s.add || s.first > 0 {
		t.add = 1
	}
	for ; lo < hi; lo += stripsAtOnce {
		end := min(lo+stripsAtOnce, hi)
		for i := lo; i < end; i++ {
			s.packStrip(packed.s[(i-lo)*g.strip*k:], cut(s.m, strips, i), cut(s.m, strips, i+1))
		}
		for j := s.left; j < s.right; j += g.panel {
			t.b = unsafe.Pointer(&s.panel((j - s.left) / g.panel)[0])
			for i := lo; i < end; i++ {
				top := cut(s.m, strips, i)
				t.a = unsafe.Pointer(&packed.s[(i-lo)*g.strip*k])
				t.c = unsafe.Pointer(&s.c[top*s.rowC+j])
				g.run(cut(s.m, strips, i+1)-top, min(g.panel, s.right-j), &t)
			}
		}
	}
	packed.giveBack()
}
