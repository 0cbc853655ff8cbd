package gradient

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// A Value is the gradient of a tensor: dense, or rows of one, or a product that is yet
// to be made, or, if it is zero, nothing at all.
type Value struct {
	Dense   graph.Output   // the zero Output unless the gradient is dense
	Rows    *IndexedSlices // nil unless it is sparse
	Product *Product       // nil unless it is one
}

// None reports whether nothing flows.
func (v Value) None() bool { return v.Dense.Op == nil && v.Rows == nil && v.Product == nil }

// A Product is AᵀB of two matrices with equally many rows. A loop that has one in each
// iteration keeps the rows, and multiplies once: the sum of the products is that of
// all rows.
type Product struct{ A, B graph.Output }

// IndexedSlices are rows of a tensor of which all others are zero: row i of Values,
// a tensor of one dimension or more, belongs into row Indices[i]. Rows for the same
// place are to be added.
type IndexedSlices struct {
	Values  graph.Output
	Indices graph.Output // a vector of int32 or int64
	Shape   graph.Output // of the whole tensor: a vector of int32 or int64
}

// Differentiable reports whether tensors of a type can have gradients: numbers with
// fractions, and resources and variants, which may hold some.
func Differentiable(dt tensor.DType) bool {
	switch dt.Base() {
	case tensor.Half, tensor.Bfloat16, tensor.Float, tensor.Double,
		tensor.Complex64, tensor.Complex128, tensor.Resource, tensor.Variant:
		return true
	}
	return false
}
