package xla

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("XlaDynamicSlice").
		Input("input: T").Input("start_indices: Tindices").Input("size_indices: Tindices").
		Output("output: T").
		Attr("T: type").
		Attr("Tindices: {int32, int64}").
		Doc(`Takes a box out of a tensor, moved inside where it would reach beyond.

start_indices: The box's first corner, limited so that all of the box is inside.
size_indices: Its size in each dimension.`)
	registry.Define("XlaDynamicUpdateSlice").
		Input("input: T").Input("update: T").Input("indices: Tindices").
		Output("output: T").
		Attr("T: type").
		Attr("Tindices: {int32, int64}").
		Doc(`Copies a tensor, with a box of it replaced, perhaps in its own memory.

update: The box.
indices: The box's first corner, limited so that all of the box is inside.`)

	shape.Register(dynamicSliceShape, "XlaDynamicSlice")
	shape.Register(shape.Unchanged, "XlaDynamicUpdateSlice")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(dynamicSlice), nil }, "XlaDynamicSlice")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(dynamicUpdate), nil }, "XlaDynamicUpdateSlice")
}

// dynamicSliceShape returns the sizes, if they are known.
func dynamicSliceShape(c *shape.Context) error {
	if sizes := c.Input(2); sizes.Known() && sizes.Rank() != 1 {
		return status.Invalid("size_indices must be a 1D tensor, but its rank is %d", sizes.Rank())
	}
	s, err := c.ShapeFrom(2)
	if err != nil {
		return err
	}
	switch in := c.Input(0); {
	case !in.Known():
	case !s.Known():
		s = shape.OfRank(in.Rank())
	case s.Rank() != in.Rank():
		s = shape.Shape{} // the kernel refuses it
	}
	c.SetOutput(0, s)
	return nil
}

// corner returns the first corner of a box of that size in a tensor of shape x: the
// elements of v, limited so that all of the box is inside.
func corner(buffer []int64, x, size []int64, v *tensor.Value, what string) ([]int64, error) {
	at, err := kernel.AppendIntVector(buffer, v, what)
	if err != nil {
		return nil, err
	}
	if len(at) != len(x) {
		return nil, status.Invalid("%s must have %d elements, one for each dimension of input, got %d", what, len(x), len(at))
	}
	for i := range at {
		if size[i] < 0 || size[i] > x[i] {
			return nil, status.Invalid("a box of shape %s does not fit into a tensor of shape %s", tensor.FormatDims(size), tensor.FormatDims(x))
		}
		at[i] = min(max(at[i], 0), x[i]-size[i])
	}
	return at, nil
}

// box returns the elements of a tensor of shape x that are in a box.
func box(x, at, size []int64) strided.View {
	v := strided.Of(x)
	for i := range x {
		v.Slice(i, int(at[i]), 1, int(size[i]))
	}
	return v
}

func dynamicSlice(ctx *kernel.Context, in, out []tensor.Value) error {
	var b1, b2 [8]int64
	x := in[0].Dims()
	size, err := kernel.AppendDims(b1[:0], &in[2], "size_indices")
	if err != nil {
		return err
	}
	if len(size) != len(x) {
		return status.Invalid("size_indices must have %d elements, one for each dimension of input, got %d", len(x), len(size))
	}
	at, err := corner(b2[:0], x, size, &in[1], "start_indices")
	if err != nil {
		return err
	}
	if out[0], err = ctx.Alloc(in[0].DType(), size); err != nil || out[0].NumElements() == 0 {
		return err
	}
	return strided.Copy(ctx, &out[0], strided.Of(size), &in[0], box(x, at, size))
}

func dynamicUpdate(ctx *kernel.Context, in, out []tensor.Value) error {
	var buffer [8]int64
	x, size := in[0].Dims(), in[1].Dims()
	if len(size) != len(x) {
		return status.Invalid("input and update must have equal ranks, got shapes %s and %s", tensor.FormatDims(x), tensor.FormatDims(size))
	}
	at, err := corner(buffer[:0], x, size, &in[2], "indices")
	if err != nil {
		return err
	}
	if in[1].NumElements() == 0 {
		out[0] = in[0]
		return nil
	}
	update, to := in[1], box(x, at, size)
	if y, ok := ctx.Reuse(in, 0); ok {
		out[0] = y
	} else {
		if out[0], err = ctx.Alloc(in[0].DType(), x); err != nil {
			return err
		}
		if err := strided.Copy(ctx, &out[0], strided.Of(x), &in[0], strided.Of(x)); err != nil {
			return err
		}
	}
	return strided.Copy(ctx, &out[0], to, &update, strided.Of(size))
}
