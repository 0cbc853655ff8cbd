package functional

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("While").
		Input("input: T").Output("output: T").
		Attr("T: list(type) >= 0").
		Attr("cond: func").
		Attr("body: func").
		Attr("output_shapes: list(shape) = []").
		Attr("parallel_iterations: int = 10").
		Stateful().
		Doc(`Calls a function again and again while a condition holds; both may have side effects.

input: The loop variables before the first iteration.
output: The loop variables after the last.
cond: A function of the loop variables that returns whether there is another iteration.
body: A function from the loop variables to their next values, of the same types.
output_shapes: What is known of the variables' shapes in all iterations.
parallel_iterations: The most iterations at one time.`)
	registry.Define("StatelessWhile").
		Input("input: T").Output("output: T").
		Attr("T: list(type) >= 0").
		Attr("cond: func").
		Attr("body: func").
		Attr("output_shapes: list(shape) = []").
		Attr("parallel_iterations: int = 10").
		Doc(`Calls a function again and again while a condition holds, both without side effects.

input: The loop variables before the first iteration.
output: The loop variables after the last.
cond: A function of the loop variables that returns whether there is another iteration.
body: A function from the loop variables to their next values, of the same types.
output_shapes: What is known of the variables' shapes in all iterations.
parallel_iterations: The most iterations at one time.`)
	registry.Define("For").
		Input("start: int32").Input("limit: int32").Input("delta: int32").Input("input: T").
		Output("output: T").
		Attr("T: list(type) >= 0").
		Attr("body: func").
		Doc(`Calls a function for each number of a range.

start: The first number.
limit: Where the range ends; it is not part of it.
delta: The step, not zero.
input: The loop variables before the first iteration.
output: The loop variables after the last.
body: A function from the number and the loop variables to their next values.`)

	gradient.Whole("While", "StatelessWhile")
}
