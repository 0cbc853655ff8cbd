package batching

import (
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
)

// Op is the operation of a loop that is run in batches, and CallOp that of a call of a function that
// calls itself. Their kernels are in compile/cellular.
const (
	Op     = "_BatchedWhile"
	CallOp = "_BatchedCall"
)

func init() {
	registry.Define(Op).
		Input("input: T").Output("output: T").
		Attr("T: list(type) >= 1").
		Attr("cond: func").
		Attr("body: func").
		Attr("invariant: list(bool)").
		Attr("handle_types: list(type)").
		Attr("handle_shapes: list(shape)").
		Attr("functions: string = ''").
		Attr("frame: string = ''").
		Stateful().
		Doc(`Runs a While without side effects, together with those of other steps that are in the same loop.

input: The loop variables before the first iteration.
output: The loop variables after the last.
cond: A function of the loop variables that returns whether there is another iteration.
body: A function from the loop variables to their next values, of the same types.
invariant: Of each variable, whether all steps bring the same value.
handle_types: Of each variable that is a resource, the type of what it holds; else DT_INVALID.
handle_shapes: Of each variable that is a resource, the shape of what it holds.
functions: A FunctionDefLibrary with cond and body, where these were made of a loop of Enter and Exit; the library of the graph does not have them then.
frame: The frame of such a loop.`)
	registry.Define(CallOp).
		Input("args: Tin").Output("output: Tout").
		Attr("Tin: list(type) >= 0").
		Attr("Tout: list(type)").
		Attr("f: func").
		Attr("invariant: list(bool)").
		Attr("handle_types: list(type)").
		Attr("handle_shapes: list(shape)").
		Stateful().
		Doc(`Calls a function that calls itself and has no side effects. The calls in it are run in batches, together with those of other steps.

args: The function's arguments.
output: Its results.
f: The function.
invariant: Of each argument, whether all steps bring the same value.
handle_types: Of each argument that is a resource, the type of what it holds.
handle_shapes: Of each argument that is a resource, the shape of what it holds.`)
	shape.Register(shape.UnknownOutputs, Op, CallOp)
}
