package shape

import (
	"slices"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Constraints: each returns the shape with what it has learned, and fails with
// INVALID_ARGUMENT and the zero Shape if the constraint cannot hold.

// WithRank is s, which must have that rank.
func (s Shape) WithRank(rank int) (Shape, error) {
	switch {
	case s.known && len(s.dims) == rank:
		return s, nil
	case !s.known && rank >= 0 && rank <= tensor.MaxRank:
		return OfRank(rank), nil
	}
	return Shape{}, status.Invalid("Shape must be rank %d but is rank %d", rank, s.Rank())
}

// WithRankAtLeast is s, which must have at least that rank.
func (s Shape) WithRankAtLeast(rank int) (Shape, error) {
	if s.known && len(s.dims) < rank {
		return Shape{}, status.Invalid("Shape must be at least rank %d but is rank %d", rank, len(s.dims))
	}
	return s, nil
}

// WithRankAtMost is s, which must have at most that rank.
func (s Shape) WithRankAtMost(rank int) (Shape, error) {
	if s.known && len(s.dims) > rank {
		return Shape{}, status.Invalid("Shape must be at most rank %d but is rank %d", rank, len(s.dims))
	}
	return s, nil
}

// WithDim is s, whose dimension i must be d; a negative i counts from the end.
// A shape of unknown rank stays so. An Unknown d asks for nothing.
func (s Shape) WithDim(i int, d int64) (Shape, error) {
	have := s.Dim(i)
	if have == d || d == Unknown || !s.known {
		return s, nil
	}
	if _, err := WithValue(have, d); err != nil {
		return Shape{}, err
	}
	return s.ReplaceDim(i, d), nil
}

// Axis returns the dimension that i means, where a negative i counts from the end,
// of a shape of known rank. It fails unless -rank <= i < rank.
func (s Shape) Axis(i int64) (int, error) {
	rank := int64(len(s.dims))
	if i < -rank || i >= rank {
		return 0, status.Invalid("Shape must be at least rank %d but is rank %d", axisRank(i), rank)
	}
	if i < 0 {
		i += rank
	}
	return int(i), nil
}

// axisRank returns the least rank that has a dimension i.
func axisRank(i int64) int64 {
	if i < 0 {
		return -i
	}
	return i + 1
}

// ReplaceDim is s with dimension i replaced; s itself if it has no such
// dimension. A negative i counts from the end.
func (s Shape) ReplaceDim(i int, d int64) Shape {
	if i < 0 {
		i += len(s.dims)
	}
	if i < 0 || i >= len(s.dims) || s.dims[i] == d {
		return s
	}
	dims := slices.Clone(s.dims)
	dims[i] = d
	return Of(dims...)
}
