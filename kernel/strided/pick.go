package strided

import "github.com/troupe-go/troupe/tensor"

// Gather sets consecutive runs of n elements of dst, from element d on, to the
// runs of src that rows names: run i is the n elements from s+rows[i]*n on. The
// values have the same dtype and all runs are inside them.
func Gather(dst *tensor.Value, d int, src *tensor.Value, s int, rows []int64, n int) {
	switch dt := dst.DType().Base(); dt {
	case tensor.String:
		gather(tensor.Of[string](dst)[d:], tensor.Of[string](src)[s:], rows, n)
	case tensor.Resource:
		gather(tensor.Of[*tensor.Handle](dst)[d:], tensor.Of[*tensor.Handle](src)[s:], rows, n)
	case tensor.Variant:
		gather(tensor.Of[*tensor.Object](dst)[d:], tensor.Of[*tensor.Object](src)[s:], rows, n)
	default:
		switch dt.Size() {
		case 1:
			gather(tensor.Words[uint8](dst)[d:], tensor.Words[uint8](src)[s:], rows, n)
		case 2:
			gather(tensor.Words[uint16](dst)[d:], tensor.Words[uint16](src)[s:], rows, n)
		case 4:
			gather(tensor.Words[uint32](dst)[d:], tensor.Words[uint32](src)[s:], rows, n)
		case 8:
			gather(tensor.Words[uint64](dst)[d:], tensor.Words[uint64](src)[s:], rows, n)
		default:
			gather(tensor.Words[complex128](dst)[d:], tensor.Words[complex128](src)[s:], rows, n)
		}
	}
}

func gather[T tensor.Element](dst, src []T, rows []int64, n int) {
	if n == 1 {
		dst = dst[:len(rows)]
		for i, r := range rows {
			dst[i] = src[r]
		}
		return
	}
	for i, r := range rows {
		copy(dst[i*n:(i+1)*n], src[int(r)*n:(int(r)+1)*n])
	}
}

// Scatter is the opposite of Gather from and to the first elements: the runs of
// dst that rows names are set to consecutive runs of src, the last one wins.
func Scatter(dst, src *tensor.Value, rows []int64, n int) {
	switch dt := dst.DType().Base(); dt {
	case tensor.String:
		scatter(tensor.Of[string](dst), tensor.Of[string](src), rows, n)
	case tensor.Resource:
		scatter(tensor.Of[*tensor.Handle](dst), tensor.Of[*tensor.Handle](src), rows, n)
	case tensor.Variant:
		scatter(tensor.Of[*tensor.Object](dst), tensor.Of[*tensor.Object](src), rows, n)
	default:
		switch dt.Size() {
		case 1:
			scatter(tensor.Words[uint8](dst), tensor.Words[uint8](src), rows, n)
		case 2:
			scatter(tensor.Words[uint16](dst), tensor.Words[uint16](src), rows, n)
		case 4:
			scatter(tensor.Words[uint32](dst), tensor.Words[uint32](src), rows, n)
		case 8:
			scatter(tensor.Words[uint64](dst), tensor.Words[uint64](src), rows, n)
		default:
			scatter(tensor.Words[complex128](dst), tensor.Words[complex128](src), rows, n)
		}
	}
}

func scatter[T tensor.Element](dst, src []T, rows []int64, n int) {
	for i, r := range rows {
		copy(dst[int(r)*n:(int(r)+1)*n], src[i*n:(i+1)*n])
	}
}
