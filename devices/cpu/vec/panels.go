package vec

import "unsafe"

// PanelColumns is how many columns a panel has that [MultiplyPanel] takes.
func PanelColumns() int { return geometryOf(4).panel }

// PanelRows is how many rows products with a panel are computed at a time: multiples of it are
// fastest.
func PanelRows() int { return geometryOf(4).rows }

// MultiplyPanel computes C = A·B of an m×k matrix A and a k×cols matrix B of at most
// PanelColumns, in rows of as many elements: all its rows have so many. Elements are summed up
// as [Gemm] does it. It panics if something lies outside.
func MultiplyPanel(m, cols, k int, a []float32, lda int, b, c []float32, ldc int) {
	g := geometryOf(4)
	mustHold("A", a, lda, m, k)
	mustHold("B", b, g.panel, k, g.panel)
	mustHold("C", c, ldc, m, cols)
	if isa == portable {
		q := rows[float32]{m: m, n: cols, k: k, a: a, rowA: lda, colA: 1, b: b, rowB: g.panel, c: c, rowC: ldc}
		q.compute(0, m)
		return
	}
	t := tile{rowA: uintptr(lda) * g.size, colA: g.size, rowB: uintptr(g.panel) * g.size, rowC: uintptr(ldc) * g.size}
	strips := (m-1)/g.rows + 1
	for first := 0; first < k; first += GemmBlock {
		t.k = min(GemmBlock, k-first)
		t.b = unsafe.Pointer(&b[first*g.panel])
		for s := range strips {
			row, next := cut(m, strips, s), cut(m, strips, s+1)
			t.a, t.c = unsafe.Pointer(&a[row*lda+first]), unsafe.Pointer(&c[row*ldc])
			g.run(next-row, cols, &t)
		}
		t.add = 1
	}
}
