package list_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/list"
)

// A list of vectors is stacked into a matrix of as many rows as it has elements.
func Example() {
	s := op.NewScope()
	vector := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(3)))
	list := op.EmptyTensorList(s, op.Const(s.SubScope("shape"), []int32{3}), op.Const(s.SubScope("limit"), int32(-1)), tf.Float)
	longer := op.TensorListPushBack(s, list, vector)
	fmt.Println(op.TensorListStack(s, longer, op.Const(s.SubScope("any"), int32(-1)), tf.Float).Shape())
	// Output: [?, 3]
}
