package setops_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/setops"
)

// The rows of two matrices are taken for sets; what they have in common is sparse.
func Example() {
	s := op.NewScope()
	a := op.Placeholder(s.SubScope("a"), tf.Int64, op.PlaceholderShape(tf.MakeShape(8, 3)))
	b := op.Placeholder(s.SubScope("b"), tf.Int64, op.PlaceholderShape(tf.MakeShape(8, -1)))
	indices, values, shape := op.DenseToDenseSetOperation(s, a, b, "intersection")
	fmt.Println(indices.Shape(), values.Shape(), shape.Shape())
	// Output: [?, 2] [?] [2]
}
