package sampling_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/sampling"
)

// Candidates for a loss over a million classes.
func Example() {
	s := op.NewScope()
	right := op.Placeholder(s, tf.Int64, op.PlaceholderShape(tf.MakeShape(-1, 1)))
	drawn, ofRight, ofDrawn := op.LogUniformCandidateSampler(s, right, 1, 64, true, 1e6)
	fmt.Println(drawn.Shape(), ofRight.Shape(), ofDrawn.Shape())
	// Output: [64] [?, 1] [64]
}
