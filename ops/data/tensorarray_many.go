package data

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Reading and writing many elements of a TensorArray at once.
func init() {
	registry.Define("TensorArrayGatherV3").
		Input("handle: resource").Input("indices: int32").Input("flow_in: float").Output("value: dtype").
		Reads("handle").
		Attr("dtype: type").
		Attr("element_shape: shape = ?").
		Stateful().
		Doc(`Reads elements of an array and stacks them along a new first dimension.

indices: Which elements, a vector.
flow_in: The flow of the operations that wrote them.
element_shape: The shape of the elements, as far as it is known.`)
	registry.Define("TensorArrayScatterV3").
		Input("handle: resource").Input("indices: int32").Input("value: T").Input("flow_in: float").Output("flow_out: float").
		Writes("handle").
		Attr("T: type").
		Stateful().
		Doc(`Writes the slices of a tensor along its first dimension to elements of an array.

indices: The element for each slice, a vector.
flow_in: The flow of the operation before.
flow_out: The flow for the operation after.`)
	registry.Define("TensorArrayConcatV3").
		Input("handle: resource").Input("flow_in: float").Output("value: dtype").Output("lengths: int64").
		Reads("handle").
		Attr("dtype: type").
		Attr("element_shape_except0: shape = ?").
		Stateful().
		Doc(`Reads all elements of an array and joins them along their first dimension, in which alone they may differ.

flow_in: The flow of the operations that wrote them.
lengths: The size of each element in that dimension.
element_shape_except0: The shape of the elements behind the first dimension, as far as it is known.`)
	registry.Define("TensorArraySplitV3").
		Input("handle: resource").Input("value: T").Input("lengths: int64").Input("flow_in: float").Output("flow_out: float").
		Writes("handle").
		Attr("T: type").
		Stateful().
		Doc(`Cuts a tensor along its first dimension into pieces and writes them to an array's elements in order.

lengths: The size of each piece, as many as there are elements.
flow_in: The flow of the operation before.
flow_out: The flow for the operation after.`)
	registry.Define("TensorArrayConcatV2").
		Input("handle: string").Input("flow_in: float").Output("value: dtype").Output("lengths: int64").
		Attr("dtype: type").
		Attr("element_shape_except0: shape = ?").
		Doc(`Reads and joins all elements of an array, as TensorArrayConcatV3 does, by an older form of handle.

element_shape_except0: As in TensorArrayConcatV3.`)

	kernel.ForAll(newGather, "TensorArrayGatherV3")
	kernel.ForAll(newScatter, "TensorArrayScatterV3")
	kernel.ForAll(newConcat, "TensorArrayConcatV2", "TensorArrayConcatV3")
	kernel.ForAll(newSplit, "TensorArraySplitV3")
}

// elements collects elements that are read from an array into one tensor.
type elements struct {
	ctx  *kernel.Context
	dt   tensor.DType
	n    int
	dims []int64 // of every element
	all  tensor.Value
}

// add is for element k of n.
func (e *elements) add(k int, x *resource.Element) error {
	if k == 0 {
		e.dims = slices.Clone(x.Dims)
		var err error
		if e.all, err = e.ctx.Alloc(e.dt, append([]int64{int64(e.n)}, x.Dims...)); err != nil {
			return err
		}
	} else if !slices.Equal(e.dims, x.Dims) {
		return status.Invalid("TensorArray has inconsistent shapes.  Index 0 has shape: %s but index %d has shape: %s",
			tensor.FormatDims(e.dims), k, tensor.FormatDims(x.Dims))
	}
	size := e.all.NumElements() / e.n
	return place(&e.all, k*size, x, size)
}

// place puts the n elements of x at element i of dst.
func place(dst *tensor.Value, i int, x *resource.Element, n int) error {
	dt := dst.DType()
	switch {
	case !x.In.IsZero():
		strided.Move(dst, i, &x.In, x.Start, n)
	case dt.HasPointers():
		return status.Invalid("an element of type %v that was not written cannot be read as zeros", dt)
	default:
		clear(tensor.Bytes(dst)[i*dt.Size() : (i+n)*dt.Size()])
	}
	return nil
}

func newGather(c *kernel.Construction) (kernel.Kernel, error) {
	dt, declared := c.Type("dtype"), shape.FromAttr(c.Shape("element_shape"))
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		a, err := arrayOf(ctx, &in[0], dt, reads)
		if err != nil {
			return err
		}
		if in[1].Rank() != 1 {
			return status.Invalid("Expected indices to be a vector, but received shape: %s", tensor.FormatDims(in[1].Dims()))
		}
		indices := tensor.Of[int32](&in[1])
		if len(indices) == 0 {
			element, err := shape.Merge(declared, a.Shape())
			if err != nil {
				return err
			}
			if !element.Full() {
				return status.Errorf(status.Unimplemented, "TensorArray has size zero, but element shape %s is not fully defined. "+
					"Currently only static shapes are supported when packing zero-size TensorArrays.", resource.FormatShape(element))
			}
			out[0], err = ctx.Alloc(dt, append([]int64{0}, element.Dims()...))
			return err
		}
		e := elements{ctx: ctx, dt: dt, n: len(indices)}
		err = a.ReadEach(slices.All(indices), func(k int, x resource.Element) error {
			if !x.In.IsZero() && !shape.Compatible(declared, shape.Of(x.Dims...)) {
				return status.Invalid("TensorArray was passed element_shape %s which does not match the Tensor at index %d: %s",
					resource.FormatShape(declared), k, tensor.FormatDims(x.Dims))
			}
			return e.add(k, &x)
		})
		if err != nil {
			if !e.all.IsZero() {
				ctx.Free(e.all)
			}
			return err
		}
		out[0] = e.all
		return nil
	}), nil
}

func newScatter(c *kernel.Construction) (kernel.Kernel, error) {
	dt := c.Type("T")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		a, err := arrayOf(ctx, &in[0], dt, writes)
		if err != nil {
			return err
		}
		if in[1].Rank() != 1 {
			return status.Invalid("Expected indices to be a vector, but received shape: %s", tensor.FormatDims(in[1].Dims()))
		}
		if in[2].Rank() < 1 {
			return status.Invalid("Input value for unpack must be at least a vector but received shape: %s", tensor.FormatDims(in[2].Dims()))
		}
		indices := tensor.Of[int32](&in[1])
		if len(indices) != in[2].Dim(0) {
			return status.Invalid("Expected len(indices) == values.shape[0], but saw: %d vs. %d", len(indices), in[2].Dim(0))
		}
		size, err := a.Len()
		if err != nil {
			return err
		}
		if len(indices) > 0 && !a.Dynamic() && int(slices.Max(indices)) >= size {
			return status.Invalid("Max scatter index must be < array size (%d vs. %d)", slices.Max(indices), size)
		}
		out[0] = in[3]
		return a.WriteRows(indices, ctx.UnchargeValue(in[2]))
	}), nil
}

func newConcat(c *kernel.Construction) (kernel.Kernel, error) {
	dt, declared := c.Type("dtype"), shape.FromAttr(c.Shape("element_shape_except0"))
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		a, err := arrayOf(ctx, &in[0], dt, reads)
		if err != nil {
			return err
		}
		n, err := a.ConcatLen()
		if err != nil {
			return err
		}
		if n == 0 && !declared.Full() {
			return status.Errorf(status.Unimplemented, "TensorArray has size zero, but element_shape_except0 %s is not fully defined. "+
				"Currently only static shapes are supported when concatenating zero-size TensorArrays.", resource.FormatShape(declared))
		}
		if out[1], err = ctx.Alloc(tensor.Int64, []int64{int64(n)}); err != nil {
			return err
		}
		out[0], err = concat(ctx, a, dt, declared, tensor.Of[int64](&out[1]))
		return err
	}), nil
}

// concat joins the elements of an array, and stores their first dimensions.
func concat(ctx *kernel.Context, a *resource.TensorArray, dt tensor.DType, declared shape.Shape, lengths []int64) (tensor.Value, error) {
	var pieces []resource.Element
	var rest []int64 // the dimensions behind the first
	rows := int64(0)
	if len(lengths) == 0 {
		rest = declared.Dims()
	}
	all := func(yield func(int, int32) bool) {
		for i := range lengths {
			if !yield(i, int32(i)) {
				return
			}
		}
	}
	err := a.ReadEach(all, func(k int, x resource.Element) error {
		dims := x.Dims
		switch {
		case len(dims) == 0:
			return status.Invalid("Concat saw a scalar shape at index %d but requires at least vectors.  Did you mean to call pack?", k)
		case !shape.Compatible(declared, shape.Of(dims[1:]...)):
			return status.Invalid("TensorArray was passed element_shape_except0 %s but index %d has (excepting dimension 0) shape: %s which does not match.",
				resource.FormatShape(declared), k, tensor.FormatDims(dims[1:]))
		case k == 0:
			rest = slices.Clone(dims[1:])
		case !slices.Equal(rest, dims[1:]):
			return status.Invalid("TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: %s but index %d has (excepting dimension 0) shape: %s",
				tensor.FormatDims(rest), k, tensor.FormatDims(dims[1:]))
		}
		pieces = append(pieces, x)
		lengths[k] = dims[0]
		rows += dims[0]
		return nil
	})
	if err != nil {
		return tensor.Value{}, err
	}
	o, err := ctx.Alloc(dt, append([]int64{rows}, rest...))
	if err != nil {
		return tensor.Value{}, err
	}
	at := 0
	for k := range pieces {
		n := int(lengths[k])
		for _, d := range rest {
			n *= int(d)
		}
		if err := place(&o, at, &pieces[k], n); err != nil {
			return tensor.Value{}, err
		}
		at += n
	}
	return o, nil
}

func newSplit(c *kernel.Construction) (kernel.Kernel, error) {
	dt := c.Type("T")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		a, err := arrayOf(ctx, &in[0], dt, writes)
		if err != nil {
			return err
		}
		value, lengths := in[1], tensor.Of[int64](&in[2])
		if in[2].Rank() != 1 {
			return status.Invalid("Expected lengths to be a vector, received shape: %s", tensor.FormatDims(in[2].Dims()))
		}
		if value.Rank() < 1 {
			return status.Invalid("Expected value to be at least a vector, but received shape: %s", tensor.FormatDims(value.Dims()))
		}
		rows, total := value.Dims()[0], int64(0)
		for i, n := range lengths {
			if n < 0 {
				return status.Invalid("Expected lengths not to be negative, but lengths[%d] is %d", i, n)
			}
			if total += n; total > rows || total < 0 {
				break
			}
		}
		if total != rows {
			return status.Invalid("Expected sum of lengths to be equal to values.shape[0], but sum of lengths is %d and value's shape is: %s",
				total, tensor.FormatDims(value.Dims()))
		}
		size, err := a.Len()
		if err != nil {
			return err
		}
		if size != len(lengths) && !(a.Dynamic() && size < len(lengths)) {
			return status.Invalid("TensorArray's size is not equal to the size of lengths (%d vs. %d), and the TensorArray is not marked as dynamically resizeable", size, len(lengths))
		}
		out[0] = in[3]
		return a.WritePieces(lengths, ctx.UnchargeValue(value))
	}), nil
}
