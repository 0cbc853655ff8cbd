package xla_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/xla"
)

// A decoder's cache of keys: a row is written at each step.
func Example() {
	s := op.NewScope()
	cache := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(128, 64)))
	key := op.Placeholder(s.SubScope("key"), tf.Float, op.PlaceholderShape(tf.MakeShape(1, 64)))
	at := op.Const(s, []int32{17, 0})
	fmt.Println(op.XlaDynamicUpdateSlice(s, cache, key, at).Shape(), s.Err())
	// Output: [128, 64] <nil>
}
