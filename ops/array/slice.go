package array

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

const maskDoc = `

begin_mask: Bit i says that begin[i] does not count: dimension i is taken from its beginning.
end_mask: Bit i says that end[i] does not count: dimension i is taken to its end.
ellipsis_mask: Bit i says that place i stands for as many whole dimensions as are not given. One bit at most.
new_axis_mask: Bit i says that place i is a new dimension of size 1.
shrink_axis_mask: Bit i says that only the element begin[i] is taken and that the dimension goes away.`

func init() {
	registry.Define("Slice").
		Input("input: T").Input("begin: Index").Input("size: Index").Output("output: T").
		Attr("T: type").
		Attr("Index: {int32, int64}").
		Doc(`Takes a box out of a tensor.

begin: The box's first corner, from 0.
size: Its size in each dimension; -1 reaches to the end. A box that is not inside the tensor is an error.`)
	registry.Define("StridedSlice").
		Input("input: T").Input("begin: Index").Input("end: Index").Input("strides: Index").Output("output: T").
		Attr("T: type").
		Attr("Index: {int16, int32, int64}").
		Attr("begin_mask: int = 0").
		Attr("end_mask: int = 0").
		Attr("ellipsis_mask: int = 0").
		Attr("new_axis_mask: int = 0").
		Attr("shrink_axis_mask: int = 0").
		Doc(`Takes elements at regular steps along every dimension, as Python's x[begin:end:stride, ...] does.

begin: Where to begin in each of the first dimensions; negative counts from the end. The dimensions that are not given are taken whole.
end: Where to end, without that element, counted likewise; both are limited to the dimension.
strides: The steps: not 0, and negative to go backwards.` + maskDoc)
	registry.Define("StridedSliceGrad").
		Input("shape: Index").Input("begin: Index").Input("end: Index").Input("strides: Index").Input("dy: T").Output("output: T").
		Attr("T: type").
		Attr("Index: {int32, int64}").
		Attr("begin_mask: int = 0").
		Attr("end_mask: int = 0").
		Attr("ellipsis_mask: int = 0").
		Attr("new_axis_mask: int = 0").
		Attr("shrink_axis_mask: int = 0").
		Doc(`Computes the gradient of StridedSlice: dy where elements were taken from, zeros elsewhere.

shape: The shape of StridedSlice's input.
begin: As in StridedSlice.
end: As in StridedSlice.
strides: As in StridedSlice.
dy: The gradient of its output.` + maskDoc)
	registry.Define("TensorStridedSliceUpdate").
		Input("input: T").Input("begin: Index").Input("end: Index").Input("strides: Index").Input("value: T").Output("output: T").
		Attr("T: type").
		Attr("Index: {int32, int64}").
		Attr("begin_mask: int = 0").
		Attr("end_mask: int = 0").
		Attr("ellipsis_mask: int = 0").
		Attr("new_axis_mask: int = 0").
		Attr("shrink_axis_mask: int = 0").
		Doc(`Copies a tensor, with value where StridedSlice would take elements from.

begin: As in StridedSlice.
end: As in StridedSlice.
strides: As in StridedSlice.
value: Of the shape of StridedSlice's output, or one that broadcasts to it.` + maskDoc)

	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return slice{}, nil }, "Slice")
	kernel.ForAll(newStridedSlice, "StridedSlice")
	kernel.ForAll(newStridedSliceGrad, "StridedSliceGrad")
	kernel.ForAll(newStridedSliceUpdate, "TensorStridedSliceUpdate")

	gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output {
		before := c.Input(1)
		if before.Op == nil {
			return before
		}
		dt := before.DataType()
		after := c.Sub(c.Sub(c.ShapeOf(x, dt), c.ShapeOf(y, dt)), before)
		return c.Apply("Pad", dy, c.Op("Pack", graph.Attrs{"axis": int64(1)}, graph.OutputList{before, after}))
	}, "Slice")
	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		begin, end, strides := c.Input(1), c.Input(2), c.Input(3)
		dt := c.Type("Index")
		if dt == tensor.Int16 {
			dt = tensor.Int32
			begin, end, strides = c.Cast(begin, dt), c.Cast(end, dt), c.Cast(strides, dt)
		}
		return c.Op("StridedSliceGrad", c.Attrs(sliceMasks...), c.ShapeOf(x, dt), begin, end, strides, dy)
	}, "StridedSlice")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.Set(4, c.Op("StridedSlice", c.Attrs(sliceMasks...), c.Dy(0), c.Input(1), c.Input(2), c.Input(3)))
		}
	}, "StridedSliceGrad")
	gradient.Register(func(c *gradient.Context) {
		if !c.Has(0) {
			return
		}
		dy, begin, end, strides, value := c.Dy(0), c.Input(1), c.Input(2), c.Input(3), c.Input(4)
		slice := c.Op("StridedSlice", c.Attrs(sliceMasks...), dy, begin, end, strides)
		if c.Wants(0) {
			c.Set(0, c.Op("TensorStridedSliceUpdate", c.Attrs(sliceMasks...), dy, begin, end, strides, c.Zeros(slice)))
		}
		c.Set(4, c.SumTo(slice, value))
	}, "TensorStridedSliceUpdate")
}

// sliceMasks are the attributes that the operations on strided slices share.
var sliceMasks = []string{"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}

// A part of a tensor that lies in one piece is passed on as a view of it, or
// copied if a copy costs less than what the view does later: it keeps the whole
// tensor in memory, and neither can be written in place while the other is
// there. So a view must be of viewAbove bytes at least, and the views that a
// kernel makes together of mostHeld-th of the tensor at least, lest small
// remainders of large tensors fill the memory. A tensor that is shared stays
// in memory anyway.
const (
	viewAbove = 64 << 10
	mostHeld  = 16
)

// piece is n elements of x from element start on, as a tensor of that shape;
// the kernel takes all elements in such pieces together.
func piece(ctx *kernel.Context, x *tensor.Value, start, n, all int, dims []int64) (tensor.Value, error) {
	if len(dims) == 0 {
		return tensor.ScalarAt(x, start), nil
	}
	if size := x.DType().Size(); n*size > viewAbove && mostHeld*all*size >= x.Holds() {
		return ctx.View(*x, start, n, dims)
	}
	v, err := ctx.Alloc(x.DType(), dims)
	if err != nil || n == 0 { // where start may be anywhere
		return v, err
	}
	strided.Move(&v, 0, x, start, n)
	return v, nil
}

// A slice is the kernel of Slice.
type slice struct{}

func (slice) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	var b1, b2 [8]int64
	begin, size, err := boxOf(b1[:0], b2[:0], in[0].Dims(), &in[1], &in[2])
	if err != nil {
		return err
	}
	return takeBox(ctx, in, out, begin, size, size)
}

// boxOf appends the first corner and the size of the box that Slice takes of a tensor of shape x.
func boxOf(dst, dst2, x []int64, corner, extent *tensor.Value) (begin, size []int64, err error) {
	if begin, err = kernel.AppendIntVector(dst, corner, "begin"); err != nil {
		return nil, nil, err
	}
	if size, err = kernel.AppendIntVector(dst2, extent, "size"); err != nil {
		return nil, nil, err
	}
	if len(begin) != len(x) || len(size) != len(x) {
		return nil, nil, status.Invalid("Expected begin and size arguments to be 1-D tensors of size %d, but got shapes [%d] and [%d] instead.", len(x), len(begin), len(size))
	}
	for i := range x {
		if begin[i] < 0 || begin[i] > x[i] {
			return nil, nil, status.Invalid("Expected begin[%d] in [0, %d], but got %d", i, x[i], begin[i])
		}
		if size[i] == -1 {
			size[i] = x[i] - begin[i]
		}
		if size[i] < 0 || size[i] > x[i]-begin[i] {
			return nil, nil, status.Invalid("Expected size[%d] in [0, %d], but got %d", i, x[i]-begin[i], size[i])
		}
	}
	return begin, size, nil
}

// Fixed says that the box must stay the same.
func (slice) Fixed(int) uint64 { return 1<<1 | 1<<2 }

// Prepare makes the cutting of a box ready that stays the same. What lies together
// in the input is there as it is.
func (slice) Prepare(in []tensor.Value, constant uint64) (kernel.Prepared, bool) {
	if constant&(1<<1|1<<2) != 1<<1|1<<2 {
		return kernel.Prepared{}, false
	}
	begin, size, err := boxOf(nil, nil, in[0].Dims(), &in[1], &in[2])
	if err != nil {
		return kernel.Prepared{}, false
	}
	from, start, rows := strided.Whole(in[0]), 0, 1
	last := -1 // of the dimensions that are cut
	for i, d := range in[0].Dims() {
		from.Slice(i, int(begin[i]), 1, int(size[i]))
		start = start*int(d) + int(begin[i])
		if size[i] != d {
			last = i
		}
	}
	for _, s := range size[:max(last, 0)] {
		rows *= int(s)
	}
	to := strided.Of(size)
	p, ok := kernel.OneOut(in[0].DType(), size, func(ctx *kernel.Context, in, out []tensor.Value) {
		_ = strided.Copy(ctx, &out[0], to, &in[0], from) // so little cannot fail
	})
	if rows == 1 {
		p.Outs[0].Of, p.Outs[0].Start = 1, start
	}
	return p, ok
}

// takeBox sets out[0], of shape dims, to the box of in[0] that has that first
// corner and size.
func takeBox(ctx *kernel.Context, in, out []tensor.Value, begin, size, dims []int64) (err error) {
	x := in[0].Dims()
	n, start := 1, 0
	first, last := len(x), -1 // of the dimensions that are cut
	for i, s := range size {
		if s != x[i] {
			first, last = min(first, i), i
		}
		n *= int(s)
		start = start*int(x[i]) + int(begin[i])
	}
	switch {
	case last < 0 && equalDims(dims, x):
		out[0] = in[0]
		return nil
	case last < 0:
		out[0], err = ctx.Reshaped(in, 0, dims)
		return err
	case n == 0:
		out[0], err = ctx.Alloc(in[0].DType(), dims)
		return err
	}
	rows := 1 // in front of the last dimension that is cut
	for _, s := range size[:last] {
		rows *= int(s)
	}
	if rows == 1 {
		out[0], err = piece(ctx, &in[0], start, n, n, dims)
		return err
	}
	if out[0], err = ctx.Alloc(in[0].DType(), dims); err != nil {
		return err
	}
	if first == last {
		width := in[0].NumElements() / rows
		return strided.CopyRows(ctx, &out[0], strided.Rows{Width: n / rows}, &in[0], strided.Rows{Offset: start, Width: width}, rows, n/rows)
	}
	from := strided.Whole(in[0])
	for i := range x {
		from.Slice(i, int(begin[i]), 1, int(size[i]))
	}
	return strided.Copy(ctx, &out[0], strided.Of(size), &in[0], from)
}

// masks are the attributes of the strided-slice operations.
func masks(c *kernel.Construction) shape.StridedSpec {
	return shape.StridedSpec{
		BeginMask: c.Int("begin_mask"), EndMask: c.Int("end_mask"), EllipsisMask: c.Int("ellipsis_mask"),
		NewAxisMask: c.Int("new_axis_mask"), ShrinkMask: c.Int("shrink_axis_mask"),
	}
}

// apply resolves a spec, its operands being three inputs, for a tensor of those dims.
func apply(spec shape.StridedSpec, in []tensor.Value, dims []int64) (shape.Strided, error) {
	var err error
	for i, to := range []*[]int64{&spec.Begin, &spec.End, &spec.Strides} {
		if n := in[i].NumElements(); in[i].Rank() != 1 || n != in[0].NumElements() || n > tensor.MaxRank {
			return shape.Strided{}, status.Invalid("Expected begin, end, and strides to be 1D equal size tensors, but got shapes %s, %s, and %s instead.",
				tensor.FormatDims(in[0].Dims()), tensor.FormatDims(in[1].Dims()), tensor.FormatDims(in[2].Dims()))
		}
		*to = appendIndices(make([]int64, 0, in[i].NumElements()), &in[i])
	}
	s, err := spec.Apply(shape.Of(dims...))
	if err == nil && !s.Shape.Full() {
		err = status.Errorf(status.Internal, "the shape of a strided slice is %v", s.Shape)
	}
	return s, err
}

// appendIndices is kernel.AppendInts for int16, too.
func appendIndices(dst []int64, v *tensor.Value) []int64 {
	if v.DType() != tensor.Int16 {
		return kernel.AppendInts(dst, v)
	}
	for _, x := range tensor.Of[int16](v) {
		dst = append(dst, int64(x))
	}
	return dst
}

// view returns the part of a tensor of those dims that s takes.
func view(s shape.Strided, dims []int64) strided.View {
	v := strided.Of(dims)
	for i, d := range s.Dims {
		v.Slice(i, int(d.Begin), int(d.Stride), int(d.Count))
	}
	return v
}

func newStridedSlice(c *kernel.Construction) (kernel.Kernel, error) {
	spec := masks(c)
	plain := spec.EllipsisMask|spec.NewAxisMask|spec.ShrinkMask&(spec.BeginMask|spec.EndMask) == 0
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		if plain {
			var b box
			if b.fit(&spec, in) {
				return takeBox(ctx, in, out, b.begin[:b.rank], b.size[:b.rank], b.dims[:b.kept])
			}
		}
		x := in[0].Dims()
		s, err := apply(spec, in[1:], x)
		if err != nil {
			return err
		}
		from := view(s, x)
		dims := s.Shape.Dims()
		if from.Len() == in[0].NumElements() && contiguous(s, x) {
			out[0], err = ctx.Reshaped(in, 0, dims)
			return err
		}
		if from.Contiguous() {
			out[0], err = piece(ctx, &in[0], from.Offset, from.Len(), from.Len(), dims)
			return err
		}
		if out[0], err = ctx.Alloc(in[0].DType(), dims); err != nil {
			return err
		}
		to := strided.Of(s.Processed.Dims())
		return strided.Copy(ctx, &out[0], to, &in[0], from)
	}), nil
}

// contiguous reports whether s takes all elements in their order.
func contiguous(s shape.Strided, dims []int64) bool {
	for i, d := range s.Dims {
		if d.Begin != 0 || d.Count != dims[i] || d.Stride != 1 && d.Count > 1 {
			return false
		}
	}
	return true
}

// A box is a strided slice without gaps of a tensor of few dimensions.
type box struct {
	begin, size [8]int64 // by dimension of the tensor
	rank        int
	dims        [8]int64 // of the result
	kept        int
}

// fit makes b what a spec without new dimensions and ellipses takes of in[0], the
// operands being the inputs behind it. Where that is no box, or a mistake, it is
// false.
func (b *box) fit(spec *shape.StridedSpec, in []tensor.Value) bool {
	x, n := in[0].Dims(), in[1].NumElements()
	if len(x) > len(b.size) || n > len(x) {
		return false
	}
	for i := 1; i <= 3; i++ {
		if in[i].Rank() != 1 || in[i].NumElements() != n {
			return false
		}
	}
	b.rank = len(x)
	for i, d := range x {
		from, to, bit := int64(0), d, int64(1)<<i
		if i < n {
			if intAt(&in[3], i) != 1 {
				return false
			}
			if spec.BeginMask&bit == 0 {
				from = fromFront(intAt(&in[1], i), d)
			}
			if spec.ShrinkMask&bit != 0 {
				if from < 0 || from >= d {
					return false
				}
				b.begin[i], b.size[i] = from, 1
				continue
			}
			from = min(max(from, 0), d)
			if spec.EndMask&bit == 0 {
				to = min(max(fromFront(intAt(&in[2], i), d), from), d)
			}
		}
		b.begin[i], b.size[i], b.dims[b.kept] = from, to-from, to-from
		b.kept++
	}
	return true
}

// fromFront counts a negative index from the end of d elements.
func fromFront(i, d int64) int64 {
	if i < 0 {
		return i + d
	}
	return i
}

// intAt is element i of v, a tensor of indices.
func intAt(v *tensor.Value, i int) int64 {
	switch v.DType() {
	case tensor.Int32:
		return int64(tensor.Of[int32](v)[i])
	case tensor.Int16:
		return int64(tensor.Of[int16](v)[i])
	}
	return tensor.Of[int64](v)[i]
}

func newStridedSliceGrad(c *kernel.Construction) (kernel.Kernel, error) {
	spec := masks(c)
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		dims, err := kernel.Dims(&in[0], "shape")
		if err != nil {
			return err
		}
		if _, err := tensor.NumElements(in[4].DType(), dims); err != nil {
			return err
		}
		s, err := apply(spec, in[1:4], dims)
		if err != nil {
			return err
		}
		if !equalDims(s.Shape.Dims(), in[4].Dims()) {
			return status.Invalid("shape of dy was %s instead of %v", tensor.FormatDims(in[4].Dims()), s.Shape)
		}
		if out[0], err = ctx.AllocZeroed(in[4].DType(), dims); err != nil {
			return err
		}
		return strided.Copy(ctx, &out[0], view(s, dims), &in[4], strided.Of(s.Processed.Dims()))
	}), nil
}

func newStridedSliceUpdate(c *kernel.Construction) (kernel.Kernel, error) {
	spec := masks(c)
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		dims := in[0].Dims()
		s, err := apply(spec, in[1:4], dims)
		if err != nil {
			return err
		}
		if slices.Contains(s.Shape.Dims(), 0) { // there is nothing to change, whatever the value
			if v, ok := ctx.Reuse(in, 0); ok {
				out[0] = v
				return nil
			}
			return deepCopy(ctx, in, out)
		}
		from, err := strided.Spread(ctx, &in[4], s.Shape.Dims())
		if err != nil {
			return err
		}
		if from != in[4] {
			defer ctx.Free(from)
		}
		if v, ok := ctx.Reuse(in, 0); ok {
			out[0] = v
		} else if err := deepCopy(ctx, in, out); err != nil {
			return err
		}
		return strided.Copy(ctx, &out[0], view(s, dims), &from, strided.Of(s.Processed.Dims()))
	}), nil
}
