package array

import (
	"math"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Concat").
		Input("concat_dim: int32").Input("values: N * T").Output("output: T").
		Attr("N: int >= 2").
		Attr("T: type").
		Doc(`Joins tensors along a dimension, in which alone their shapes may differ.

concat_dim: The dimension, a scalar; negative counts from the end.
values: The tensors, all of one rank, which is at least 1.`)
	registry.Define("ConcatV2").
		Input("values: N * T").Input("axis: Tidx").Output("output: T").
		Attr("N: int >= 2").
		Attr("T: type").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc(`Joins tensors along a dimension, in which alone their shapes may differ.

values: The tensors, all of one rank, which is at least 1.
axis: The dimension, a scalar; negative counts from the end.`)
	registry.Define("ConcatOffset").
		Input("concat_dim: int32").Input("shape: N * shape_type").Output("offset: N * shape_type").
		Attr("N: int >= 2").
		Attr("shape_type: {int32, int64} = DT_INT32").
		Doc(`Computes where each of the tensors to be joined begins in the result.

concat_dim: The dimension they are joined along.
shape: Their shapes.
offset: For each the coordinates of its first element.`)
	registry.Define("Pack").
		Input("values: N * T").Output("output: T").
		Attr("N: int >= 1").
		Attr("T: type").
		Attr("axis: int = 0").
		Doc(`Joins tensors of one shape along a new dimension.

values: The tensors.
axis: Where the new dimension goes; negative counts from the end, -1 being behind the last.`)
	registry.Define("ParallelConcat").
		Input("values: N * T").Output("output: T").
		Attr("N: int >= 1").
		Attr("T: type").
		Attr("shape: shape").
		Doc(`Joins tensors, each of one row, along their first dimension.

shape: The shape of the result.`)

	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return concat{axisFirst: true}, nil }, "Concat")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return concat{}, nil }, "ConcatV2")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(concatOffset), nil }, "ConcatOffset")
	kernel.ForAll(newPack, "Pack")
	kernel.ForAll(newParallelConcat, "ParallelConcat")

	gradient.Register(func(c *gradient.Context) { concatGradient(c, 1, c.NumInputs(), c.Input(0)) }, "Concat")
	gradient.Register(func(c *gradient.Context) { concatGradient(c, 0, c.NumInputs()-1, c.Input(c.NumInputs()-1)) }, "ConcatV2")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.SetList(0, c.Outputs("Unpack", graph.Attrs{"num": int64(c.NumInputs()), "axis": c.Int("axis")}, c.Dy(0)))
		}
	}, "Pack")
	gradient.None("ConcatOffset")
}

// concatGradient takes dy apart again into what belongs to the inputs from lo up to
// but not including hi.
func concatGradient(c *gradient.Context, lo, hi int, axis graph.Output) {
	if !c.Has(0) {
		return
	}
	if hi-lo == 1 {
		c.Pass(0, lo)
		return
	}
	parts := c.Node().Inputs()[lo:hi]
	sizes := sizesAlong(c, axis, parts)
	if at, ok := c.ConstInts(axis); ok && len(at) == 1 {
		// Of an axis that is known where the graph runs alone, SplitV's shape function
		// takes it that it is the last one.
		axis = c.Const(int32(at[0]))
	}
	c.SetList(lo, c.Outputs("SplitV", graph.Attrs{"num_split": int64(len(parts))}, c.Dy(0), sizes, axis))
}

// sizesAlong returns how long tensors are along an axis, a vector of int32.
func sizesAlong(c *gradient.Context, axis graph.Output, parts []graph.Output) graph.Output {
	if at, ok := c.ConstInts(axis); ok && len(at) == 1 {
		var sizes []int32
		unknown := 0
		for _, p := range parts {
			s := c.StaticShape(p)
			k := at[0]
			if k < 0 {
				k += int64(s.Rank())
			}
			if !s.Known() || k < 0 || k >= int64(s.Rank()) || s.Dim(int(k)) < 0 || s.Dim(int(k)) > math.MaxInt32 {
				unknown++
				sizes = append(sizes, -1) // the rest
				continue
			}
			sizes = append(sizes, int32(s.Dim(int(k))))
		}
		if unknown <= 1 {
			return c.Int32s(sizes...)
		}
	}
	rank := c.Rank(c.Output(0))
	axis = c.Apply("FloorMod", c.Cast(axis, tensor.Int32), rank)
	var sizes graph.OutputList
	for _, p := range parts {
		sizes = append(sizes, c.Apply("GatherV2", c.Shape(p), axis, c.Const(int32(0))))
	}
	return c.Op("Pack", nil, sizes)
}

// A concat is the kernel of Concat and ConcatV2.
type concat struct{ axisFirst bool }

// inputs reports what is joined, and the input that says along which dimension.
func (k concat) inputs(in []tensor.Value) (parts []tensor.Value, axis int) {
	if k.axisFirst {
		return in[1:], 0
	}
	n := len(in) - 1
	return in[:n], n
}

func (k concat) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	parts, axis := k.inputs(in)
	var buf [8]int64
	dims, at, err := joinedDims(buf[:0], parts, &in[axis])
	if err != nil {
		return err
	}
	v, err := ctx.Alloc(parts[0].DType(), dims)
	if err != nil {
		return err
	}
	out[0] = v
	return join(ctx, &out[0], parts, at)
}

// Fixed says that the dimension must stay the same.
func (k concat) Fixed(n int) uint64 {
	_, axis := k.inputs(make([]tensor.Value, n))
	return 1 << axis
}

// Prepare makes a join along a dimension ready that stays the same.
func (k concat) Prepare(in []tensor.Value, constant uint64) (kernel.Prepared, bool) {
	parts, axis := k.inputs(in)
	if axis >= 64 || constant&(1<<axis) == 0 {
		return kernel.Prepared{}, false
	}
	dims, at, err := joinedDims(nil, parts, &in[axis])
	if err != nil {
		return kernel.Prepared{}, false
	}
	return kernel.OneOut(parts[0].DType(), dims, func(ctx *kernel.Context, in, out []tensor.Value) {
		parts, _ := k.inputs(in)
		_ = join(ctx, &out[0], parts, at) // so little cannot fail
	})
}

// joinedDims appends the shape that parts have together to dims. It says along which
// dimension they are joined.
func joinedDims(dims []int64, parts []tensor.Value, axis *tensor.Value) (_ []int64, at int, err error) {
	if axis.Rank() > 1 {
		return nil, 0, status.Invalid("Concat dim tensor must be a scalar, got shape %s", tensor.FormatDims(axis.Dims()))
	}
	a, err := kernel.OnlyInt(axis, "Concat dim tensor")
	if err != nil {
		return nil, 0, err
	}
	first := parts[0].Dims()
	at, ok := kernel.Axis(a, len(first))
	if !ok {
		if len(first) == 0 {
			return nil, 0, status.Invalid("ConcatOp : Can't concatenate scalars (use tf.stack instead)")
		}
		return nil, 0, status.Invalid("ConcatOp : Expected concatenating dimensions in the range [%d, %d), but got %d", -len(first), len(first), a)
	}
	dims = append(dims, first...)
	dims[at] = 0
	for i := range parts {
		d := parts[i].Dims()
		if len(d) != len(first) {
			return nil, 0, status.Invalid("ConcatOp : Ranks of all input tensors should match: shape[0] = %s vs. shape[%d] = %s",
				tensor.FormatDims(first), i, tensor.FormatDims(d))
		}
		for j := range d {
			if j != at && d[j] != first[j] {
				return nil, 0, status.Invalid("ConcatOp : Dimension %d in both shapes must be equal: shape[0] = %s vs. shape[%d] = %s",
					j, tensor.FormatDims(first), i, tensor.FormatDims(d))
			}
		}
		dims[at] += d[at]
	}
	return dims, at, nil
}

// join fills dst with parts, side by side along dimension at: parts[i] is rows
// of elements for each of the places in front of that dimension.
func join(ctx *kernel.Context, dst *tensor.Value, parts []tensor.Value, at int) error {
	if dst.NumElements() == 0 {
		return nil
	}
	rows := 1
	for _, d := range dst.Dims()[:at] {
		rows *= int(d)
	}
	if rows == 1 && dst.NumElements() <= strided.Grain {
		to := 0
		for i := range parts {
			n := parts[i].NumElements()
			strided.Move(dst, to, &parts[i], 0, n)
			to += n
		}
		return nil
	}
	width, to := dst.NumElements()/rows, 0
	for i := range parts {
		n := parts[i].NumElements() / rows
		if err := strided.CopyRows(ctx, dst, strided.Rows{Offset: to, Width: width}, &parts[i], strided.Rows{Width: n}, rows, n); err != nil {
			return err
		}
		to += n
	}
	return nil
}

func concatOffset(ctx *kernel.Context, in, out []tensor.Value) error {
	a, err := kernel.Int(&in[0], "Concat dim tensor")
	if err != nil {
		return err
	}
	var first []int64
	at, ok, offset := 0, false, int64(0)
	for i := range out {
		if err := kernel.Short(&in[i+1], "input shape"); err != nil {
			return err
		}
		dims, err := kernel.AppendIntVector(nil, &in[i+1], "input shape")
		if err != nil {
			return err
		}
		if i == 0 {
			first = dims
			if at, ok = kernel.Axis(a, len(dims)); !ok {
				return status.Invalid("Concat dim is out of range: %d vs. %d", a, len(dims))
			}
		}
		if len(dims) != len(first) {
			return status.Invalid("input %d should contain %d elements, but got %d", i, len(first), len(dims))
		}
		for j, d := range dims {
			if j != at && d != first[j] {
				return status.Invalid("All dimensions except %d must match. Input %d has shape %s and doesn't match input 0 with shape %s.",
					at, i, tensor.FormatDims(dims), tensor.FormatDims(first))
			}
		}
		place := make([]int64, len(dims))
		place[at] = offset
		offset += dims[at]
		if out[i], err = vector(ctx, in[i+1].DType(), place); err != nil {
			return err
		}
	}
	return nil
}

func newPack(c *kernel.Construction) (kernel.Kernel, error) {
	axis := c.Int("axis")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		x := in[0].Dims()
		at, ok := kernel.Axis(axis, len(x)+1)
		if !ok {
			return status.Invalid("axis = %d not in [%d, %d)", axis, -len(x)-1, len(x)+1)
		}
		for i := range in {
			if !tensor.SameShape(in[0], in[i]) {
				return status.Invalid("Shapes of all inputs must match: values[0].shape = %s != values[%d].shape = %s",
					tensor.FormatDims(x), i, tensor.FormatDims(in[i].Dims()))
			}
		}
		var buf [8]int64
		dims := append(buf[:0], x[:at]...)
		dims = append(append(dims, int64(len(in))), x[at:]...)
		if len(in) == 1 {
			var err error
			out[0], err = ctx.Reshaped(in, 0, dims)
			return err
		}
		v, err := ctx.Alloc(in[0].DType(), dims)
		if err != nil {
			return err
		}
		out[0] = v
		return join(ctx, &out[0], in, at)
	}), nil
}

func newParallelConcat(c *kernel.Construction) (kernel.Kernel, error) {
	want := shape.FromAttr(c.Shape("shape"))
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		if !want.Full() || want.Rank() < 1 || want.Dim(0) != int64(len(in)) {
			return status.Invalid("ParallelConcat needs a known shape of %d rows, got %v", len(in), want)
		}
		for i := range in {
			if d := in[i].Dims(); len(d) != want.Rank() || d[0] != 1 || !equalDims(d[1:], want.Dims()[1:]) {
				return status.Invalid("input %d of shape %s is not a row of %v", i, tensor.FormatDims(d), want)
			}
		}
		v, err := ctx.Alloc(in[0].DType(), want.Dims())
		if err != nil {
			return err
		}
		out[0] = v
		return join(ctx, &out[0], in, 0)
	}), nil
}
