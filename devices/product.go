package devices

import "github.com/troupe-go/troupe/tensor"

// A Product is z = x·y of matrices of M by K and K by N elements, which lie row by row, or
// of batches of them. TransX and TransY say that an operand's rows are the product's
// columns.
type Product struct {
	Type           tensor.DType
	M, N, K        int64 // at least 1
	TransX, TransY bool
	// Batches are the sizes of the dimensions of batches, outermost first; none: there is one
	// product. XStrides and YStrides are how many elements an operand's matrix is from the
	// next, 0 where it is the same. Those of z lie one after the other.
	Batches, XStrides, YStrides []int64
}

// A Multiplier is a driver that does launches that are a [Product], by a library that is
// faster than code. The memory that [Streams] give is one if their driver is, so that who
// writes launches may ask.
type Multiplier interface {
	// Multiplies reports whether it does so for elements of a type. It may take seconds the
	// first time.
	Multiplies(t tensor.DType) bool
}
