// Package typed is what Go code of "troupe generate" calls: between fields of Go types and
// the tensors of a signature.
//
//	var c typed.Call
//	typed.PutSlice(&c, "image", pixels, -1, 8, 8, 1)
//	c.Run(ctx, model, "serving_default")
//	scores := typed.TakeSlice[float32](&c, "output_0", -1, 10)
//	if err := c.Err(); err != nil { … }
//
// A [Call] collects inputs, runs a signature on a [Runner] and hands out its outputs. Its first
// error wins: later steps do nothing and return zero values. Slices are not copied: what is put
// must not be written afterwards, nor what is taken.
package typed
