package kernel

import (
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

// A Waiting kernel is an Async one that waits in a queue's line, without memory and
// without a goroutine, for an engine that puts aside what waits and goes on with
// something else.
//
// Try does what Start does if it need not wait: true. Otherwise it leaves p in line, and
// the engine calls Served when p was served without an error, before it uses the outputs.
// Both are called on the goroutine that drives the step, with its context. What was taken
// is [resource.Place.Taken], in place of [Context.Undo]; in and out stay valid until p was
// served or has left.
type Waiting interface {
	Async
	Try(ctx *Context, in, out []tensor.Value, p *resource.Place) (done bool, err error)
	Served(ctx *Context, in, out []tensor.Value) error
}
