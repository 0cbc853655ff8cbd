package graph

import (
	"slices"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

// A Shape is what is known of a tensor's shape, as TensorFlow's Go binding
// shows it. The zero Shape has an unknown rank. Inside Troupe, package shape
// has the type that shapes are worked out with.
type Shape struct {
	dims []int64 // nil: unknown rank
}

// ScalarShape returns the shape of rank 0.
func ScalarShape() Shape { return Shape{dims: []int64{}} }

// MakeShape returns a shape of known rank; -1 stands for an unknown dimension.
func MakeShape(shape ...int64) Shape {
	return Shape{dims: append(make([]int64, 0, len(shape)), shape...)}
}

func shapeOf(s shape.Shape) Shape {
	if !s.Known() {
		return Shape{}
	}
	return MakeShape(s.Dims()...)
}

// NumDimensions returns the rank, -1 if it is unknown.
func (s Shape) NumDimensions() int {
	if s.dims == nil {
		return -1
	}
	return len(s.dims)
}

// Size returns the size of a dimension; -1 if it is unknown or there is none such.
func (s Shape) Size(dim int) int64 {
	if dim < 0 || dim >= len(s.dims) {
		return -1
	}
	return s.dims[dim]
}

// Accepts reports whether a tensor of these dimensions has the shape, as far as it is
// known.
func (s Shape) Accepts(dims []int64) bool {
	n := s.NumDimensions()
	if n < 0 {
		return true
	}
	if n != len(dims) {
		return false
	}
	for i, d := range dims {
		if want := s.Size(i); want >= 0 && want != d {
			return false
		}
	}
	return true
}

// IsFullySpecified reports whether the rank and all dimensions are known. (The
// binding also takes dimensions of 0 and 1 for unknown; that is a mistake of
// its, which is not repeated.)
func (s Shape) IsFullySpecified() bool {
	return s.dims != nil && !slices.Contains(s.dims, -1)
}

// ToSlice returns the dimensions, -1 where one is unknown. It fails if the rank is
// unknown.
func (s Shape) ToSlice() ([]int64, error) {
	if s.dims == nil {
		return nil, status.Invalid("a shape of unknown rank cannot be converted to a slice")
	}
	return append(make([]int64, 0, len(s.dims)), s.dims...), nil
}

// String is "?" for an unknown rank, else "[?, 2]".
func (s Shape) String() string {
	if s.dims == nil {
		return "?"
	}
	parts := make([]string, len(s.dims))
	for i, d := range s.dims {
		parts[i] = "?"
		if d >= 0 {
			parts[i] = strconv.FormatInt(d, 10)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
