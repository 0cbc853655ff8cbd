package functional

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("_Arg").
		Output("output: T").
		Attr("T: type").
		Attr("index: int >= 0").
		Stateful().
		Doc(`Gives an argument of the function whose body the node is in.

T: The argument's type.
index: The position of the argument.`)
	registry.Define("_DeviceArg").
		Output("output: T").
		Attr("T: type").
		Attr("index: int >= 0").
		Stateful().
		Doc(`Returns an argument that is in the memory of the device.

T: The argument's type.
index: The position of the argument.`)
	registry.Define("_Retval").
		Input("input: T").
		Attr("T: type").
		Attr("index: int >= 0").
		Stateful().
		Doc(`Returns a result from the function whose body the node is in.

index: The position of the result.`)
	registry.Define("_DeviceRetval").
		Input("input: T").
		Attr("T: type").
		Attr("index: int >= 0").
		Stateful().
		Doc(`Returns a result that is in the memory of the device.

index: The position of the result.`)
	registry.Define("_ArrayToList").
		Input("input: N * T").Output("output: out_types").
		Attr("T: type").
		Attr("N: int >= 1").
		Attr("out_types: list(type) >= 1").
		Doc(`Turns a list of tensors of one type into one whose types are listed.

out_types: The listed types, all T.`)
	registry.Define("_ListToArray").
		Input("input: Tin").Output("output: N * T").
		Attr("Tin: list(type) >= 1").
		Attr("T: type").
		Attr("N: int >= 1").
		Doc(`Turns a list of tensors whose types are listed, and are all the same, into a list of that type.

T: The common type.
N: How many tensors there are.`)

	kernel.ForAll(outside("GetArg"), "_Arg", "_DeviceArg")
	kernel.ForAll(outside("SetRetval"), "_Retval", "_DeviceRetval")
}

// outside makes the kernel of a node that stands for an argument or a result and
// is in no function. Those in functions never run: what is given to them takes
// their place.
func outside(what string) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		index := c.Int("index")
		return kernel.Func(func(*kernel.Context, []tensor.Value, []tensor.Value) error {
			return status.Invalid("%s %d is not within [0, 0): the node is in no function", what, index)
		}), nil
	}
}
