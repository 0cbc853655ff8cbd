package vec

import "unsafe"

// thinWidth is how many columns wide the tiles of rows rows are.
func (q *product[T]) thinWidth(g geometry, rows int) int {
	if q.transB {
		return g.panel
	}
	strips := (rows-1)/g.rows + 1
	return g.vectors((rows-1)/strips+1) * g.lanes
}

// thin computes rows top to bottom of columns left to right. It reads A and B
// where they are, except that it packs a transposed B, one panel at a time.
func (q *product[T]) thin(g geometry, top, bottom, left, right int) {
	strips := (bottom-top-1)/g.rows + 1
	width := q.thinWidth(g, bottom-top)
	t := tile{rowA: uintptr(q.rowA) * g.size, colA: uintptr(q.colA) * g.size,
		rowB: uintptr(q.rowB) * g.size, rowC: uintptr(q.rowC) * g.size}
	var packed *scratch[T]
	if q.transB {
		packed = borrow[T](GemmBlock * width)
		t.rowB = uintptr(width) * g.size
	}
	for j := left; j < right; j += width {
		w := min(width, right-j)
		for p := 0; p < q.k; p += GemmBlock {
			t.k = min(GemmBlock, q.k-p)
			t.add = 0
			if q.add || p > 0 {
				t.add = 1
			}
			if q.transB {
				transposeInto(g, packed.s, width, q.b, q.rowB, j, j+w, p, p+t.k)
				t.b = unsafe.Pointer(&packed.s[0])
			} else {
				t.b = unsafe.Pointer(&q.b[p*q.rowB+j])
			}
			for i, s := top, 0; s < strips; s++ {
				next := top + cut(bottom-top, strips, s+1)
				t.a = unsafe.Pointer(&q.a[i*q.rowA+p*q.colA])
				t.c = unsafe.Pointer(&q.c[i*q.rowC+j])
				g.run(next-i, w, &t)
				i = next
			}
		}
	}
	if packed != nil {
		packed.giveBack()
	}
}
