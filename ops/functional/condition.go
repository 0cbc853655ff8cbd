package functional

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("If").
		Input("cond: Tcond").Input("input: Tin").Output("output: Tout").
		Attr("Tcond: type").
		Attr("Tin: list(type) >= 0").
		Attr("Tout: list(type) >= 0").
		Attr("then_branch: func").
		Attr("else_branch: func").
		Attr("output_shapes: list(shape) = []").
		Stateful().
		Doc(`Calls one of two functions, which may have side effects.

cond: A scalar: a number or string holds if it is not zero or empty. Any other tensor holds if it has elements.
input: What the chosen function takes.
output: What the chosen function returns.
Tout: The types of the results.
then_branch: The function called if cond holds.
else_branch: The function called if it does not.
output_shapes: What is known of the shapes of the results.`)
	registry.Define("StatelessIf").
		Input("cond: Tcond").Input("input: Tin").Output("output: Tout").
		Attr("Tcond: type").
		Attr("Tin: list(type) >= 0").
		Attr("Tout: list(type) >= 0").
		Attr("then_branch: func").
		Attr("else_branch: func").
		Attr("output_shapes: list(shape) = []").
		Doc(`Calls one of two functions without side effects.

cond: A scalar: a number or string holds if it is not zero or empty. Any other tensor holds if it has elements.
input: What the chosen function takes.
output: What the chosen function returns.
Tout: The types of the results.
then_branch: The function called if cond holds.
else_branch: The function called if it does not.
output_shapes: What is known of the shapes of the results.`)
	registry.Define("Case").
		Input("branch_index: int32").Input("input: Tin").Output("output: Tout").
		Attr("Tin: list(type) >= 0").
		Attr("Tout: list(type) >= 0").
		Attr("branches: list(func) >= 1").
		Attr("output_shapes: list(shape) = []").
		Stateful().
		Doc(`Calls one of several functions, which may have side effects.

branch_index: Which function; the last if there is none of that index.
input: What the chosen function takes.
output: What the chosen function returns.
Tout: The types of the results.
branches: The functions, all of one signature.
output_shapes: What is known of the shapes of the results.`)
	registry.Define("StatelessCase").
		Input("branch_index: int32").Input("input: Tin").Output("output: Tout").
		Attr("Tin: list(type) >= 0").
		Attr("Tout: list(type) >= 0").
		Attr("branches: list(func) >= 1").
		Attr("output_shapes: list(shape) = []").
		Doc(`Calls one of several functions without side effects.

branch_index: Which function; the last if there is none of that index.
input: What the chosen function takes.
output: What the chosen function returns.
Tout: The types of the results.
branches: The functions, all of one signature.
output_shapes: What is known of the shapes of the results.`)
	registry.Define("FakeParam").
		Output("output: dtype").
		Attr("dtype: type").
		Attr("shape: shape").
		Doc(`Stands for an argument of a function that is never used.

Running it is an error, unless nothing but a dead branch depends on it.

shape: What is said of the argument's shape.`)
	registry.Define("DeviceIndex").
		Output("index: int32").
		Attr("device_names: list(string)").
		Stateful().
		Doc(`Finds the device of the node in a list.

index: The index in device_names, or the length of that list if the device is not in it.
device_names: The list.`)

	gradient.Whole("If", "StatelessIf", "Case", "StatelessCase")
}
