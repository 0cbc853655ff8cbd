package kernel

import (
	"github.com/troupe-go/troupe/tensor"
)

// A Kernel computes the outputs of one node. One kernel serves all steps of a
// program at the same time, so Run must not write its receiver; state lives in
// resources.
//
// in holds the node's inputs, out is zero and has room for its outputs; a
// kernel sets every output that may be read: one that is left zero fails the step
// with INTERNAL if it is. No kernel can make an output dead. The slices and the Values in them belong
// to the kernel during the call only. Inputs are immutable unless
// [Context.Reuse] gave them up. An input that is kept beyond the step must be
// kept as [Context.Share] or [Context.UnchargeValue] gives it. An output may be an input
// itself, or a [Context.View] of one.
type Kernel interface {
	Run(ctx *Context, in, out []tensor.Value) error
}

// Func makes a function a Kernel.
type Func func(ctx *Context, in, out []tensor.Value) error

// Run calls f.
func (f Func) Run(ctx *Context, in, out []tensor.Value) error { return f(ctx, in, out) }

// An Async kernel may finish after Start has returned: it waits for a queue, a
// peer or a device, which only operations do that are stateful, call functions or
// take variants. It calls done exactly once, from any goroutine, also from
// within Start; in and out stay valid until then. It must watch ctx.Context()
// and call done with its error soon after it ends.
type Async interface {
	Kernel // Run waits; engines prefer Start
	Start(ctx *Context, in, out []tensor.Value, done func(error))
}

// A Receiver is the kernel of a node that waits for a token from outside its step,
// and puts out what comes: an engine whose nodes have addresses gets the token and
// completes the node itself. Start and Run are called where nodes have none, and
// fail.
type Receiver interface {
	Async
	Receives()
}

// A Blocking kernel may wait for something that another node, step or program
// does. Frames that hold one are never compiled into a unit. Async kernels are
// blocking. Their operations are such as those of Async kernels.
type Blocking interface{ Blocks() }
