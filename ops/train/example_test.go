package train_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/state"
	_ "github.com/troupe-go/troupe/ops/train"
)

// A gradient that does not fit its variable is refused when the graph is built.
func Example() {
	s := op.NewScope()
	weights := op.VarHandleOp(s, tf.Float, tf.MakeShape(10, 4))
	gradient := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(10, 5)))
	op.ResourceApplyGradientDescent(s, weights, op.Const(s, float32(0.1)), gradient)
	fmt.Println(s.Err())
	// Output: INVALID_ARGUMENT: failed to add operation "ResourceApplyGradientDescent" (example_test.go:19): Dimension 1 in both shapes must be equal, but are 4 and 5. Shapes are [10,4] and [10,5]. with input shapes: [], [], [10,5]; node 'ResourceApplyGradientDescent' (ResourceApplyGradientDescent)
}
