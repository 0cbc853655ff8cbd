package lookup_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/lookup"
)

// A table wants a value for each key.
func Example() {
	s := op.NewScope()
	table := op.HashTableV2(s, tf.String, tf.Int64, op.HashTableV2SharedName("vocabulary"))
	words := op.Const(s.SubScope("words"), []string{"to", "be", "or"})
	ids := op.Const(s.SubScope("ids"), []int64{1, 2})
	op.InitializeTableV2(s, table, words, ids)
	fmt.Println(tf.CodeOf(s.Err()))
	// Output: INVALID_ARGUMENT
}
