package op_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
)

func ExampleScope_Finalize() {
	s := op.NewScope()
	x := op.Const(s.SubScope("x"), []float32{1, 2})
	y := op.Const(s.SubScope("y"), []float32{1, 2, 3})
	op.Square(s, op.Add(s, x, y)) // there is no sum, so nothing is done with it
	_, err := s.Finalize()
	fmt.Println(err)
	// Output: INVALID_ARGUMENT: failed to add operation "Add" (example_error_test.go:13): Dimensions must be equal, but are 2 and 3 with input shapes: [2], [3]; node 'Add' (Add)
}
