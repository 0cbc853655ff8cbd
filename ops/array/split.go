package array

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Split").
		Input("split_dim: int32").Input("value: T").Output("output: num_split * T").
		Attr("num_split: int >= 1").
		Attr("T: type").
		Doc(`Divides a tensor into equal parts along a dimension.

split_dim: The dimension, a scalar; negative counts from the end.
num_split: How many parts; it divides the dimension.`)
	registry.Define("SplitV").
		Input("value: T").Input("size_splits: Tlen").Input("split_dim: int32").Output("output: num_split * T").
		Attr("num_split: int >= 1").
		Attr("T: type").
		Attr("Tlen: {int8, int32, int64} = DT_INT64").
		Doc(`Divides a tensor into parts of given sizes along a dimension.

size_splits: The sizes, which add up to the dimension; one may be -1 and takes what is left.
split_dim: The dimension, a scalar; negative counts from the end.
num_split: How many parts.`)
	registry.Define("Unpack").
		Input("value: T").Output("output: num * T").
		Attr("num: int >= 0").
		Attr("T: type").
		Attr("axis: int = 0").
		Doc(`Divides a tensor along a dimension, which goes away, into its slices.

num: How many slices: the size of the dimension.
axis: The dimension; negative counts from the end.`)

	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) { return split{c.Int("num_split")}, nil }, "Split")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) { return splitV{len(c.Outputs)}, nil }, "SplitV")
	kernel.ForAll(newUnpack, "Unpack")

	gradient.Register(func(c *gradient.Context) { splitGradient(c, 1, c.Input(0)) }, "Split")
	gradient.Register(func(c *gradient.Context) { splitGradient(c, 0, c.Input(2)) }, "SplitV")
	gradient.Register(func(c *gradient.Context) {
		c.Set(0, c.Op("Pack", c.Attrs("axis"), c.Dys(0, c.NumOutputs())))
	}, "Unpack")
}

// splitGradient joins the gradients of the parts into that of input i.
func splitGradient(c *gradient.Context, i int, axis graph.Output) {
	if c.NumOutputs() == 1 {
		c.Pass(0, i)
		return
	}
	c.Set(i, c.Op("ConcatV2", nil, c.Dys(0, c.NumOutputs()), axis))
}

// splitAxis reads the input that names the dimension, its only element.
func splitAxis(v *tensor.Value, rank int) (int, error) {
	a, err := kernel.OnlyInt(v, "split_dim")
	if err != nil {
		return 0, err
	}
	at, ok := kernel.Axis(a, rank)
	if !ok {
		return 0, status.Invalid("-input rank(-%d) <= split_dim < input rank (%d), but got %d", rank, rank, a)
	}
	return at, nil
}

// A split is the kernel of Split.
type split struct{ parts int64 }

func (split) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() != 0 {
		return status.Invalid("split_dim must be a scalar but has rank %d", in[0].Rank())
	}
	at, err := splitAxis(&in[0], in[1].Rank())
	if err != nil {
		return err
	}
	size, n := in[1].Dims()[at], int64(len(out))
	if size%n != 0 {
		return status.Invalid("Number of ways to split should evenly divide the split dimension, but got split_dim %d (size = %d) and num_split %d", at, size, n)
	}
	return divide(ctx, in[1:2], out, at, func(int) int64 { return size / n })
}

// Fixed says that the dimension must stay the same.
func (split) Fixed(int) uint64 { return 1 }

// Prepare makes a split along a dimension ready that stays the same.
func (k split) Prepare(in []tensor.Value, constant uint64) (kernel.Prepared, bool) {
	at, err := splitAxis(&in[0], in[1].Rank())
	if constant&1 == 0 || in[0].Rank() != 0 || err != nil || in[1].Dims()[at]%k.parts != 0 {
		return kernel.Prepared{}, false
	}
	return prepareParts(&in[1], 1, at, slices.Repeat([]int64{in[1].Dims()[at] / k.parts}, int(k.parts))), true
}

// A splitV is the kernel of SplitV.
type splitV struct{ parts int }

func (splitV) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	var buf [16]int64
	sizes, at, err := splitSizes(buf[:0], in, len(out))
	if err != nil {
		return err
	}
	return divide(ctx, in[:1], out, at, func(i int) int64 { return sizes[i] })
}

// splitSizes appends the sizes of the parts that SplitV makes of in[0], and says along
// which dimension.
func splitSizes(dst []int64, in []tensor.Value, parts int) (sizes []int64, at int, err error) {
	if at, err = splitAxis(&in[2], in[0].Rank()); err != nil {
		return nil, 0, err
	}
	if n := in[1].NumElements(); in[1].Rank() == 1 && n != parts {
		return nil, 0, status.Invalid("size of the split_tensor must be %d, got %d", parts, n)
	}
	if sizes, err = kernel.AppendIntVector(dst, &in[1], "size_splits"); err != nil {
		return nil, 0, err
	}
	left, rest := in[0].Dims()[at], -1
	for i, s := range sizes {
		switch {
		case s == -1 && rest >= 0:
			return nil, 0, status.Invalid("There can only be one -1 in the input.")
		case s == -1:
			rest = i
		case s < 0:
			return nil, 0, status.Invalid("Split size at index %d must be >= 0. Got: %d", i, s)
		case s > left:
			return nil, 0, status.Invalid("Split sizes must add up to the size of dimension %d, which is %d", at, in[0].Dims()[at])
		default:
			left -= s
		}
	}
	if rest >= 0 {
		sizes[rest] = left
	} else if left != 0 {
		return nil, 0, status.Invalid("Split sizes must add up to the size of dimension %d, which is %d", at, in[0].Dims()[at])
	}
	return sizes, at, nil
}

// Fixed says that the sizes and the dimension must stay the same.
func (splitV) Fixed(int) uint64 { return 1<<1 | 1<<2 }

// Prepare makes a split into parts ready whose sizes stay the same.
func (k splitV) Prepare(in []tensor.Value, constant uint64) (kernel.Prepared, bool) {
	if constant&(1<<1|1<<2) != 1<<1|1<<2 {
		return kernel.Prepared{}, false
	}
	sizes, at, err := splitSizes(nil, in, k.parts)
	if err != nil {
		return kernel.Prepared{}, false
	}
	return prepareParts(&in[0], 0, at, sizes), true
}

// prepareParts makes ready what cuts x, which is input i, along dimension at into
// parts of those sizes. Of a matrix of one row, and the like, the parts are in the
// input as they are.
func prepareParts(x *tensor.Value, i, at int, sizes []int64) kernel.Prepared {
	rows, behind := 1, 1
	for k, d := range x.Dims() {
		if k < at {
			rows *= int(d)
		} else if k > at {
			behind *= int(d)
		}
	}
	width, start := behind*int(x.Dims()[at]), 0
	p := kernel.Prepared{Outs: make([]kernel.PreparedOut, len(sizes))}
	starts := make([]int, len(sizes))
	for k, size := range sizes {
		dims := slices.Clone(x.Dims())
		dims[at] = size
		p.Outs[k] = kernel.PreparedOut{DType: x.DType(), Dims: dims}
		if rows == 1 {
			p.Outs[k].Of, p.Outs[k].Start = i+1, start
		}
		starts[k] = start
		start += int(size) * behind
	}
	p.Run = func(ctx *kernel.Context, in, out []tensor.Value) {
		if rows == 0 {
			return
		}
		for k := range out {
			n := out[k].NumElements() / rows
			// So little cannot fail.
			_ = strided.CopyRows(ctx, &out[k], strided.Rows{Width: n}, &in[i], strided.Rows{Offset: starts[k], Width: width}, rows, n)
		}
	}
	return p
}

// divide cuts in[0] along dimension at into parts of those sizes, which add up.
func divide(ctx *kernel.Context, in, out []tensor.Value, at int, size func(i int) int64) (err error) {
	if len(out) == 1 {
		out[0] = in[0]
		return nil
	}
	var buf [8]int64
	dims := append(buf[:0], in[0].Dims()...)
	rows, behind := 1, 1
	for i, d := range dims {
		if i < at {
			rows *= int(d)
		} else if i > at {
			behind *= int(d)
		}
	}
	width, from := behind*int(dims[at]), 0
	for i := range out {
		n := size(i)
		dims[at] = n
		if err := part(ctx, &in[0], &out[i], from, rows, int(n)*behind, width, dims); err != nil {
			return err
		}
		from += int(n) * behind
	}
	return nil
}

// part sets *out to the n elements from element from on of each of so many
// rows of x, which are width long.
func part(ctx *kernel.Context, x, out *tensor.Value, from, rows, n, width int, dims []int64) (err error) {
	if rows == 1 {
		*out, err = piece(ctx, x, from, n, width, dims)
		return err
	}
	if *out, err = ctx.Alloc(x.DType(), dims); err != nil || out.NumElements() == 0 {
		return err
	}
	return strided.CopyRows(ctx, out, strided.Rows{Width: n}, x, strided.Rows{Offset: from, Width: width}, rows, n)
}

func newUnpack(c *kernel.Construction) (kernel.Kernel, error) {
	axis := c.Int("axis")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		x := in[0].Dims()
		at, ok := kernel.Axis(axis, len(x))
		if !ok {
			return status.Invalid("axis = %d not in [%d, %d)", axis, -len(x), len(x))
		}
		if int(x[at]) != len(out) {
			return status.Invalid("Input shape axis %d must equal %d, got shape %s", at, len(out), tensor.FormatDims(x))
		}
		var buf [8]int64
		dims := append(append(buf[:0], x[:at]...), x[at+1:]...)
		rows, n := 1, 1
		for i, d := range x {
			if i < at {
				rows *= int(d)
			} else if i > at {
				n *= int(d)
			}
		}
		for i := range out {
			if err := part(ctx, &in[0], &out[i], i*n, rows, n, n*len(out), dims); err != nil {
				return err
			}
		}
		return nil
	}), nil
}
