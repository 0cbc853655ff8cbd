package data

import (
	"fmt"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("TensorArrayV3").
		Input("size: int32").Output("handle: resource").Output("flow: float").
		Attr("dtype: type").
		Attr("element_shape: shape = ?").
		Attr("dynamic_size: bool = false").
		Attr("clear_after_read: bool = true").
		Attr("identical_element_shapes: bool = false").
		Attr("tensor_array_name: string = ''").
		Stateful().
		Doc(`Makes an array of tensors, each of which is written once.

It lives as long as the step.

size: How many elements, a scalar.
flow: What the first operation on the array takes; the flow from one to the next puts them in order.
element_shape: The shape of the elements, as far as it is known.
dynamic_size: Whether writing beyond the end makes the array longer, rather than fail.
clear_after_read: Whether an element can be read only once and is dropped then.
identical_element_shapes: Whether all elements have the shape of the first one written.
tensor_array_name: A name for messages and for the array of gradients; empty for the node's.`)
	registry.Define("TensorArrayWriteV3").
		Input("handle: resource").Input("index: int32").Input("value: T").Input("flow_in: float").Output("flow_out: float").
		Writes("handle").
		Attr("T: type").
		Stateful().
		Doc(`Writes an element of an array.

index: Which element; one that was written already is an error.
value: The element, of the array's type and shape.
flow_in: The flow of the operation before.
flow_out: The flow for the operation after.`)
	registry.Define("TensorArrayReadV3").
		Input("handle: resource").Input("index: int32").Input("flow_in: float").Output("value: dtype").
		Reads("handle").
		Attr("dtype: type").
		Stateful().
		Doc(`Reads an element of an array.

index: Which element; one that was not written is zeros if the shape of elements is known, else an error.
flow_in: The flow of the operations that wrote it.`)
	registry.Define("TensorArraySizeV3").
		Input("handle: resource").Input("flow_in: float").Output("size: int32").
		Leaves("handle").Traits(registry.Scalar).
		Stateful().
		Doc(`Gives the number of elements of an array.

flow_in: The flow of the operation before.`)
	registry.Define("TensorArrayCloseV3").
		Input("handle: resource").
		Writes("handle").
		Stateful().
		Doc("Drops the elements of an array, which cannot be used afterwards.")
	registry.Define("TensorArrayGradV3").
		Input("handle: resource").Input("flow_in: float").Output("grad_handle: resource").Output("flow_out: float").
		Leaves("handle").
		Attr("source: string").
		Stateful().
		Doc(`Gives the array of the gradients of an array's elements; what is written to one element of it is added up.

flow_in: The flow of the operation before.
flow_out: The flow for the first operation on the gradients.
source: A name for the gradient that is computed: there is one array for each.`)
	registry.Define("TensorArrayGradWithShape").
		Input("handle: resource").Input("flow_in: float").Input("shape_to_prepend: int32").Output("grad_handle: resource").Output("flow_out: float").
		Leaves("handle").
		Attr("source: string").
		Stateful().
		Doc(`Gives the array of the gradients of an array's elements, as TensorArrayGradV3 does, with dimensions in front of theirs.

flow_in: The flow of the operation before.
shape_to_prepend: The sizes of these dimensions.
flow_out: The flow for the first operation on the gradients.
source: A name for the gradient that is computed: there is one array for each.`)
	registry.Define("TensorArrayV2").
		Input("size: int32").Output("handle: string").
		Attr("dtype: type").
		Attr("element_shape: shape = ?").
		Attr("dynamic_size: bool = false").
		Attr("clear_after_read: bool = true").
		Attr("tensor_array_name: string = ''").
		Stateful().
		Deprecated(26, "Use TensorArrayV3").
		Doc(`Makes an array of tensors, as TensorArrayV3 does, with an older form of handle.

size: How many elements, a scalar.
element_shape: As in TensorArrayV3.
dynamic_size: As in TensorArrayV3.
clear_after_read: As in TensorArrayV3.
tensor_array_name: As in TensorArrayV3.`)
	registry.Define("TensorArray").
		Input("size: int32").Output("handle: Ref(string)").
		Attr("dtype: type").
		Attr("dynamic_size: bool = false").
		Attr("clear_after_read: bool = true").
		Attr("tensor_array_name: string = ''").
		Attr("element_shape: shape = ?").
		Stateful().
		Deprecated(16, "Use TensorArrayV3").
		Doc(`Makes an array of tensors, as TensorArrayV3 does, behind a reference.

size: How many elements, a scalar.
dynamic_size: As in TensorArrayV3.
clear_after_read: As in TensorArrayV3.
tensor_array_name: As in TensorArrayV3.
element_shape: As in TensorArrayV3.`)

	kernel.ForAll(newTensorArray, "TensorArray", "TensorArrayV2", "TensorArrayV3")
	kernel.ForAll(newWrite, "TensorArrayWriteV3")
	kernel.ForAll(newRead, "TensorArrayReadV3")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(arraySize), nil }, "TensorArraySizeV3")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(arrayClose), nil }, "TensorArrayCloseV3")
	kernel.ForAll(newGrad, "TensorArrayGradV3", "TensorArrayGradWithShape")
}

const tensorArrays = "_tensor_arrays"

func newTensorArray(c *kernel.Construction) (kernel.Kernel, error) {
	o := resource.TensorArrayOptions{
		Name: c.Str("tensor_array_name"), Type: c.Type("dtype"),
		Dynamic: c.Bool("dynamic_size"), ClearAfterRead: c.Bool("clear_after_read"), Identical: c.Bool("identical_element_shapes"),
	}
	if o.Name == "" {
		o.Name = c.Node
	}
	if s := c.Shape("element_shape"); shape.CheckAttr(s) == nil {
		o.Shape = shape.FromAttr(s)
	} else {
		return nil, shape.CheckAttr(s)
	}
	if combine := elementwise.Combine(elementwise.UpdateAdd, o.Type); combine != nil {
		o.Add = func(acc, x *tensor.Value) {
			_ = combine.Range(acc, acc, 0, x, 0, acc.NumElements()) // a sum cannot fail
		}
	}
	return &tensorArray{o, c.Device, c.Outputs[0]}, nil
}

type tensorArray struct {
	options resource.TensorArrayOptions
	device  string
	handle  tensor.DType // a resource; or strings, perhaps behind a reference
}

func (k *tensorArray) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if !in[0].IsScalar() {
		return status.Invalid("TensorArray size must be scalar, but had shape: %s", tensor.FormatDims(in[0].Dims()))
	}
	o := k.options
	if o.Size = int(tensor.At0[int32](&in[0])); o.Size < 0 {
		return status.Invalid("TensorArray size must not be negative, but is %d", o.Size)
	}
	o.Name = fmt.Sprintf("%s_%d", o.Name, ctx.Step.PerStep.NextID())
	a, err := resource.LookupOrCreate(ctx.Step.PerStep, tensorArrays, o.Name, func() (*resource.TensorArray, error) {
		return resource.NewTensorArray(ctx.Step.Resources, o), nil
	})
	if err != nil {
		return err
	}
	if k.handle.Base() == tensor.String {
		out[0], err = oldArrayHandle(ctx, a, k.handle.IsRef())
		return err
	}
	out[0] = arrayHandle(k.device, a)
	out[1] = tensor.Scalar(float32(0))
	return nil
}

func arrayHandle(device string, a *resource.TensorArray) tensor.Value {
	return a.Handle(func(a *resource.TensorArray) tensor.Value {
		return newHandle(device, tensorArrays, a.Name(), "TensorArray", a)
	})
}

// index returns the scalar index in v.
func index(v *tensor.Value) (int, error) {
	if !v.IsScalar() {
		return 0, status.Invalid("TensorArray index must be scalar, but had shape: %s", tensor.FormatDims(v.Dims()))
	}
	return int(tensor.At0[int32](v)), nil
}

// arrayOf returns the array of a handle, whose elements must be of type dt.
func arrayOf(ctx *kernel.Context, v *tensor.Value, dt tensor.DType, verb string) (*resource.TensorArray, error) {
	a, err := arrayIn(ctx, v)
	if err == nil && a.Type() != dt {
		return nil, status.Invalid("TensorArray dtype is %v but Op %s dtype %v.", a.Type(), verb, dt)
	}
	return a, err
}

const (
	writes = "is trying to write"
	reads  = "requested"
)

func newWrite(c *kernel.Construction) (kernel.Kernel, error) {
	dt := c.Type("T")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		a, err := arrayOf(ctx, &in[0], dt, writes)
		if err != nil {
			return err
		}
		i, err := index(&in[1])
		if err != nil {
			return err
		}
		v := in[2]
		if !a.Copies(&v) {
			v = ctx.UnchargeValue(v)
		}
		out[0] = in[3]
		return a.Write(i, v)
	}), nil
}

func newRead(c *kernel.Construction) (kernel.Kernel, error) {
	dt := c.Type("dtype")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		a, err := arrayOf(ctx, &in[0], dt, reads)
		if err != nil {
			return err
		}
		i, err := index(&in[1])
		if err != nil {
			return err
		}
		e, err := a.Read(i)
		if err == nil {
			out[0], err = element(ctx, dt, &e)
		}
		if err == nil && e.Whole && e.Given && !e.In.IsZero() {
			out[0] = ctx.ChargeValue(out[0])
		}
		return err
	}), nil
}

// viewedAbove is the size in bytes above which a part of an array's memory is
// read as a view of it. A copy of less costs no more, and its reader may write it.
const viewedAbove = 2 << 10

// element returns an element of an array by itself.
func element(ctx *kernel.Context, dt tensor.DType, e *resource.Element) (tensor.Value, error) {
	switch {
	case e.In.IsZero() && dt.HasPointers():
		return tensor.Value{}, status.Invalid("an element of type %v that was not written cannot be read as zeros", dt)
	case e.In.IsZero():
		return ctx.AllocZeroed(dt, e.Dims)
	case e.Whole:
		return e.In, nil
	}
	n := 1
	for _, d := range e.Dims {
		n *= int(d)
	}
	if dt.HasPointers() || n*dt.Size() > viewedAbove {
		return ctx.View(e.Lend(), e.Start, n, e.Dims)
	}
	v, err := ctx.Alloc(dt, e.Dims)
	if err == nil {
		strided.Move(&v, 0, &e.In, e.Start, n)
	}
	return v, err
}

func arraySize(ctx *kernel.Context, in, out []tensor.Value) error {
	a, err := arrayIn(ctx, &in[0])
	if err != nil {
		return err
	}
	n, err := a.Len()
	out[0] = tensor.Scalar(int32(n))
	return err
}

func arrayClose(ctx *kernel.Context, in, _ []tensor.Value) error {
	a, err := arrayIn(ctx, &in[0])
	if err != nil {
		return err
	}
	a.Close()
	return nil
}

func newGrad(c *kernel.Construction) (kernel.Kernel, error) {
	source, device := c.Str("source"), c.Device
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		a, err := arrayIn(ctx, &in[0])
		if err != nil {
			return err
		}
		var prepend []int64
		if len(in) > 2 {
			if prepend, err = kernel.Dims(&in[2], "shape_to_prepend"); err != nil {
				return err
			}
		}
		g, err := a.Gradient(ctx.Step.Resources, source, prepend)
		if err != nil {
			return err
		}
		if dt := c.Outputs[0].Base(); dt == tensor.String {
			out[0], err = oldArrayHandle(ctx, g, c.Outputs[0].IsRef())
			return err
		}
		out[0], out[1] = arrayHandle(device, g), in[1]
		return nil
	}), nil
}
