package functional

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("PartitionedCall").
		Input("args: Tin").Output("output: Tout").
		Attr("Tin: list(type) >= 0").
		Attr("Tout: list(type) >= 0").
		Attr("f: func").
		Attr("config: string = ''").
		Attr("config_proto: string = ''").
		Attr("executor_type: string = ''").
		Doc(`Calls a function without side effects.

The body may be placed on several devices.

args: What the function takes.
output: What the function returns.
Tout: The types of the results.
f: The function.
config: Ignored.
config_proto: A serialized ConfigProto with the options of the call; it may be empty.
executor_type: Ignored.`)
	registry.Define("StatefulPartitionedCall").
		Input("args: Tin").Output("output: Tout").
		Attr("Tin: list(type) >= 0").
		Attr("Tout: list(type) >= 0").
		Attr("f: func").
		Attr("config: string = ''").
		Attr("config_proto: string = ''").
		Attr("executor_type: string = ''").
		Stateful().
		DistributedCommunication().
		Doc(`Calls a function that may have side effects.

The call is never merged with another or left out.

args: What the function takes.
output: What the function returns.
Tout: The types of the results.
f: The function.
config: Ignored.
config_proto: A serialized ConfigProto with the options of the call; it may be empty.
executor_type: Ignored.`)
	registry.Define("RemoteCall").
		Input("target: string").Input("args: Tin").Output("output: Tout").
		Attr("Tin: list(type) >= 1").
		Attr("Tout: list(type) >= 1").
		Attr("f: func").
		Stateful().
		Doc(`Calls a function on another device.

target: The name of the device.
args: What the function takes.
output: What the function returns.
Tout: The types of the results.
f: The function.`)
	registry.Define("SymbolicGradient").
		Input("input: Tin").Output("output: Tout").
		Attr("Tin: list(type) >= 1").
		Attr("Tout: list(type) >= 1").
		Attr("f: func").
		Doc(`Computes the gradient of a function.

input: What the function takes, followed by the gradients of what it returns.
output: The gradients of what the function takes.
Tout: The types of the results.
f: The function; its body is differentiated when the call is expanded.`)
	registry.Define("MapDefun").
		Input("arguments: Targuments").Input("captured_inputs: Tcaptured").Output("output: output_types").
		Attr("Targuments: list(type) >= 1").
		Attr("Tcaptured: list(type) >= 0 = []").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("f: func").
		Attr("max_intra_op_parallelism: int = 1").
		Doc(`Calls a function for each slice along the first dimension of its arguments, and stacks what it returns.

arguments: Tensors of equal first dimension; the function takes a slice of each.
captured_inputs: Tensors that every call takes whole, after the slices.
output: The stacked results.
output_types: The types of the results.
output_shapes: Shapes of the results of one call.
f: The function.
max_intra_op_parallelism: The most calls at one time.`)
}
