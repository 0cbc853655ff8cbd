package image_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/image"
)

// A photograph of unknown size becomes a thumbnail.
func Example() {
	s := op.NewScope()
	file := op.Placeholder(s, tf.String, op.PlaceholderShape(tf.ScalarShape()))
	photo := op.DecodePng(s, file, op.DecodePngChannels(3))
	batch := op.ExpandDims(s, photo, op.Const(s.SubScope("first"), int32(0)))
	thumbnail := op.ResizeBilinear(s, batch, op.Const(s.SubScope("size"), []int32{60, 80}))
	fmt.Println(photo.Shape(), "becomes", thumbnail.Shape())
	// Output: [?, ?, 3] becomes [1, 60, 80, 3]
}
