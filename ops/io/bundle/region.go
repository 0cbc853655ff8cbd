package bundle

import (
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

func sameDims(a, b []int64) bool { return slices.Equal(a, b) }

// copyRegion copies a box of dims elements from src, where it begins at from, to
// dst, where it begins at to. Both are of one dtype and of dims' rank.
func copyRegion(dst, src *tensor.Value, to, from, dims []int64) {
	if dst.DType() == tensor.String {
		box[string]{1, dst.Dims(), src.Dims(), to, from, dims}.copy(tensor.Of[string](dst), tensor.Of[string](src))
		return
	}
	size := int64(dst.DType().Size())
	box[byte]{size, dst.Dims(), src.Dims(), to, from, dims}.copy(tensor.Bytes(dst), tensor.Bytes(src))
}

// A box is a region to copy, of elements of size units of T each.
type box[T any] struct {
	size     int64
	dst, src []int64 // shapes
	to, from []int64
	dims     []int64
}

func (b box[T]) copy(dst, src []T) {
	rank := len(b.dims)
	if rank == 0 {
		copy(dst, src)
		return
	}
	last := rank - 1
	run := b.dims[last] * b.size
	for at := make([]int64, last); ; {
		d, s := int64(0), int64(0)
		for i := range last {
			d = d*b.dst[i] + b.to[i] + at[i]
			s = s*b.src[i] + b.from[i] + at[i]
		}
		d = (d*b.dst[last] + b.to[last]) * b.size
		s = (s*b.src[last] + b.from[last]) * b.size
		copy(dst[d:d+run], src[s:s+run])
		i := last - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < b.dims[i] {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return
		}
	}
}
