package vec

import "unsafe"

// stripBytes is how much of A is worked on at a time: less than half of a core's
// second cache, through which panels of B and the rows of C pass as well.
const stripBytes = 448 << 10

// A part is some strips of rows of C, some of its columns, and some of the products
// that make up an element.
type part struct {
	top, bottom int // strips
	left, right int // columns
	first, last int // products; first is a multiple of GemmBlock
}

// whole returns all of a product.
func (q *product[T]) whole(g *geometry) part { return part{0, q.strips(g), 0, q.n, 0, q.k} }

// strips returns how many strips the rows are cut into; see cut.
func (q *product[T]) strips(g *geometry) int { return max((q.m-1)/g.rows+1, q.least) }

// together returns how many strips of A are worked on at a time.
func (q *product[T]) together(g *geometry) int {
	return max(1, stripBytes/(g.strip*min(GemmBlock, q.k)*int(g.size)))
}

// compute computes a part. The order of its loops is that of K. Goto and R. A. van
// de Geijn, Anatomy of High-Performance Matrix Multiplication (2008), without a
// loop for what needs none: a panel of B stays in the nearest cache while the
// strips of A pass by. Operands are packed only if reading them where they are
// would be slower, and if they have not been packed before.
func (q *product[T]) compute(g *geometry, p part) {
	strips, width := q.strips(g), q.width(g)
	heights := cutInto(q.m, strips)
	block := min(GemmBlock, p.last-p.first)
	together := min(p.bottom-p.top, q.together(g))
	t := tile{rowC: uintptr(q.rowC) * g.size,
		rowA: uintptr(q.rowA) * g.size, colA: uintptr(q.colA) * g.size, rowB: uintptr(q.rowB) * g.size}
	var a, b *Scratch[T]
	packedA, packedB := q.packedA.s != nil, q.packedB.s != nil
	if !packedA && q.packsA(g) {
		a = Borrow[T](together * g.strip * block)
	}
	if packedA || a != nil {
		t.rowA, t.colA = g.size, uintptr(g.strip)*g.size
	}
	again := 0 // from one packed panel to the next, where all are kept for more strips
	if !packedB && q.packsB(g) {
		size := width * block
		if together < p.bottom-p.top {
			again, size = size, ((p.right-p.left-1)/width+1)*size
		}
		b = Borrow[T](size)
	}
	if packedB || b != nil {
		t.rowB = uintptr(width) * g.size
	}
	for first := p.first; first < p.last; first += GemmBlock {
		t.k = min(GemmBlock, p.last-first)
		t.add = 1
		if !q.add && first == 0 {
			t.add = 0
		}
		for s := p.top; s < p.bottom; s += together {
			end := min(s+together, p.bottom)
			if a != nil {
				for i := s; i < end; i++ {
					q.packStrip(g, a.s[(i-s)*g.strip*t.k:], i, first, first+t.k)
				}
			}
			for j := p.left; j < p.right; j += width {
				w := min(width, p.right-j)
				switch {
				case packedB:
					t.b = q.packedB.at(j/width, first)
				case b != nil:
					panel := b.s[(j-p.left)/width*again:]
					if s == p.top || again == 0 {
						q.packPanel(g, panel, width, j, j+w, first, first+t.k)
					}
					t.b = unsafe.Pointer(&panel[0])
				default:
					t.b = unsafe.Pointer(&q.b[first*q.rowB+j])
				}
				vectors, row := g.wide(w, &t), heights.begin(s)
				if t.finish = (finishing{}); q.finish.what != 0 && first+t.k == q.k {
					t.finish = q.finish.from(j, row*q.rowC+j)
				}
				for i := s; i < end; i++ {
					rows := heights.of(i)
					switch {
					case packedA:
						t.a = q.packedA.at(i, first)
					case a != nil:
						t.a = unsafe.Pointer(&a.s[(i-s)*g.strip*t.k])
					default:
						t.a = unsafe.Pointer(&q.a[row*q.rowA+first*q.colA])
					}
					t.c = unsafe.Pointer(&q.c[row*q.rowC+j])
					t.finish.moveTo(row*q.rowC+j, &q.finish)
					g.runWide(rows, vectors, &t)
					row += rows
				}
			}
		}
	}
	if a != nil {
		a.GiveBack()
	}
	if b != nil {
		b.GiveBack()
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
	b, c, finish := t.b, t.c, t.finish
	for t.k = min(GemmBlock, k); k > 0; t.k = min(GemmBlock, k) {
		for j := 0; j < n; j += width {
			t.b, t.c = unsafe.Add(b, j*int(g.size)), unsafe.Add(c, j*int(g.size))
			if t.finish = (finishing{}); t.k == k {
				t.finish = finish.from(j, j)
			}
			g.run(m, min(width, n-j), t)
		}
		if k -= t.k; k > 0 {
			t.a, b = unsafe.Add(t.a, t.k*int(t.colA)), unsafe.Add(b, t.k*int(t.rowB))
			t.add = 1
		}
	}
}

// width returns how many columns wide the tiles are.
func (q *product[T]) width(g *geometry) int {
	switch {
	case q.packedB.s != nil:
		return q.packedB.wide
	case q.transB:
		return g.panel
	}
	return q.tileWidth(g)
}

// tileWidth returns how wide the widest tiles for these rows are.
func (q *product[T]) tileWidth(g *geometry) int {
	return g.vectors((q.m-1)/q.strips(g)+1) * g.lanes
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

// A cutting is parts that differ by one at most: the first ones, more of them, are one longer than
// the others.
type cutting struct{ each, more int }

// cutInto cuts n into so many parts. It divides, which takes as long as some steps of a tile.
func cutInto(n, parts int) cutting { return cutting{n / parts, n % parts} }

// begin returns where a part begins.
func (c cutting) begin(i int) int { return c.each*i + min(i, c.more) }

// of returns how long a part is.
func (c cutting) of(i int) int {
	if i < c.more {
		return c.each + 1
	}
	return c.each
}

// cut returns where part i of n begins when it is cut into so many.
func cut(n, parts, i int) int { return cutInto(n, parts).begin(i) }
