package dataset_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/dataset"
)

// An iterator says of what types and shapes its elements are.
func Example() {
	s := op.NewScope()
	types, shapes := []tf.DataType{tf.Float, tf.Int64}, []tf.Shape{tf.MakeShape(28, 28), tf.ScalarShape()}
	it := op.Iterator(s, "train", "", types, shapes)
	for _, component := range op.IteratorGetNext(s, it, types, shapes) {
		fmt.Println(component.DataType(), component.Shape())
	}
	// Output:
	// float [28, 28]
	// int64 []
}
