package io_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/io"
)

// What is read from a checkpoint has the types that it was saved with, and there
// is a name and a slice for each tensor.
func Example() {
	s := op.NewScope()
	prefix := op.Const(s.SubScope("prefix"), "model")
	names := op.Const(s.SubScope("names"), []string{"weights", "step"})
	whole := op.Const(s.SubScope("whole"), []string{"", ""})
	for _, tensor := range op.RestoreV2(s, prefix, names, whole, []tf.DataType{tf.Float, tf.Int64}) {
		fmt.Println(tensor.DataType())
	}
	op.RestoreV2(s.SubScope("again"), prefix, names, op.Const(s.SubScope("one"), []string{""}), []tf.DataType{tf.Float})
	fmt.Println(tf.CodeOf(s.Err()))
	// Output:
	// float
	// int64
	// INVALID_ARGUMENT
}
