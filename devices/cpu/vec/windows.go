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
//
// The first Before elements of each of these lines are beyond the edge of the image for the first row,
// and the last After elements for the last row. They are left out, and need not be in A: see
// [LeavesOut].
type Windows struct {
	Rows, Step    int
	Length, Next  int
	Before, After int
}

// LeavesOut reports whether products with windows of type T and n columns may leave out what w says
// is beyond edges: a step at most on either side.
func LeavesOut[T Number](w *Windows, n int) bool {
	var z T
	if _, ok := any(z).(float32); !ok || isa == portable {
		return false
	}
	g := geometryOf(4)
	strips := (w.Rows-1)/g.rows + 1
	return w.Before >= 0 && w.After >= 0 && max(w.Before, w.After) <= w.Step && w.Before+w.After <= w.Length &&
		w.Rows/strips >= leastEdge && (n-1)%g.panel >= g.lanes
}

// edges returns how many of the products from one on of each line of a window, so many, the first row
// leaves out, and how many of the last ones the last row.
func (w *Windows) edges(from, many int) (head, tail int) {
	return min(max(w.Before-from, 0), many), min(max(from+many-w.Length+w.After, 0), many)
}

// A Line is Windows.Rows rows of a product: Result is where the first begins in C.
// Of the lines of its windows, Lines from First on are in the image; Source is
// where the first of these begins in A, -Windows.Before at least. The others are zeros. A Line without
// lines is left out.
type Line struct {
	Source, Result int
	First, Lines   int
}

// Panels are the right operand of products with Windows, which has a row for each
// element of a window. They can be opened again and again.
type Panels[T Number] struct {
	// Ended is asked now and then whether nobody waits for C any more: what it has is
	// undefined then. It is set after Open; nil: nobody is asked.
	Ended func() bool
	// Finish is what is done with the elements of C in the end, those of lines that are left
	// out apart; of float32, and set after Open.
	Finish Finish

	k, n  int
	b     []T
	row   int // from a row of b to the next
	panel int // from a panel of b to the next
	width int // of a panel
	own   *Scratch[T]
}

// WindowsInAssembly reports whether there are products with Windows for elements of
// type T on this machine.
func WindowsInAssembly[T Number]() bool { return inAssembly[T]() }

// Open readies a k×n matrix in rows of ldb elements for products with so many rows in
// all. It panics if b is too short.
func (p *Panels[T]) Open(k, n int, b []T, ldb, rows int) {
	mustHold("B", b, ldb, k, n)
	g := geometryOf(unsafe.Sizeof(b[0]))
	*p = Panels[T]{k: k, n: n, b: b, row: ldb, panel: g.panel, width: g.panel}
	least := 128 * g.rows // rows that pay for packing, which one core does while others wait
	if uintptr(ldb)*g.size >= aliasing/2 {
		least = 16 * g.rows // without it products take a seventh longer
	}
	if n <= g.panel || rows < least {
		return
	}
	count := (n-1)/g.panel + 1
	p.own = Borrow[T](count * k * g.panel)
	p.b, p.row, p.panel = p.own.s, g.panel, k*g.panel
	for j := range count {
		left := j * g.panel
		copyPanel(g, p.b[j*p.panel:], g.panel, b[left:], ldb, k, min(g.panel, n-left), 0)
	}
}

// Close releases the matrix.
func (p *Panels[T]) Close() {
	if p.own != nil {
		p.own.GiveBack()
	}
	*p = Panels[T]{}
}

// Multiply computes lines of C, whose rows are ldc elements apart. An element of C
// is summed up in the order of its window, as Gemm does it: in blocks of at most
// GemmBlock, of whole lines of the window if these are shorter. It panics if
// something lies outside of A, B or C.
func (p *Panels[T]) Multiply(w Windows, lines []Line, a, c []T, ldc int) {
	m := p.multiplying(w, lines, a, c, ldc)
	for left := 0; left < p.n; left += p.width {
		for b := m.firstBlock(); b.line*w.Length < p.k; b = m.nextBlock(b) {
			if m.ended.after(len(lines) * w.Rows * min(p.width, p.n-left) * m.depth(b)) {
				return
			}
			for i := range lines {
				m.line(&lines[i], b, left)
			}
		}
	}
}

// Count is how many panels there are.
func (p *Panels[T]) Count() int { return (p.n + p.width - 1) / p.width }

// Sweep is Multiply for the columns of C that panels from to end-1 make, where lines are
// few and B comes from afar: it goes through B block by block, in each through all of these
// panels, and asks for the next block meanwhile, a few rows at a time. Rows that lie 2 KiB
// apart meet in a few sets of the caches if only a panel's part of each is there, and are not
// what a processor looks ahead for.
func (p *Panels[T]) Sweep(from, end int, w Windows, lines []Line, a, c []T, ldc int) {
	m := p.multiplying(w, lines, a, c, ldc)
	left, right := from*p.width, min(p.n, end*p.width)
	var z T
	size := int(unsafe.Sizeof(z))
	for b := m.firstBlock(); b.line*w.Length < p.k; {
		if m.ended.after(len(lines) * w.Rows * (right - left) * m.depth(b)) {
			return
		}
		next := m.nextBlock(b)
		row := next.line*w.Length + next.at
		rows := max(min(m.depth(next), p.k-row), 0)
		if p.own != nil { // what was packed just now is near
			rows = 0
		}
		some := rows/((end-from)*len(lines)) + 1
		for j := left; j < right; j += p.width {
			for i := range lines {
				if n := min(some, rows); n > 0 {
					prefetchRows((*byte)(unsafe.Pointer(&p.b[row*p.row+left])), uintptr(p.row*size), n, ((right-left)*size+63)/64)
					row, rows = row+n, rows-n
				}
				m.line(&lines[i], b, j)
			}
		}
		b = next
	}
}

// A multiplying is a product of Panels with Windows under way.
type multiplying[T Number] struct {
	p        *Panels[T]
	g        *geometry
	w        Windows
	a, c     []T
	ldc      int
	strips   int     // of a line's rows
	heights  cutting // of strips
	together int     // lines of a window that make a block
	tile     tile
	finish   finishing
	ended    asked
}

// A block is some of the products that make up an element: lines of the window from one on, or, where these are
// long, elements of one.
type block struct{ line, at int }

func (p *Panels[T]) multiplying(w Windows, lines []Line, a, c []T, ldc int) multiplying[T] {
	for i := range lines {
		if lines[i].Lines != 0 {
			p.check(&w, &lines[i], len(a), len(c), ldc)
		}
	}
	g := geometryOf(unsafe.Sizeof(a[0]))
	size, strips := int(g.size), (w.Rows-1)/g.rows+1
	return multiplying[T]{p: p, g: g, w: w, a: a, c: c, ldc: ldc, strips: strips, heights: cutInto(w.Rows, strips), together: max(1, GemmBlock/w.Length),
		tile:   tile{rowA: uintptr(w.Step * size), colA: g.size, rowB: uintptr(p.row * size), rowC: uintptr(ldc * size)},
		finish: p.Finish.run(), ended: asked{p.Ended, 0}}
}

func (m *multiplying[T]) firstBlock() block { return block{} }

func (m *multiplying[T]) nextBlock(b block) block {
	if b.at += GemmBlock; b.at < m.w.Length { // never, unless a line is longer
		return b
	}
	return block{b.line + m.together, 0}
}

// depth returns how many products of an element a block has at most.
func (m *multiplying[T]) depth(b block) int { return min(GemmBlock, m.w.Length-b.at) * m.together }

// line adds what a block gives to the rows of a line, in the columns of a panel.
func (m *multiplying[T]) line(l *Line, b block, left int) {
	p, g, w, t := m.p, m.g, m.w, &m.tile
	from, to := max(b.line, l.First), min(b.line+m.together, l.First+l.Lines)
	if from >= to {
		return
	}
	size := int(g.size)
	t.k = min(GemmBlock, w.Length-b.at)
	t.jump = uintptr((w.Next - t.k) * size)
	t.stretches, t.add = to-from, 1
	if from == l.First && b.at == 0 {
		t.add = 0
	}
	t.b = unsafe.Add(unsafe.Pointer(&p.b[left/p.width*p.panel]), (from*w.Length+b.at)*p.row*size)
	source, result := l.Source+(from-l.First)*w.Next+b.at, l.Result+left
	if t.finish = (finishing{}); m.finish.what != 0 && to == l.First+l.Lines && b.at+t.k == w.Length {
		t.finish = m.finish.from(left, result)
	}
	vectors := g.wide(min(p.width, p.n-left), t)
	head, tail := w.edges(b.at, t.k)
	for s := range m.strips {
		rows := m.heights.of(s)
		t.c = unsafe.Pointer(&m.c[result])
		t.finish.moveTo(result, &m.finish)
		if t.head, t.tail = 0, 0; s == 0 {
			t.head = head
		}
		if s == m.strips-1 {
			t.tail = tail
		}
		if t.head+t.tail > 0 {
			t.a = unsafe.Pointer(&m.a[source+w.Step])
			g.runEdge(rows, t)
		} else {
			t.a = unsafe.Pointer(&m.a[source])
			g.runWide(rows, vectors, t)
		}
		source, result = source+rows*w.Step, result+rows*m.ldc
	}
}

// AddTransposed adds to C, which has a row for each element of a window and n
// columns, the transposed rows of lines times those of B: what the filter of a
// convolution gets of its gradient. Here Result is where a line's first row begins
// in B. The lines are one image's, and each as far from the one before as the
// second is from the first. Sums are made in the order of the rows, in blocks of at
// most GemmBlock, of whole lines if these are shorter. It panics if something lies
// outside of A, B or C. For ended see [Panels].Ended.
func AddTransposed[T Number](w Windows, lines []Line, n int, a, b []T, ldb int, c []T, ldc int, ended func() bool) {
	if len(lines) == 0 {
		return
	}
	far := 0 // from an element of a line to that of the next
	for i := range lines {
		l := &lines[i]
		p := Panels[T]{k: w.Length * (l.First + l.Lines), n: n}
		p.check(&w, l, len(a), len(b), ldb)
		if mustHold("C", c, ldc, p.k, n); i == 0 {
			continue
		}
		before := &lines[i-1]
		apart := l.Source - before.Source - (l.First-before.First)*w.Next
		if i == 1 {
			far = apart
		}
		if apart != far || far < 0 || l.Result-before.Result != w.Rows*ldb || l.First > before.First || l.First+l.Lines > before.First+before.Lines {
			panic(fmt.Sprintf("vec: %+v does not follow %+v", *l, *before))
		}
	}
	g := geometryOf(unsafe.Sizeof(a[0]))
	size := int(g.size)
	together := max(1, GemmBlock/w.Rows) // lines that make a block
	t := tile{rowA: g.size, colA: uintptr(w.Step * size), rowB: uintptr(g.panel * size), rowC: uintptr(ldc * size), add: 1}
	panel := Borrow[T](min(GemmBlock, len(lines)*w.Rows) * g.panel)
	defer panel.GiveBack()
	end := lines[0].First + lines[0].Lines
	asking := asked{ended, 0}
	columns, regions := w.columns()
	for first := 0; first < len(lines); first += together {
		block := lines[first:min(first+together, len(lines))]
		for at := 0; at < w.Rows; at += GemmBlock { // once, unless a line is longer
			k := min(GemmBlock, w.Rows-at)
			for left := 0; left < n; left += g.panel {
				cols := min(g.panel, n-left)
				rows := k // of B
				if at == 0 && w.Rows <= GemmBlock {
					rows = len(block) * w.Rows
				}
				copyPanel(g, panel.s, g.panel, b[block[0].Result+left:], ldb, rows, cols, at)
				vectors := g.wide(cols, &t)
				for line := block[len(block)-1].First; line < end; line++ { // of the window
					from, to := 0, len(block) // of those that have this line of the window
					for from < to && block[from].First > line {
						from++
					}
					for from < to && block[to-1].First+block[to-1].Lines <= line {
						to--
					}
					if from == to {
						continue
					}
					if asking.after((to - from) * k * w.Length * cols) {
						return
					}
					l := &block[from]
					source := l.Source + (line-l.First)*w.Next + at*w.Step
					t.stretches = to - from
					for _, e := range columns[:regions] {
						skip := 0 // rows of the line that these elements of the window have no part in
						if at == 0 {
							skip = e.first
						}
						if t.k = k - skip; at+k == w.Rows {
							t.k -= e.last
						}
						if t.k == 0 {
							continue
						}
						t.jump, t.jumpB = uintptr((far-t.k*w.Step)*size), uintptr((k-t.k)*g.panel*size)
						t.b = unsafe.Pointer(&panel.s[(from*w.Rows+skip)*g.panel])
						strips := (e.end-e.from-1)/g.rows + 1
						heights := cutInto(e.end-e.from, strips)
						row := e.from
						for s := range strips {
							rows := heights.of(s)
							t.a, t.c = unsafe.Pointer(&a[source+skip*w.Step+row]), unsafe.Pointer(&c[(line*w.Length+row)*ldc+left])
							g.runWide(rows, vectors, &t)
							row += rows
						}
					}
				}
			}
		}
	}
}

// A windowColumns is elements of a window's line that the first rows of a Line or the last ones have
// beyond an edge: 0 or 1 of them.
type windowColumns struct{ from, end, first, last int }

// columns returns the elements of a window's line in so many parts, cut where edges are.
func (w *Windows) columns() (list [3]windowColumns, n int) {
	for _, c := range [3]windowColumns{{0, w.Before, 1, 0}, {w.Before, w.Length - w.After, 0, 0}, {w.Length - w.After, w.Length, 0, 1}} {
		if c.from < c.end {
			list[n] = c
			n++
		}
	}
	return list, n
}

// An asked function is called after each so much work.
type asked struct {
	ended func() bool
	work  int // multiplications since it was called
}

// after reports whether all has ended, now that so many multiplications are to follow.
func (a *asked) after(work int) bool {
	if a.work += work; a.work < askAfter || a.ended == nil {
		return false
	}
	a.work = work
	return a.ended()
}

// askAfter is how many multiplications are done without asking: less than a millisecond
// of them.
const askAfter = 1 << 22

// check panics unless the line is one of A and C.
func (p *Panels[T]) check(w *Windows, l *Line, a, c, ldc int) {
	switch {
	case w.Rows <= 0 || w.Length <= 0 || w.Step < 0 || w.Next < 0 || ldc < p.n || l.First < 0 || l.Lines <= 0 || l.Source < -w.Before || l.Result < 0,
		(w.Before != 0 || w.After != 0) && !LeavesOut[T](w, p.n),
		(l.First+l.Lines)*w.Length > p.k,
		l.Source+(w.Rows-1)*w.Step+(l.Lines-1)*w.Next+w.Length-w.After > a,
		l.Result+(w.Rows-1)*ldc+p.n > c,
		p.Finish.short(p.n, c):
		panic(fmt.Sprintf("vec: %+v of %+v, %d columns, are not in %d and %d elements", *l, *w, p.n, a, c))
	}
}
