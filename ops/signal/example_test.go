package signal_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/signal"
)

// Of the spectrum of 1,000 real numbers, the half that tells all.
func Example() {
	s := op.NewScope()
	x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(-1, 1000)))
	spectrum := op.RFFT(s, x, op.Const(s, []int32{1000}))
	fmt.Println(spectrum.DataType(), spectrum.Shape())
	// Output: complex64 [?, 501]
}
