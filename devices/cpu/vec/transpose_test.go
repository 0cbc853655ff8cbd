package vec

import "testing"

// Matrices of many sizes, that end where no memory is mapped; what lies between
// the rows of the result stays as it is.
func TestTranspose(t *testing.T) {
	sizes := []int{1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 67, 130}
	eachISA(t, func(t *testing.T) {
		for _, rows := range sizes {
			for _, cols := range sizes {
				transposeOnce[uint32](t, rows, cols)
				transposeOnce[uint64](t, rows, cols)
			}
		}
	})
}

func transposeOnce[T uint32 | uint64](t *testing.T, rows, cols int) {
	t.Helper()
	for gap := range 3 {
		srcRow, dstRow := cols+gap, rows+2*gap
		src := guarded[T](t, (rows-1)*srcRow+cols)
		dst := guarded[T](t, (cols-1)*dstRow+rows)
		for i := range src {
			src[i] = T(i + 1)
		}
		const untouched = 1 << 30
		for i := range dst {
			dst[i] = untouched
		}
		Transpose(dst, dstRow, src, srcRow, rows, cols)
		for i, got := range dst {
			want := T(untouched)
			if i%dstRow < rows {
				want = src[i%dstRow*srcRow+i/dstRow]
			}
			if got != want {
				t.Fatalf("%d×%d, %d and %d apart: element %d is %d, want %d", rows, cols, srcRow, dstRow, i, got, want)
			}
		}
	}
}
