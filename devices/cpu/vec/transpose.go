package vec

import "unsafe"

// transposeColumns is how many columns are transposed at a time, so that the
// rows they become stay within reach of the processor's page table.
const transposeColumns = 64

// Transpose sets dst[j*dstRow+i] to src[i*srcRow+j] for i < rows and j < cols:
// the transposition of a matrix whose rows are srcRow elements apart into one
// whose rows are dstRow apart, which may not overlap it. It panics if a matrix is
// not inside its slice or a row is not inside the distance of rows.
func Transpose[T uint32 | uint64](dst []T, dstRow int, src []T, srcRow, rows, cols int) {
	if rows <= 0 || cols <= 0 {
		return
	}
	if srcRow < cols || dstRow < rows {
		panic("vec: rows of a matrix overlap")
	}
	_, _ = src[(rows-1)*srcRow+cols-1], dst[(cols-1)*dstRow+rows-1]
	switch {
	case rows == 1 && dstRow == 1:
		copy(dst[:cols], src)
		return
	case cols == 1 && srcRow == 1:
		copy(dst[:rows], src)
		return
	case isa == portable:
		transposePortable(dst, dstRow, src, srcRow, rows, cols)
		return
	}
	g := geometryOf(unsafe.Sizeof(src[0]))
	t := transposition{srcRow: uintptr(srcRow) * g.size, rows: min(rows, g.lanes), dstRow: uintptr(dstRow) * g.size}
	whole := cols // columns whose rows in dst may get a whole vector
	if rows < g.lanes {
		if whole = 0; dstRow == rows { // what is too much of one is of the next, which comes later
			whole = max(0, cols-(g.lanes-1)/rows)
		}
	}
	for j := 0; j < whole; j += transposeColumns {
		t.cols = min(transposeColumns, whole-j)
		for i := 0; i < rows; i += g.lanes {
			i := max(0, min(i, rows-g.lanes)) // the last ones overlap those before
			t.src, t.dst = unsafe.Pointer(&src[i*srcRow+j]), unsafe.Pointer(&dst[j*dstRow+i])
			g.transpose(&t)
		}
	}
	if whole < cols {
		transposePortable(dst[whole*dstRow:], dstRow, src[whole:], srcRow, rows, cols-whole)
	}
}

// TransposeFloats is [Transpose] for numbers.
func TransposeFloats(dst []float32, dstRow int, src []float32, srcRow, rows, cols int) {
	if len(dst) > 0 && len(src) > 0 {
		Transpose(unsafe.Slice((*uint32)(unsafe.Pointer(&dst[0])), len(dst)), dstRow, unsafe.Slice((*uint32)(unsafe.Pointer(&src[0])), len(src)), srcRow, rows, cols)
	}
}

// transposePortable transposes in squares whose lines stay in the cache.
func transposePortable[T uint32 | uint64](dst []T, dstRow int, src []T, srcRow, rows, cols int) {
	const edge = 32
	for i := 0; i < rows; i += edge {
		end := min(i+edge, rows)
		for j := 0; j < cols; j += edge {
			for c := j; c < min(j+edge, cols); c++ {
				to := dst[c*dstRow+i : c*dstRow+end]
				for r := range to {
					to[r] = src[(i+r)*srcRow+c]
				}
			}
		}
	}
}
