package linalg_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/linalg"
)

// The singular values and vectors of a batch of matrices.
func Example() {
	s := op.NewScope()
	a := op.Placeholder(s, tf.Double, op.PlaceholderShape(tf.MakeShape(-1, 5, 3)))
	values, left, right := op.Svd(s, a)
	fmt.Println(values.Shape(), left.Shape(), right.Shape())
	// Output: [?, 3] [?, 5, 3] [?, 3, 3]
}
