package shape

import (
	"slices"

	"github.com/troupe-go/troupe/status"
)

// Merge returns what is known of a tensor of which both a and b are known. It fails
// if they contradict each other.
func Merge(a, b Shape) (Shape, error) {
	switch {
	case !b.known:
		return a, nil
	case !a.known:
		return b, nil
	case len(a.dims) != len(b.dims):
		return Shape{}, status.Invalid("Shapes must be equal rank, but are %d and %d", len(a.dims), len(b.dims))
	}
	isA, isB := true, true // a, b itself is the result
	for i, d := range a.dims {
		switch e := b.dims[i]; {
		case d == e:
		case d == Unknown:
			isA = false
		case e == Unknown:
			isB = false
		default:
			return Shape{}, status.Invalid("Dimension %d in both shapes must be equal, but are %d and %d. Shapes are %v and %v.", i, d, e, a, b)
		}
	}
	switch {
	case isA:
		return a, nil
	case isB:
		return b, nil
	}
	dims := slices.Clone(a.dims)
	for i, d := range dims {
		if d == Unknown {
			dims[i] = b.dims[i]
		}
	}
	return Of(dims...), nil
}

// MergePrefix merges prefix with the first dimensions of s, which must have at
// least its rank. It returns s and prefix with what each learned from the other.
func MergePrefix(s, prefix Shape) (Shape, Shape, error) {
	if !s.known || !prefix.known {
		return s, prefix, nil
	}
	n := len(prefix.dims)
	if _, err := s.WithRankAtLeast(n); err != nil {
		return Shape{}, Shape{}, err
	}
	head := make([]int64, n, len(s.dims))
	for i := range head {
		d, err := MergeDims(s.dims[i], prefix.dims[i])
		if err != nil {
			return Shape{}, Shape{}, err
		}
		head[i] = d
	}
	return Of(append(head, s.dims[n:]...)...), Of(head...), nil
}

// Relax returns what is known of a tensor whose shape is a at times and b at
// others: what a Merge puts out.
func Relax(a, b Shape) Shape {
	if !a.known || !b.known || len(a.dims) != len(b.dims) {
		return Shape{}
	}
	isA, isB := true, true
	for i, d := range a.dims {
		if d != b.dims[i] {
			isA = isA && d == Unknown
			isB = isB && b.dims[i] == Unknown
		}
	}
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	dims := slices.Clone(a.dims)
	for i, d := range dims {
		dims[i] = RelaxDims(d, b.dims[i])
	}
	return Of(dims...)
}

// Compatible reports whether a tensor can have both shape a and shape b.
func Compatible(a, b Shape) bool {
	if !a.known || !b.known {
		return true
	}
	return slices.EqualFunc(a.dims, b.dims, CompatibleDims)
}

// Equal reports whether the same is known of a and b.
func Equal(a, b Shape) bool { return a.known == b.known && slices.Equal(a.dims, b.dims) }
