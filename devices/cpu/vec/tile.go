package vec

import "unsafe"

// A tile is one call of the assembly that multiplies matrices: a part of C a
// few rows high and a few vectors wide, whose sums stay in registers. Distances
// count bytes. The assembly knows the fields by their order.
type tile struct {
	a          unsafe.Pointer
	rowA, colA uintptr
	b          unsafe.Pointer // rows of whole vectors, of which the last may be shorter
	rowB       uintptr
	c          unsafe.Pointer
	rowC       uintptr
	k          int
	lanes      int // elements of the last vector
	add        int // 0: C is overwritten
	// The rows of A may be so many stretches of k elements each, one if it is 0,
	// with jump from the end of one to the next.
	stretches   int
	jump, jumpB uintptr // jumpB: likewise between the rows of B, 0 but for AddTransposed
	// Of tiles with edges: how many of the first products of each stretch the first row has no part
	// in, and of the last ones the last row. There a is the second row.
	head, tail int
	finish     finishing // of float32
}

// A transposition is a call of the assembly that turns rows into columns: a
// row of dst, which always gets a whole vector, is a column of src. There are at
// most as many rows as a vector has lanes.
type transposition struct {
	src    unsafe.Pointer
	srcRow uintptr
	rows   int
	cols   int
	dst    unsafe.Pointer
	dstRow uintptr
}

// A geometry is how the assembly for one element size cuts matrices up.
type geometry struct {
	size  uintptr // of an element
	lanes int     // elements in a vector
	rows  int     // of the highest tile
	panel int     // columns of a packed panel of B: two vectors
	strip int     // elements from column to column of a packed strip of A
}

// geometries are those of each instruction set for elements of 4 and of 8 bytes.
var geometries = [...][2]geometry{
	portable: {newGeometry(4, 32, 6, 8), newGeometry(8, 32, 6, 8)},
	avx2:     {newGeometry(4, 32, 6, 8), newGeometry(8, 32, 6, 8)},
	avx512:   {newGeometry(4, 64, 14, 16), newGeometry(8, 64, 14, 16)},
}

func newGeometry(size, vector, rows, strip int) geometry {
	lanes := vector / size
	return geometry{size: uintptr(size), lanes: lanes, rows: rows, panel: 2 * lanes, strip: strip}
}

func geometryOf(size uintptr) *geometry { return &geometries[isa][size/8&1] }

// vectors returns how many vectors wide a tile of so many rows may be.
func (g *geometry) vectors(rows int) int {
	switch {
	case rows == 1 && isa == avx512:
		return 16
	case rows == 1:
		return 8
	case rows == 2, rows == 3 && isa == avx512:
		return 4
	}
	return 2
}

// run runs a tile of that many rows and columns.
func (g *geometry) run(rows, cols int, t *tile) { g.runWide(rows, g.wide(cols, t), t) }

// wide makes t that many columns wide, and returns how many vectors these are.
func (g *geometry) wide(cols int, t *tile) (vectors int) {
	vectors = (cols-1)/g.lanes + 1
	t.lanes = cols - (vectors-1)*g.lanes
	return vectors
}

// runWide runs a tile of that many rows and of the vectors that wide returned.
func (g *geometry) runWide(rows, vectors int, t *tile) {
	switch {
	case isa == avx512 && g.size == 4:
		runF32AVX512(rows, vectors, t)
	case isa == avx512:
		runF64AVX512(rows, vectors, t)
	case g.size == 4:
		runF32AVX2(rows, vectors, t)
	default:
		runF64AVX2(rows, vectors, t)
	}
}

// leastEdge is how many rows a tile with edges has at least.
const leastEdge = 4

// runEdge runs a tile of float32 with edges, of that many rows and two vectors.
func (g *geometry) runEdge(rows int, t *tile) {
	if isa == avx512 {
		runEdgeF32AVX512(rows, t)
	} else {
		runEdgeF32AVX2(rows, t)
	}
}

// transpose runs a transposition.
func (g *geometry) transpose(t *transposition) {
	switch {
	case isa == avx512 && g.size == 4:
		transposeF32AVX512(t)
	case isa == avx512:
		transposeF64AVX512(t)
	case g.size == 4:
		transposeF32AVX2(t)
	default:
		transposeF64AVX2(t)
	}
}

// copyPanel copies rows of two vectors each; the transposition's cols do not count.
func (g *geometry) copyPanel(t *transposition) {
	if isa == avx512 {
		copyPanelAVX512(t)
	} else {
		copyPanelAVX2(t)
	}
}

// transposeInto writes columns lo to hi of rows top to bottom of a matrix into
// dst, as rows of width elements.
func transposeInto[T Number](g *geometry, dst []T, width int, src []T, row, top, bottom, lo, hi int) {
	t := transposition{srcRow: uintptr(row) * g.size, cols: hi - lo, dstRow: uintptr(width) * g.size}
	for i := top; i < bottom; i += g.lanes {
		t.src = unsafe.Pointer(&src[i*row+lo])
		t.rows = min(g.lanes, bottom-i)
		t.dst = unsafe.Pointer(&dst[i-top])
		g.transpose(&t)
	}
}
