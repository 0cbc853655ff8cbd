package vec

import (
	"fmt"
	"unsafe"
)

// Windows are how the rows of the left operand of a product lie, where these are
// the patches of a convolution: nowhere as a matrix, but within the image, where
// they overlap. Distances and sizes count elements.
//
// Row i of a Line begins i·Step after the first. It is Length elements, and as
// many of each of the image's lines that the window spans, which are Next apart.
type Windows struct {
	Rows, Step   int
	Length, Next int
}

// A Line is Windows.Rows rows of a product: Result is where the first begins in C.
// Of the lines of its windows, Lines from First on are in the image; Source is
// where the first of these begins in A. The others are zeros.
type Line struct {
	Source, Result int
	First, Lines   int
}

// Panels are the right operand of products with Windows, which has a row for each
// element of a window.
type Panels[T Number] struct {
	k, n  int
	b     []T
	row   int // from a row of b to the next
	panel int // from a panel of b to the next
	width int // of a panel
	own   *scratch[T]
}

// WindowsInAssembly says whether there are products with Windows for elements of
// type T on this machine.
func WindowsInAssembly[T Number]() bool { return inAssembly[T]() }

// NewPanels readies a k×n matrix in rows of ldb elements for products with so many
// rows in all. It panics if b is too short.
func NewPanels[T Number](k, n int, b []T, ldb, rows int) *Panels[T] {
	mustHold("B", b, ldb, k, n)
	g := geometryOf(unsafe.Sizeof(b[0]))
	p := &Panels[T]{k: k, n: n, b: b, row: ldb, panel: g.panel, width: g.panel}
	if n <= g.panel || rows < 16*g.rows {
		return p
	}
	count := (n-1)/g.panel + 1
	p.own = borrow[T](count * k * g.panel)
	p.b, p.row, p.panel = p.own.s, g.panel, k*g.panel
	for j := range count {
		left := j * g.panel
		to, w := p.b[j*p.panel:], min(g.panel, n-left)
		for i := range k {
			copy(to[i*g.panel:][:w], b[i*ldb+left:])
		}
	}
	return p
}

// Close lets go of the matrix.
func (p *Panels[T]) Close() {
	if p.own != nil {
		p.own.giveBack()
		p.own = nil
	}
}

// Multiply computes lines of C, whose rows are ldc elements apart. An element of C
// is summed up in the order of its window, as Gemm does it: in blocks of at most
// GemmBlock, of whole lines of the window if these are shorter. It panics if
// something lies outside of A, B or C.
func (p *Panels[T]) Multiply(w Windows, lines []Line, a, c []T, ldc int) {
	for i := range lines {
		p.check(&w, &lines[i], len(a), len(c), ldc)
	}
	g := geometryOf(unsafe.Sizeof(a[0]))
	strips := (w.Rows-1)/g.rows + 1
	together := max(1, GemmBlock/w.Length) // lines of a window that make a block
	size := int(g.size)
	t := tile{rowA: uintptr(w.Step * size), colA: g.size, rowB: uintptr(p.row * size), rowC: uintptr(ldc * size)}
	for left := 0; left < p.n; left += p.width {
		panel, cols := unsafe.Pointer(&p.b[left/p.width*p.panel]), min(p.width, p.n-left)
		for first := 0; first*w.Length < p.k; first += together {
			for at := 0; at < w.Length; at += GemmBlock { // once, unless a line is longer
				t.k = min(GemmBlock, w.Length-at)
				t.jump = uintptr((w.Next - t.k) * size)
				for i := range lines {
					l := &lines[i]
					from, to := max(first, l.First), min(first+together, l.First+l.Lines)
					if from >= to {
						continue
					}
					t.stretches, t.add = to-from, 1
					if from == l.First && at == 0 {
						t.add = 0
					}
					t.b = unsafe.Add(panel, (from*w.Length+at)*p.row*size)
					source, result := l.Source+(from-l.First)*w.Next+at, l.Result+left
					for s := range strips {
						row, next := cut(w.Rows, strips, s), cut(w.Rows, strips, s+1)
						t.a, t.c = unsafe.Pointer(&a[source+row*w.Step]), unsafe.Pointer(&c[result+row*ldc])
						g.run(next-row, cols, &t)
					}
				}
			}
		}
	}
}

// check panics unless the line is one of A and C.
func (p *Panels[T]) check(w *Windows, l *Line, a, c, ldc int) {
	switch {
	case w.Rows <= 0 || w.Length <= 0 || w.Step < 0 || w.Next < 0 || ldc < p.n || l.First < 0 || l.Lines <= 0 || l.Source < 0 || l.Result < 0,
		(l.First+l.Lines)*w.Length > p.k,
		l.Source+(w.Rows-1)*w.Step+(l.Lines-1)*w.Next+w.Length > a,
		l.Result+(w.Rows-1)*ldc+p.n > c:
		panic(fmt.Sprintf("vec: %+v of %+v, %d columns, are not in %d and %d elements", *l, *w, p.n, a, c))
	}
}
