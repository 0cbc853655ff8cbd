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
	done := 0
	if isa != portable {
		g := geometryOf(unsafe.Sizeof(src[0]))
		done = rows - rows%g.lanes
		t := transposition{srcRow: uintptr(srcRow) * g.size, rows: g.lanes, dstRow: uintptr(dstRow) * g.size}
		for j := 0; j < cols; j += transposeColumns {
			t.cols = min(transposeColumns, cols-j)
			for i := 0; i < done; i += g.lanes {
				t.src, t.dst = unsafe.Pointer(&src[i*srcRow+j]), unsafe.Pointer(&dst[j*dstRow+i])
				g.transpose(&t)
			}
		}
	}
	transposePortable(dst, dstRow, src, srcRow, done, rows, cols)
}

// TransposeFloats is [Transpose] for numbers.
func TransposeFloats(dst []float32, dstRow int, src []float32, srcRow, rows, cols int) {
	if len(dst) > 0 && len(src) > 0 {
		Transpose(unsafe.Slice((*uint32)(unsafe.Pointer(&dst[0])), len(dst)), dstRow, unsafe.Slice((*uint32)(unsafe.Pointer(&src[0])), len(src)), srcRow, rows, cols)
	}
}

// transposePortable transposes rows top to bottom-1, in squares whose lines
// stay in the cache.
func transposePortable[T uint32 | uint64](dst []T, dstRow int, src []T, srcRow, top, bottom, cols int) {
	const edge = 32
	for i := top; i < bottom; i += edge {
		end := min(i+edge, bottom)
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
