package shape

import (
	"slices"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Sub returns the dimensions from lo up to but not including hi, each counted from
// the end if it is negative; [Shape.From] and [Shape.To] leave one of them out.
// Positions past the end mean the end. It is of unknown rank if s is.
func (s Shape) Sub(lo, hi int) Shape {
	if !s.known {
		return s
	}
	lo, hi = s.position(lo), s.position(hi)
	if lo >= hi {
		return Scalar
	}
	return Of(s.dims[lo:hi:hi]...)
}

// From returns the dimensions from lo on; a negative lo counts from the end.
func (s Shape) From(lo int) Shape { return s.Sub(lo, len(s.dims)) }

// To returns the dimensions before hi; a negative hi counts from the end.
func (s Shape) To(hi int) Shape { return s.Sub(0, hi) }

func (s Shape) position(i int) int {
	if i < 0 {
		i += len(s.dims)
	}
	return min(max(i, 0), len(s.dims))
}

// Concat returns the dimensions of all shapes, one after the other. It is of unknown
// rank if one of them is, and fails if the rank is more than a tensor can have.
func Concat(shapes ...Shape) (Shape, error) {
	rank, only := 0, -1
	for i, s := range shapes {
		if !s.known {
			return Shape{}, nil
		}
		if len(s.dims) > 0 {
			rank += len(s.dims)
			only = i
		}
	}
	switch {
	case only < 0:
		return Scalar, nil
	case rank == len(shapes[only].dims):
		return shapes[only], nil
	case rank > tensor.MaxRank:
		return Shape{}, rankError(rank)
	}
	dims := make([]int64, 0, rank)
	for _, s := range shapes {
		dims = append(dims, s.dims...)
	}
	return Of(dims...), nil
}

func rankError(rank int) error {
	return status.Invalid("the shape has %d dimensions, more than the %d allowed", rank, tensor.MaxRank)
}

// Insert is s with a dimension d before dimension i, 0 <= i <= rank.
func (s Shape) Insert(i int, d int64) (Shape, error) {
	switch {
	case !s.known:
		return s, nil
	case len(s.dims) >= tensor.MaxRank:
		return Shape{}, rankError(len(s.dims) + 1)
	}
	return Of(slices.Insert(slices.Clone(s.dims), s.position(i), d)...), nil
}

// Remove is s without dimension i; a negative i counts from the end.
func (s Shape) Remove(i int) Shape {
	if i < 0 {
		i += len(s.dims)
	}
	if i < 0 || i >= len(s.dims) {
		return s
	}
	return Of(slices.Delete(slices.Clone(s.dims), i, i+1)...)
}

// NumElements returns the product of the dimensions: 0 if one of them is 0, Unknown
// if it is not known. It fails if the product passes 63 bits.
func (s Shape) NumElements() (int64, error) {
	if slices.Contains(s.dims, 0) {
		return 0, nil
	}
	if !s.Full() {
		return Unknown, nil
	}
	n := int64(1)
	for _, d := range s.dims {
		var err error
		if n, err = MulDims(n, d); err != nil {
			return Unknown, err
		}
	}
	return n, nil
}
