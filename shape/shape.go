package shape

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/registry"
)

// Unknown is the size of a dimension that is not known.
const Unknown int64 = -1

// A Shape is a partially known shape. The zero Shape has an unknown rank.
// Shapes are immutable.
type Shape struct {
	dims  []int64 // Unknown where a size is not known
	known bool    // the rank is known
}

// Scalar is the shape of rank 0.
var Scalar = Shape{known: true}

// Of returns a shape of known rank; a dimension of [Unknown] is not known.
func Of(dims ...int64) Shape { return Shape{dims: dims, known: true} }

// OfRank returns a shape of that rank with no dimension known.
func OfRank(rank int) Shape {
	dims := make([]int64, rank)
	for i := range dims {
		dims[i] = Unknown
	}
	return Of(dims...)
}

// FromAttr returns the shape that an attribute holds.
func FromAttr(s registry.Shape) Shape {
	if s.Unknown {
		return Shape{}
	}
	return Of(s.Dims...)
}

// Attr returns the shape as an attribute holds it.
func (s Shape) Attr() registry.Shape { return registry.Shape{Unknown: !s.known, Dims: s.dims} }

// Known reports whether the rank is known.
func (s Shape) Known() bool { return s.known }

// Rank returns the number of dimensions, -1 if it is not known.
func (s Shape) Rank() int {
	if !s.known {
		return -1
	}
	return len(s.dims)
}

// Dim returns the size of dimension i, [Unknown] if it is not known or the rank is
// not; a negative i counts from the end.
func (s Shape) Dim(i int) int64 {
	if i < 0 {
		i += len(s.dims)
	}
	if !s.known || i < 0 || i >= len(s.dims) {
		return Unknown
	}
	return s.dims[i]
}

// Dims returns the dimensions, not to be written; nil if the rank is not known.
func (s Shape) Dims() []int64 { return s.dims }

// Full reports whether every dimension is known.
func (s Shape) Full() bool {
	for _, d := range s.dims {
		if d == Unknown {
			return false
		}
	}
	return s.known
}

// String is "?" for an unknown rank, else "[2,?]".
func (s Shape) String() string {
	if !s.known {
		return "?"
	}
	var b strings.Builder
	b.WriteByte('[')
	for i, d := range s.dims {
		if i > 0 {
			b.WriteByte(',')
		}
		if d == Unknown {
			b.WriteByte('?')
		} else {
			fmt.Fprint(&b, d)
		}
	}
	b.WriteByte(']')
	return b.String()
}
