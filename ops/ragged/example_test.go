package ragged_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/ragged"
)

// Three ranges of different lengths: where each begins, and the numbers of all.
func Example() {
	s := op.NewScope()
	ints := func(name string, x ...int32) tf.Output { return op.Const(s.SubScope(name), x) }
	splits, numbers := op.RaggedRange(s, ints("starts", 0, 5, 7), ints("limits", 3, 9, 8), ints("steps", 1, 1, 1))
	fmt.Println(splits.Shape(), numbers.Shape())
	// Output: [4] [?]
}
