package list

import (
	"strconv"
	"unsafe"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("TensorListGetItem").
		Input("input_handle: variant").Input("index: int32").Input("element_shape: Tshape").
		Output("item: element_dtype").
		Attr("element_dtype: type").
		Attr("Tshape: {int32, int64} = DT_INT32").
		Doc(`Gives an element of a list.

An element that is not set reads as zeros if its shape is known.

index: Its place, from 0.
element_shape: A shape that the element fits.
element_dtype: The type of the elements.`)
	registry.Define("TensorListSetItem").
		Input("input_handle: variant").Input("index: int32").Input("item: element_dtype").
		Output("output_handle: variant").
		Attr("element_dtype: type").
		Attr("resize_if_index_out_of_bounds: bool = false").
		Doc(`Gives a list in which one element is replaced.

index: Its place, from 0.
item: The new element.
resize_if_index_out_of_bounds: Whether the list grows to hold the element, rather than fail.`)
	registry.Define("TensorListPushBack").
		Input("input_handle: variant").Input("tensor: element_dtype").Output("output_handle: variant").
		Attr("element_dtype: type").
		Doc("Gives a list with one more element at its end.")
	registry.Define("TensorListPushBackBatch").
		Input("input_handles: variant").Input("tensor: element_dtype").Output("output_handles: variant").
		Attr("element_dtype: type").
		Doc(`Pushes a slice of a tensor onto each of several lists.

input_handles: The lists, as many as tensor has slices along its first dimension.`)
	registry.Define("TensorListPopBack").
		Input("input_handle: variant").Input("element_shape: int32").Output("output_handle: variant").
		Output("tensor: element_dtype").
		Attr("element_dtype: type").
		Doc(`Gives a list without its last element, and that element.

element_shape: A shape that the element fits.
element_dtype: The type of the elements.`)
	registry.Define("TensorListResize").
		Input("input_handle: variant").Input("size: int32").Output("output_handle: variant").
		Doc(`Gives a list of another length: elements are cut off, or added that are not set.

size: The new length.`)
	registry.Define("TensorListLength").
		Input("input_handle: variant").Output("length: int32").
		Traits(registry.Scalar).
		Doc("Returns the number of elements of a list.")
	registry.Define("TensorListElementShape").
		Input("input_handle: variant").Output("element_shape: shape_type").
		Attr("shape_type: {int32, int64}").
		Doc(`Returns what is known of the shape of a list's elements.

element_shape: A vector with -1 for unknown dimensions, or the scalar -1 for an unknown rank.
shape_type: The type of the shape's numbers.`)
	registry.Define("TensorListScatterIntoExistingList").
		Input("input_handle: variant").Input("tensor: element_dtype").Input("indices: int32").
		Output("output_handle: variant").
		Attr("element_dtype: type").
		Doc(`Gives a list in which the slices of a tensor are put at given places.

indices: The place of each slice.`)

	register(newTyped(typed.getItem), "TensorListGetItem")
	register(newTyped(typed.popBack), "TensorListPopBack")
	// Backward loops keep handles as well: TensorFlow has those on stacks.
	kernel.Register(kernel.Registration{Op: "TensorListPopBack", Types: map[string][]tensor.DType{"element_dtype": {tensor.Resource}}, Holders: counts("TensorListPopBack"), New: newTyped(typed.popBack)})
	register(newTyped(typed.pushBackBatch), "TensorListPushBackBatch")
	register(newTyped(typed.scatterInto), "TensorListScatterIntoExistingList")
	registerAny(newTyped(typed.setItem), "TensorListSetItem")
	registerAny(newTyped(typed.pushBack), "TensorListPushBack")
	registerAny(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(resize), nil }, "TensorListResize")
	registerAny(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(length), nil }, "TensorListLength")
	registerAny(newElementShape, "TensorListElementShape")

	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			list := c.Input(0)
			shape := c.Op("TensorListElementShape", graph.Attrs{"shape_type": tensor.Int32}, list) // other elements may have others
			zeros := c.Op("TensorListReserve", c.Attrs("element_dtype"), shape, lengthOf(c, list))
			c.Set(0, c.Apply("TensorListSetItem", zeros, c.Input(1), c.Dy(0)))
		}
	}, "TensorListGetItem")
	gradient.Register(func(c *gradient.Context) {
		if !c.Has(0) {
			return
		}
		dlist, at, item := c.Dy(0), c.Input(1), c.Input(2)
		if c.Wants(0) {
			rest := c.Apply("TensorListSetItem", dlist, at, c.Zeros(item))
			if c.Bool("resize_if_index_out_of_bounds") {
				rest = c.Apply("TensorListResize", rest, lengthOf(c, c.Input(0)))
			}
			c.Set(0, rest)
		}
		if c.Wants(2) {
			c.Set(2, c.Op("TensorListGetItem", c.Attrs("element_dtype"), dlist, at, c.Shape(item)))
		}
	}, "TensorListSetItem")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.SetList(0, c.Outputs("TensorListPopBack", c.Attrs("element_dtype"), c.Dy(0), c.Shape(c.Input(1))))
		}
	}, "TensorListPushBack")
	gradient.Register(func(c *gradient.Context) {
		c.Set(0, c.Apply("TensorListPushBack", c.Dy(0), c.Dy(1)))
	}, "TensorListPopBack")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.Set(0, c.Apply("TensorListResize", c.Dy(0), lengthOf(c, c.Input(0))))
		}
	}, "TensorListResize")
	gradient.Register(func(c *gradient.Context) {
		if !c.Has(0) {
			return
		}
		dlist, rows, indices := c.Dy(0), c.Input(1), c.Input(2)
		if c.Wants(0) {
			c.Set(0, c.Apply("TensorListScatterIntoExistingList", dlist, c.Zeros(rows), indices))
		}
		if c.Wants(1) {
			c.Set(1, c.Op("TensorListGather", c.Attrs("element_dtype"), dlist, indices, c.RowShape(rows)))
		}
	}, "TensorListScatterIntoExistingList")
	gradient.None("TensorListElementShape", "TensorListLength", "TensorListPushBackBatch")
}

// A typed kernel works on elements of one type.
type typed struct {
	dt     tensor.DType
	resize bool // SetItem may make the list longer
}

//go:noinline
func newTyped(run func(k typed, ctx *kernel.Context, in, out []tensor.Value) error) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		k := typed{dt: c.Type("element_dtype"), resize: c.Bool("resize_if_index_out_of_bounds")}
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return run(k, ctx, in, out) }), nil
	}
}

func (k typed) getItem(ctx *kernel.Context, in, out []tensor.Value) error {
	l, err := listOf(&in[0])
	if err != nil {
		return err
	}
	if err := l.sameType(k.dt); err != nil {
		return err
	}
	at, err := kernel.OnlyInt(&in[1], "index")
	if err != nil {
		return err
	}
	i := int(at)
	if i < 0 || i >= l.n {
		return status.Invalid("Trying to access element %d in a list with %d elements.", i, l.n)
	}
	if out[0] = l.at(i); !out[0].IsZero() {
		return nil
	}
	s, err := l.asked(&in[2])
	if err != nil {
		return err
	}
	if s, err = l.inferred(ctx, s, l.n, inOrder); err != nil {
		return err
	}
	if !s.Full() {
		return status.Invalid("Trying to read an uninitialized tensor but element_shape is not fully defined: %s and no list element is set.", resource.FormatShape(s))
	}
	out[0], err = ctx.AllocZeroed(k.dt, s.Dims())
	return err
}

func (k typed) setItem(ctx *kernel.Context, in, out []tensor.Value) error {
	l, err := listOf(&in[0])
	if err != nil {
		return err
	}
	if err := l.sameType(k.dt); err != nil {
		return err
	}
	i, err := count(&in[1], "Expected argument 1 to be a scalar. Received a tensor of shape %s")
	if err != nil {
		return err
	}
	n := l.n
	if k.resize && i >= n {
		n = i + 1
	}
	if i < 0 || i >= n {
		return status.Invalid("Trying to modify element %d in a list with %d elements.", i, l.n)
	}
	if !l.compatible(in[2].Dims()) {
		return status.Invalid("Tried to set a tensor with incompatible shape at a list index. Item element shape: %s list shape: %s",
			tensor.FormatDims(in[2].Dims()), resource.FormatShape(l.shape))
	}
	x, err := keep(ctx, in[2])
	if err != nil {
		return err
	}
	return l.with(n, change{i, x}).put(ctx, &out[0])
}

func (k typed) pushBack(ctx *kernel.Context, in, out []tensor.Value) error {
	l, err := listOf(&in[0])
	if err != nil {
		return err
	}
	if err := l.fits(in[1].Dims(), k.dt, ""); err != nil {
		return err
	}
	switch v := in[1]; {
	case l.takes(&v):
		if l.alone(ctx, in, &out[0]) {
			return l.push(ctx, v)
		}
	case ctx.Lock == nil && !l.isPile():
		x, err := keep(ctx, v)
		if err != nil {
			return err
		}
		if l.alone(ctx, in, &out[0]) {
			return l.append(ctx, x)
		}
		return l.with(l.n+1, change{l.n, x}).put(ctx, &out[0])
	}
	x, err := keep(ctx, in[1])
	if err != nil {
		return err
	}
	return l.with(l.n+1, change{l.n, x}).put(ctx, &out[0])
}

// fits reports whether a tensor may be pushed onto l.
func (l *List) fits(dims []int64, dt tensor.DType, where string) error {
	if l.dt != dt {
		return status.Invalid("Invalid data types; list elements %v but tried to append %v", l.dt, dt)
	}
	if !l.compatible(dims) {
		return status.Invalid("Tried to append a tensor with incompatible shape to a list%s. Op element shape: %s list shape: %s",
			where, tensor.FormatDims(dims), resource.FormatShape(l.shape))
	}
	if l.max >= 0 && l.n >= l.max {
		return status.Invalid("Tried to push item into a full list%s list size: %d max_num_elements: %d", where, l.n, l.max)
	}
	return nil
}

func (k typed) pushBackBatch(ctx *kernel.Context, in, out []tensor.Value) error {
	lists, x := in[0], in[1]
	if x.Rank() < 1 {
		return status.Invalid("Expected tensor to be at least a vector, but saw shape: %s", tensor.FormatDims(x.Dims()))
	}
	if n := lists.NumElements(); x.Dim(0) != n {
		return status.Invalid("Expected tensor.shape[0] == input_handles.size, but saw %d vs. %d", x.Dim(0), n)
	}
	v, err := ctx.Alloc(tensor.Variant, lists.Dims())
	if err != nil {
		return err
	}
	for i, o := range tensor.Of[*tensor.Object](&lists) {
		l, err := heldBy(o)
		if err != nil {
			return err
		}
		if err := l.fits(x.Dims()[1:], k.dt, " at index "+strconv.Itoa(i)); err != nil {
			return err
		}
		r, err := row(ctx, x, i)
		if err != nil {
			return err
		}
		tensor.Of[*tensor.Object](&v)[i] = l.with(l.n+1, change{l.n, r}).element()
	}
	out[0] = v
	return nil
}

func (k typed) popBack(ctx *kernel.Context, in, out []tensor.Value) error {
	l, err := listOf(&in[0])
	if err != nil {
		return err
	}
	if err := l.sameType(k.dt); err != nil {
		return err
	}
	if l.n == 0 {
		return status.Invalid("Trying to pop from an empty list.")
	}
	switch piled := l.isPile(); {
	case piled:
		if l.alone(ctx, in, &out[0]) {
			out[1], err = l.pop(ctx)
			return err
		}
	case ctx.Lock == nil && l.gives():
		if l.alone(ctx, in, &out[0]) {
			out[1] = l.last(ctx.Arena)
			return l.charge(ctx)
		}
	}
	if out[1] = l.at(l.n - 1); out[1].IsZero() {
		s, err := l.asked(&in[1])
		if err != nil {
			return err
		}
		if !s.Full() {
			return status.Invalid("Trying to read an uninitialized tensor but element_shape is not fully defined.%s", resource.FormatShape(s))
		}
		if out[1], err = ctx.AllocZeroed(k.dt, s.Dims()); err != nil {
			return err
		}
	}
	return l.first(l.n-1).put(ctx, &out[0])
}

func resize(ctx *kernel.Context, in, out []tensor.Value) error {
	l, err := listOf(&in[0])
	if err != nil {
		return err
	}
	n, err := count(&in[1], "size must be a scalar, got shape %s")
	if err != nil {
		return err
	}
	if n < 0 {
		return status.Invalid("TensorListSlice expects size to be non-negative. Got: %d", n)
	}
	return l.first(n).put(ctx, &out[0])
}

func length(_ *kernel.Context, in, out []tensor.Value) error {
	l, err := listOf(&in[0])
	if err == nil {
		out[0] = tensor.Scalar(int32(l.n))
	}
	return err
}

func newElementShape(c *kernel.Construction) (kernel.Kernel, error) {
	dt := c.Type("shape_type")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		l, err := listOf(&in[0])
		if err != nil {
			return err
		}
		dims := []int64{int64(l.shape.Rank())}
		known := l.shape.Dims()
		if !l.shape.Known() {
			dims, known = nil, []int64{-1}
		}
		v, err := ctx.Alloc(dt, dims)
		if err != nil {
			return err
		}
		if dt == tensor.Int64 {
			copy(tensor.Of[int64](&v), known)
		} else {
			for i, d := range known {
				tensor.Of[int32](&v)[i] = int32(d)
			}
		}
		out[0] = v
		return nil
	}), nil
}

func (k typed) scatterInto(ctx *kernel.Context, in, out []tensor.Value) error {
	l, err := listOf(&in[0])
	if err != nil {
		return err
	}
	if err := l.sameType(k.dt); err != nil {
		return err
	}
	x, indices := in[1], in[2]
	if x.Rank() < 1 {
		return status.Invalid("Tensor must be at least a vector, but saw shape: %s", tensor.FormatDims(x.Dims()))
	}
	if indices.Rank() != 1 {
		return status.Invalid("Expected indices to be a vector, but received shape: %s", tensor.FormatDims(indices.Dims()))
	}
	if indices.NumElements() != x.Dim(0) {
		return status.Invalid("Expected len(indices) == tensor.shape[0], but saw: %d vs. %d", indices.NumElements(), x.Dim(0))
	}
	if l, err = l.scattered(ctx, x, tensor.Of[int32](&indices)); err != nil {
		return err
	}
	return l.put(ctx, &out[0])
}

// scattered is l with rows of x for the elements that indices name, grown to
// hold them.
func (l *List) scattered(ctx *kernel.Context, x tensor.Value, indices []int32) (*List, error) {
	if !l.compatible(x.Dims()[1:]) {
		return nil, status.Invalid("Specified a list with shape %s from a tensor with shape %s", resource.FormatShape(l.shape), tensor.FormatDims(x.Dims()[1:]))
	}
	n := l.n
	for _, i := range indices {
		if i < 0 {
			return nil, status.Invalid("Indices in TensorListScatter must all be non-negative.")
		}
		n = max(n, int(i)+1)
	}
	beside := len(indices) * int(unsafe.Sizeof(change{})+unsafe.Sizeof(item{}))
	if err := ctx.Reserve(beside); err != nil {
		return nil, err
	}
	defer ctx.Unreserve(beside)
	changes := make([]change, len(indices))
	for k, i := range indices {
		if k&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r, err := row(ctx, x, k)
		if err != nil {
			return nil, err
		}
		changes[k] = change{int(i), r}
	}
	return l.with(n, changes...), nil
}
