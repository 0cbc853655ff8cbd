package vec

import "unsafe"

// stripBytes is how much of A is worked on at a time: less than half of a core's
// second cache, through which panels of B and the rows of C pass as well.
const stripBytes = 448 << 10

// compute computes rows top to bottom of columns left to right. The order of
// its loops is that of K. Goto and R. A. van de Geijn, Anatomy of
// High-Performance Matrix Multiplication (2008), without a loop for what needs
// none: a panel of B stays in the nearest cache while the strips of A pass by.
// Operands are packed only if reading them where they are would be slower.
func (q *product[T]) compute(g *geometry, top, bottom, left, right int) {
	height := bottom - top
	strips := (height-1)/g.rows + 1
	block := min(GemmBlock, q.k)
	together := min(strips, max(1, stripBytes/(g.strip*block*int(g.size))))
	width := q.width(g, height)
	t := tile{rowC: uintptr(q.rowC) * g.size,
		rowA: uintptr(q.rowA) * g.size, colA: uintptr(q.colA) * g.size, rowB: uintptr(q.rowB) * g.size}
	var a, b *scratch[T]
	if q.packsA(g, height) {
		a = borrow[T](together * g.strip * block)
		t.rowA, t.colA = g.size, uintptr(g.strip)*g.size
	}
	again := 0 // from one packed panel to the next, where all are kept for more strips
	if q.packsB(g, height) {
		size := width * block
		if together < strips {
			again, size = size, ((right-left-1)/width+1)*size
		}
		b = borrow[T](size)
		t.rowB = uintptr(width) * g.size
	}
	for first := 0; first < q.k; first += GemmBlock {
		t.k = min(GemmBlock, q.k-first)
		t.add = 1
		if !q.add && first == 0 {
			t.add = 0
		}
		for s := 0; s < strips; s += together {
			end := min(s+together, strips)
			if a != nil {
				for i := s; i < end; i++ {
					q.packStrip(g, a.s[(i-s)*g.strip*t.k:], top+cut(height, strips, i), top+cut(height, strips, i+1), first, first+t.k)
				}
			}
			for j := left; j < right; j += width {
				w := min(width, right-j)
				if b != nil {
					panel := b.s[(j-left)/width*again:]
					if s == 0 || again == 0 {
						q.packPanel(g, panel, width, j, j+w, first, first+t.k)
					}
					t.b = unsafe.Pointer(&panel[0])
				} else {
					t.b = unsafe.Pointer(&q.b[first*q.rowB+j])
				}
				row := top + cut(height, strips, s)
				for i := s; i < end; i++ {
					next := top + cut(height, strips, i+1)
					if a != nil {
						t.a = unsafe.Pointer(&a.s[(i-s)*g.strip*t.k])
					} else {
						t.a = unsafe.Pointer(&q.a[row*q.rowA+first*q.colA])
					}
					t.c = unsafe.Pointer(&q.c[row*q.rowC+j])
					g.run(next-row, w, &t)
					row = next
				}
			}
		}
	}
	if a != nil {
		a.giveBack()
	}
	if b != nil {
		b.giveBack()
	}
}

// directRows is how many rows at most direct takes: one strip, of which no row
// gets in another's way.
const directRows = 6

// direct computes the product of a small matrix of at most directRows rows and
// one that lies in rows, of which t knows all but the sizes. It makes compute's
// calls of tiles for such a product, and nothing else.
func (g *geometry) direct(m, n, k int, t *tile) {
	width := g.vectors(m) * g.lanes
	b, c := t.b, t.c
	for t.k = min(GemmBlock, k); k > 0; t.k = min(GemmBlock, k) {
		for j := 0; j < n; j += width {
			t.b, t.c = unsafe.Add(b, j*int(g.size)), unsafe.Add(c, j*int(g.size))
			g.run(m, min(width, n-j), t)
		}
		if k -= t.k; k > 0 {
			t.a, b = unsafe.Add(t.a, t.k*int(t.colA)), unsafe.Add(b, t.k*int(t.rowB))
			t.add = 1
		}
	}
}

// width is how many columns wide the tiles of height rows are.
func (q *product[T]) width(g *geometry, height int) int {
	if q.transB {
		return g.panel
	}
	strips := (height-1)/g.rows + 1
	return g.vectors((height-1)/strips+1) * g.lanes
}

// Rows that are a multiple of aliasing bytes apart meet in a few sets of a
// cache, each of which has room for 8 or 12 lines.
const aliasing = 2048

// packsA says whether rows of A get in each other's way.
func (q *product[T]) packsA(g *geometry, height int) bool {
	return height > 6 && q.colA == 1 && uintptr(q.rowA)*g.size%aliasing == 0
}

// packsB says whether B is not in rows, or rows of it get in each other's way
// often enough to pay for moving them.
func (q *product[T]) packsB(g *geometry, height int) bool {
	return q.transB || height > 2*g.rows && uintptr(q.rowB)*g.size%aliasing == 0
}

// packStrip packs rows top to bottom of A: their columns first to last, one
// after the other.
func (q *product[T]) packStrip(g *geometry, dst []T, top, bottom, first, last int) {
	if q.colA == 1 {
		transposeInto(g, dst, g.strip, q.a, q.rowA, top, bottom, first, last)
		return
	}
	for p := first; p < last; p++ {
		copy(dst, q.a[p*q.colA+top:p*q.colA+bottom])
		dst = dst[g.strip:]
	}
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

// copyPanel copies cols columns of rows of a matrix, from row first on, into dst, in
// rows of width elements.
func copyPanel[T Number](g *geometry, dst []T, width int, src []T, row, rows, cols, first int) {
	if cols == g.panel && inAssembly[T]() && rows > 0 {
		from, to := src[first*row:][:(rows-1)*row+cols], dst[:(rows-1)*width+cols]
		g.copyPanel(&transposition{src: unsafe.Pointer(&from[0]), srcRow: uintptr(row) * g.size, rows: rows,
			dst: unsafe.Pointer(&to[0]), dstRow: uintptr(width) * g.size})
		return
	}
	for p := first; p < first+rows; p++ {
		copy(dst, src[p*row:][:cols])
		dst = dst[min(width, len(dst)):]
	}
}

// cut is where part i of n begins when it is cut into parts that differ by one
// at most.
func cut(n, parts, i int) int { return n/parts*i + min(i, n%parts) }
