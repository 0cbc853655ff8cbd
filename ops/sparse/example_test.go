package sparse_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/sparse"
)

// A sparse matrix times a dense one.
func Example() {
	s := op.NewScope()
	indices := op.Placeholder(s.SubScope("indices"), tf.Int64, op.PlaceholderShape(tf.MakeShape(-1, 2)))
	values := op.Placeholder(s.SubScope("values"), tf.Float, op.PlaceholderShape(tf.MakeShape(-1)))
	dense := op.Placeholder(s.SubScope("dense"), tf.Float, op.PlaceholderShape(tf.MakeShape(500, 3)))
	product := op.SparseTensorDenseMatMul(s, indices, values, op.Const(s, []int64{2000, 500}), dense)
	fmt.Println(product.Shape())
	// Output: [2000, 3]
}
