package list

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("EmptyTensorList").
		Input("element_shape: shape_type").Input("max_num_elements: int32").Output("handle: variant").
		Traits(registry.Cheap).
		Attr("element_dtype: type").
		Attr("shape_type: {int32, int64}").
		Doc(`Makes an empty list of tensors.

element_shape: The shape of the elements as far as it is known: a vector with -1 for an unknown dimension, or the scalar -1.
max_num_elements: The most elements the list may get; -1 for any number.
element_dtype: The type of the elements.`)
	registry.Define("TensorListReserve").
		Input("element_shape: shape_type").Input("num_elements: int32").Output("handle: variant").
		Attr("element_dtype: type").
		Attr("shape_type: {int32, int64}").
		Doc(`Makes a list of a given length whose elements are not set.

element_shape: The shape of the elements as far as it is known: a vector with -1 for an unknown dimension, or the scalar -1.
num_elements: The length.
element_dtype: The type of the elements.`)
	registry.Define("TensorListFromTensor").
		Input("tensor: element_dtype").Input("element_shape: shape_type").
		Output("output_handle: variant").
		Attr("element_dtype: type").
		Attr("shape_type: {int32, int64}").
		Doc(`Makes a list of the slices of a tensor along its first dimension.

element_shape: A shape that the slices fit.`)
	registry.Define("TensorListSplit").
		Input("tensor: element_dtype").Input("element_shape: shape_type").Input("lengths: int64").
		Output("output_handle: variant").
		Attr("element_dtype: type").
		Attr("shape_type: {int32, int64}").
		Doc(`Cuts a tensor along its first dimension into pieces of given lengths, and makes a list of them.

element_shape: A shape that the pieces fit.
lengths: How much of the first dimension each piece gets; they add up to all of it.`)
	registry.Define("TensorListScatter").
		Input("tensor: element_dtype").Input("indices: int32").Input("element_shape: shape_type").
		Output("output_handle: variant").
		Attr("element_dtype: type").
		Attr("shape_type: {int32, int64}").
		Doc(`Makes a list of the slices of a tensor, each put at a given place.

indices: The place of each slice. The list is as long as the largest asks for.
element_shape: A shape that the slices fit.`)
	registry.Define("TensorListScatterV2").
		Input("tensor: element_dtype").Input("indices: int32").Input("element_shape: shape_type").
		Input("num_elements: int32").Output("output_handle: variant").
		Attr("element_dtype: type").
		Attr("shape_type: {int32, int64}").
		Doc(`Makes a list of the slices of a tensor, each put at a given place, of a length that may be given.

indices: The place of each slice.
element_shape: A shape that the slices fit.
num_elements: The least length; -1 to have it from the largest index.`)

	registerAny(newTyped(typed.empty), "EmptyTensorList")
	registerAny(newTyped(typed.reserve), "TensorListReserve")
	register(newTyped(typed.fromTensor), "TensorListFromTensor")
	register(newTyped(typed.split), "TensorListSplit")
	register(newTyped(typed.scatter), "TensorListScatter", "TensorListScatterV2")

	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.Set(0, c.Op("TensorListStack", c.Attrs("element_dtype"), c.Dy(0), c.RowShape(c.Input(0))))
		}
	}, "TensorListFromTensor")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			parts := c.Outputs("TensorListConcatV2", c.Attrs("element_dtype"), c.Dy(0), pieceShape(c, c.Input(0)), c.Input(2))
			if parts != nil {
				c.Set(0, parts[0])
			}
		}
	}, "TensorListSplit")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.Set(0, c.Op("TensorListGather", c.Attrs("element_dtype"), c.Dy(0), c.Input(1), c.RowShape(c.Input(0))))
		}
	}, "TensorListScatter", "TensorListScatterV2")
}

func (k typed) empty(ctx *kernel.Context, in, out []tensor.Value) error {
	limit, err := count(&in[1], "max_num_elements expected to be a scalar but got shape: %s")
	if err != nil {
		return err
	}
	s, err := shapeIn(&in[0])
	if err != nil {
		return err
	}
	return newList(k.dt, s, limit, 0).put(ctx, &out[0])
}

func (k typed) reserve(ctx *kernel.Context, in, out []tensor.Value) error {
	s, err := shapeIn(&in[0])
	if err != nil {
		return err
	}
	n, err := count(&in[1], "The num_elements to reserve must be a tensor size 1, but got %s")
	if err != nil {
		return err
	}
	if n < 0 {
		return status.Invalid("The num_elements to reserve must be a non negative number, but got %d", n)
	}
	return newList(k.dt, s, -1, n).put(ctx, &out[0])
}

// rows makes an empty list for the rows of x, whose shape must be one that s
// allows.
func (k typed) rows(x, s *tensor.Value) (*List, error) {
	element, err := shapeIn(s)
	if err != nil {
		return nil, err
	}
	if x.Rank() < 1 {
		return nil, status.Invalid("Tensor must be at least a vector, but saw shape: %s", tensor.FormatDims(x.Dims()))
	}
	l := newList(k.dt, element, -1, 0)
	if !l.compatible(x.Dims()[1:]) {
		return nil, status.Invalid("Specified a list with shape %s from a tensor with shape %s", resource.FormatShape(element), tensor.FormatDims(x.Dims()[1:]))
	}
	return l, nil
}

func (k typed) fromTensor(ctx *kernel.Context, in, out []tensor.Value) error {
	l, err := k.rows(&in[0], &in[1])
	if err != nil {
		return err
	}
	l.n = in[0].Dim(0)
	for i := range l.n {
		if err := l.extend(ctx, i); err != nil {
			return err
		}
		r, err := row(ctx, in[0], i)
		if err != nil {
			return err
		}
		l.begin(i, r)
	}
	return l.put(ctx, &out[0])
}

func (k typed) split(ctx *kernel.Context, in, out []tensor.Value) error {
	x, lengths := in[0], in[2]
	element, err := shapeIn(&in[1])
	if err != nil {
		return err
	}
	if lengths.Rank() != 1 {
		return status.Invalid("Expected lengths to be a vector, received shape: %s", tensor.FormatDims(lengths.Dims()))
	}
	if x.Rank() < 1 {
		return status.Invalid("Tensor must be at least a vector, but saw shape: %s", tensor.FormatDims(x.Dims()))
	}
	if element.Rank() == 0 {
		return status.Invalid("TensorListSplit requires element_shape to be at least of rank 1, but saw: %s", resource.FormatShape(element))
	}
	rest := shape.Of(x.Dims()[1:]...)
	if element.Known() && !shape.Compatible(element.From(1), rest) {
		return status.Invalid("tensor shape %s is not compatible with element_shape %s", tensor.FormatDims(x.Dims()), resource.FormatShape(element))
	}
	l := newList(k.dt, element, -1, lengths.NumElements())
	row := 1
	for _, d := range x.Dims()[1:] {
		row *= int(d)
	}
	at, n := int64(0), int64(x.Dim(0))
	for i, length := range tensor.Of[int64](&lengths) {
		if err := l.extend(ctx, i); err != nil {
			return err
		}
		if length < 0 {
			return status.Invalid("Invalid value in lengths: %d", length)
		}
		if length > n-at {
			return status.Invalid("Attempting to slice [%d, %d] from tensor with length %d", at, uint64(at)+uint64(length), n)
		}
		dims := append([]int64{length}, x.Dims()[1:]...)
		p, err := part(ctx, x, int(at)*row, int(length)*row, dims)
		if err != nil {
			return err
		}
		l.begin(i, p)
		at += length
	}
	if at < n {
		return status.Invalid("Unused values in tensor. Length of tensor: %d Values used: %d", n, at)
	}
	return l.put(ctx, &out[0])
}

// scatter serves both versions.
func (k typed) scatter(ctx *kernel.Context, in, out []tensor.Value) error {
	x, indices := in[0], in[1]
	n := -1
	if len(in) > 3 {
		var err error
		if n, err = count(&in[3], "num_elements must be a scalar, got shape %s"); err != nil {
			return err
		}
		if n < -1 {
			return status.Invalid("TensorListScatter expects num_elements >= -1, found: %d", n)
		}
	}
	l, err := k.rows(&x, &in[2])
	if err != nil {
		return err
	}
	if indices.NumElements() != x.Dim(0) {
		return status.Invalid("Invalid number of rows in input tensor. Expected: %d Actual: %d", indices.NumElements(), x.Dim(0))
	}
	at := tensor.Of[int32](&indices)
	for _, i := range at {
		if i < 0 {
			return status.Invalid("Indices in TensorListScatter must all be non-negative.")
		}
		if n >= 0 && int(i) >= n {
			return status.Invalid("TensorListScatter: Trying to scatter at index %d in list with size %d", i, n)
		}
		l.n = max(l.n, int(i)+1)
	}
	l.n = max(l.n, n)
	for k, i := range at {
		if err := l.extend(ctx, k); err != nil {
			return err
		}
		r, err := row(ctx, x, k)
		if err != nil {
			return err
		}
		l.begin(int(i), r)
	}
	return l.put(ctx, &out[0])
}
