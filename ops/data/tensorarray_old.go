package data

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The operations on TensorArrays of the first two versions, whose handles are a
// container and a name: two strings, in the first behind a reference.
func init() {
	registry.Define("TensorArrayClose").
		Input("handle: Ref(string)").
		Writes("handle").
		Deprecated(16, "It has a successor.").
		Doc("Drops an array and its elements, as TensorArrayCloseV3 does behind a reference.")
	registry.Define("TensorArrayCloseV2").
		Input("handle: string").
		Deprecated(26, "It has a successor.").
		Doc("Drops an array and its elements, as TensorArrayCloseV3 does, by an older form of handle.")
	registry.Define("TensorArrayConcat").
		Input("handle: Ref(string)").Input("flow_in: float").Output("value: dtype").
		Output("lengths: int64").
		Reads("handle").
		Attr("dtype: type").
		Attr("element_shape_except0: shape = <unknown>").
		Deprecated(16, "It has a successor.").
		Doc(`Reads and joins all elements of an array, as TensorArrayConcatV3 does behind a reference.

flow_in: The flow of the operation before.
element_shape_except0: As in TensorArrayConcatV3.`)
	registry.Define("TensorArrayGather").
		Input("handle: Ref(string)").Input("indices: int32").Input("flow_in: float").
		Output("value: dtype").
		Reads("handle").
		Attr("dtype: type").
		Attr("element_shape: shape = <unknown>").
		Deprecated(16, "It has a successor.").
		Doc(`Reads and stacks elements of an array, as TensorArrayGatherV3 does behind a reference.

indices: As in TensorArrayGatherV3.
flow_in: The flow of the operation before.
element_shape: As in TensorArrayGatherV3.`)
	registry.Define("TensorArrayGatherV2").
		Input("handle: string").Input("indices: int32").Input("flow_in: float").
		Output("value: dtype").
		Attr("dtype: type").
		Attr("element_shape: shape = <unknown>").
		Deprecated(26, "It has a successor.").
		Doc(`Reads and stacks elements of an array, as TensorArrayGatherV3 does, by an older form of handle.

indices: As in TensorArrayGatherV3.
flow_in: The flow of the operation before.
element_shape: As in TensorArrayGatherV3.`)
	registry.Define("TensorArrayGrad").
		Input("handle: string").Input("flow_in: float").Output("grad_handle: Ref(string)").
		Attr("source: string").
		Stateful().
		Deprecated(16, "It has a successor.").
		Doc(`Gives the array of gradients of an array, as TensorArrayGradV3 does behind a reference.

flow_in: The flow of the operation before.
source: As in TensorArrayGradV3.`)
	registry.Define("TensorArrayGradV2").
		Input("handle: string").Input("flow_in: float").Output("grad_handle: string").
		Attr("source: string").
		Stateful().
		Deprecated(26, "It has a successor.").
		Doc(`Gives the array of gradients of an array, as TensorArrayGradV3 does, by an older form of handle.

flow_in: The flow of the operation before.
source: As in TensorArrayGradV3.`)
	registry.Define("TensorArrayPack").
		Input("handle: Ref(string)").Input("flow_in: float").Output("value: dtype").
		Reads("handle").
		Attr("dtype: type").
		Attr("element_shape: shape = <unknown>").
		Deprecated(16, "It has a successor.").
		Doc(`Reads and stacks all elements of an array behind a reference.

flow_in: The flow of the operation before.
element_shape: The shape of the elements, as far as it is known.`)
	registry.Define("TensorArrayRead").
		Input("handle: Ref(string)").Input("index: int32").Input("flow_in: float").
		Output("value: dtype").
		Reads("handle").
		Attr("dtype: type").
		Deprecated(16, "It has a successor.").
		Doc(`Reads an element of an array, as TensorArrayReadV3 does behind a reference.

index: As in TensorArrayReadV3.
flow_in: The flow of the operation before.`)
	registry.Define("TensorArrayReadV2").
		Input("handle: string").Input("index: int32").Input("flow_in: float").
		Output("value: dtype").
		Attr("dtype: type").
		Deprecated(26, "It has a successor.").
		Doc(`Reads an element of an array, as TensorArrayReadV3 does, by an older form of handle.

index: As in TensorArrayReadV3.
flow_in: The flow of the operation before.`)
	registry.Define("TensorArrayScatter").
		Input("handle: Ref(string)").Input("indices: int32").Input("value: T").
		Input("flow_in: float").Output("flow_out: float").
		Writes("handle").
		Attr("T: type").
		Deprecated(19, "It has a successor.").
		Doc(`Writes slices to elements of an array, as TensorArrayScatterV3 does behind a reference.

indices: As in TensorArrayScatterV3.
flow_in: The flow of the operation before.
flow_out: The flow for the operation after.`)
	registry.Define("TensorArrayScatterV2").
		Input("handle: string").Input("indices: int32").Input("value: T").
		Input("flow_in: float").Output("flow_out: float").
		Attr("T: type").
		Deprecated(26, "It has a successor.").
		Doc(`Writes slices to elements of an array, as TensorArrayScatterV3 does, by an older form of handle.

indices: As in TensorArrayScatterV3.
flow_in: The flow of the operation before.
flow_out: The flow for the operation after.`)
	registry.Define("TensorArraySize").
		Input("handle: Ref(string)").Input("flow_in: float").Output("size: int32").
		Leaves("handle").
		Deprecated(16, "It has a successor.").
		Doc(`Returns the number of elements of an array, as TensorArraySizeV3 does behind a reference.

flow_in: The flow of the operation before.`)
	registry.Define("TensorArraySizeV2").
		Input("handle: string").Input("flow_in: float").Output("size: int32").
		Deprecated(26, "It has a successor.").
		Doc(`Returns the number of elements of an array, as TensorArraySizeV3 does, by an older form of handle.

flow_in: The flow of the operation before.`)
	registry.Define("TensorArraySplit").
		Input("handle: Ref(string)").Input("value: T").Input("lengths: int64").
		Input("flow_in: float").Output("flow_out: float").
		Writes("handle").
		Attr("T: type").
		Deprecated(16, "It has a successor.").
		Doc(`Writes pieces of a tensor to the elements of an array, as TensorArraySplitV3 does behind a reference.

lengths: As in TensorArraySplitV3.
flow_in: The flow of the operation before.
flow_out: The flow for the operation after.`)
	registry.Define("TensorArraySplitV2").
		Input("handle: string").Input("value: T").Input("lengths: int64").
		Input("flow_in: float").Output("flow_out: float").
		Attr("T: type").
		Deprecated(26, "It has a successor.").
		Doc(`Writes pieces of a tensor to the elements of an array, as TensorArraySplitV3 does, by an older form of handle.

lengths: As in TensorArraySplitV3.
flow_in: The flow of the operation before.
flow_out: The flow for the operation after.`)
	registry.Define("TensorArrayUnpack").
		Input("handle: Ref(string)").Input("value: T").Input("flow_in: float").
		Output("flow_out: float").
		Writes("handle").
		Attr("T: type").
		Deprecated(20, "It has a successor.").
		Doc(`Writes the slices of a tensor along its first dimension to the elements of an array behind a reference, in order.

flow_in: The flow of the operation before.
flow_out: The flow for the operation after.`)
	registry.Define("TensorArrayWrite").
		Input("handle: Ref(string)").Input("index: int32").Input("value: T").
		Input("flow_in: float").Output("flow_out: float").
		Writes("handle").
		Attr("T: type").
		Deprecated(16, "It has a successor.").
		Doc(`Writes an element of an array, as TensorArrayWriteV3 does behind a reference.

index: As in TensorArrayWriteV3.
flow_in: The flow of the operation before.
flow_out: The flow for the operation after.`)
	registry.Define("TensorArrayWriteV2").
		Input("handle: string").Input("index: int32").Input("value: T").
		Input("flow_in: float").Output("flow_out: float").
		Attr("T: type").
		Deprecated(26, "It has a successor.").
		Doc(`Writes an element of an array, as TensorArrayWriteV3 does, by an older form of handle.

index: As in TensorArrayWriteV3.
flow_in: The flow of the operation before.
flow_out: The flow for the operation after.`)

	const handle, flow = "handle: [2], ", "flow_in: [] -> flow_out: []"
	shape.Register(shape.Rule("handle: [2] ->"), "TensorArrayClose", "TensorArrayCloseV2")
	shape.Register(shape.Rule(handle+"flow_in: [] -> size: []"), "TensorArraySize", "TensorArraySizeV2")
	shape.Register(shape.Rule(handle+"flow_in: [] -> value: ?, lengths: [?]"), "TensorArrayConcat")
	shape.Register(shape.Rule(handle+"indices: [?], flow_in: [] -> value: ?"), "TensorArrayGather", "TensorArrayGatherV2")
	shape.Register(shape.Rule(handle+"flow_in: [] -> grad_handle: [2]"), "TensorArrayGrad", "TensorArrayGradV2")
	shape.Register(shape.Rule(handle+"flow_in: [] -> value: ?"), "TensorArrayPack")
	shape.Register(shape.Rule(handle+"index: [], flow_in: [] -> value: ?"), "TensorArrayRead", "TensorArrayReadV2")
	shape.Register(shape.Rule(handle+"indices: [n], value: [n,...], "+flow), "TensorArrayScatter", "TensorArrayScatterV2")
	shape.Register(shape.Rule(handle+"value: ?, lengths: [?], "+flow), "TensorArraySplit", "TensorArraySplitV2")
	shape.Register(shape.Rule(handle+"value: ?, "+flow), "TensorArrayUnpack")
	shape.Register(shape.Rule(handle+"index: [], value: ?, "+flow), "TensorArrayWrite", "TensorArrayWriteV2")

	kernel.ForAll(newWrite, "TensorArrayWrite", "TensorArrayWriteV2")
	kernel.ForAll(newRead, "TensorArrayRead", "TensorArrayReadV2")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(arraySize), nil }, "TensorArraySize", "TensorArraySizeV2")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(arrayClose), nil }, "TensorArrayClose", "TensorArrayCloseV2")
	kernel.ForAll(newGrad, "TensorArrayGrad", "TensorArrayGradV2")
	kernel.ForAll(newGather, "TensorArrayGather", "TensorArrayGatherV2")
	kernel.ForAll(newScatter, "TensorArrayScatter", "TensorArrayScatterV2")
	kernel.ForAll(newConcat, "TensorArrayConcat")
	kernel.ForAll(newSplit, "TensorArraySplit", "TensorArraySplitV2")
	kernel.ForAll(newPack, "TensorArrayPack")
	kernel.ForAll(newUnpack, "TensorArrayUnpack")
}

// oldArrayHandle returns a handle of two strings, by which the step finds the array.
func oldArrayHandle(ctx *kernel.Context, a *resource.TensorArray, ref bool) (tensor.Value, error) {
	if _, err := resource.LookupOrCreate(ctx.Step.PerStep, tensorArrays, a.Name(), func() (*resource.TensorArray, error) { return a, nil }); err != nil {
		return tensor.Value{}, err
	}
	if ref {
		return newOldHandle(tensorArrays, a.Name(), a), nil
	}
	t, err := tensor.FromSlice([]string{tensorArrays, a.Name()}, 2)
	return tensor.ValueOf(t), err
}

// arrayIn returns the array that a handle of any version leads to.
func arrayIn(ctx *kernel.Context, v *tensor.Value) (*resource.TensorArray, error) {
	if v.IsRef() || v.DType() != tensor.String {
		return held[*resource.TensorArray](v)
	}
	if v.NumElements() != 2 {
		return nil, status.Invalid("Tensor array handle must be 2-element vector, but had shape: %s", tensor.FormatDims(v.Dims()))
	}
	names := tensor.Of[string](v)
	return resource.Lookup[*resource.TensorArray](ctx.Step.PerStep, names[0], names[1])
}

// every returns the indices of all elements of the array behind a handle.
func every(ctx *kernel.Context, v *tensor.Value) (tensor.Value, error) {
	a, err := arrayIn(ctx, v)
	if err != nil {
		return tensor.Value{}, err
	}
	n, err := a.Len()
	if err != nil {
		return tensor.Value{}, err
	}
	indices, err := ctx.Alloc(tensor.Int32, []int64{int64(n)})
	if err != nil {
		return tensor.Value{}, err
	}
	for i := range n {
		tensor.Of[int32](&indices)[i] = int32(i)
	}
	return indices, nil
}

// newPack is TensorArrayGather of all elements.
func newPack(c *kernel.Construction) (kernel.Kernel, error) {
	gather, err := newGather(c)
	if err != nil {
		return nil, err
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		indices, err := every(ctx, &in[0])
		if err != nil {
			return err
		}
		return gather.Run(ctx, []tensor.Value{in[0], indices, in[1]}, out)
	}), nil
}

// newUnpack is TensorArrayScatter to all elements, as many as there are slices.
func newUnpack(c *kernel.Construction) (kernel.Kernel, error) {
	scatter, err := newScatter(c)
	if err != nil {
		return nil, err
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		if in[1].Rank() < 1 {
			return status.Invalid("Input value for unpack must be at least a vector but received shape: %s", tensor.FormatDims(in[1].Dims()))
		}
		a, err := arrayIn(ctx, &in[0])
		if err != nil {
			return err
		}
		size, err := a.Len()
		if err != nil {
			return err
		}
		n := in[1].Dim(0)
		if n != size && (n < size || !a.Dynamic()) {
			return status.Invalid("Input value must have first dimension equal to the array size (%d vs. %d)", n, size)
		}
		indices, err := ctx.Alloc(tensor.Int32, []int64{int64(n)})
		if err != nil {
			return err
		}
		for i := range n {
			tensor.Of[int32](&indices)[i] = int32(i)
		}
		return scatter.Run(ctx, []tensor.Value{in[0], indices, in[1], in[2]}, out)
	}), nil
}
