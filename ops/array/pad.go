package array

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Pad").
		Input("input: T").Input("paddings: Tpaddings").Output("output: T").
		Attr("T: type").
		Attr("Tpaddings: {int32, int64} = DT_INT32").
		Doc(`Adds zeros around a tensor.

paddings: A row of two for each dimension: how many before and behind its elements.`)
	registry.Define("PadV2").
		Input("input: T").Input("paddings: Tpaddings").Input("constant_values: T").Output("output: T").
		Attr("T: type").
		Attr("Tpaddings: {int32, int64} = DT_INT32").
		Doc(`Adds a given value around a tensor.

paddings: A row of two for each dimension: how many before and behind its elements.
constant_values: The value, a scalar.`)
	registry.Define("MirrorPad").
		Input("input: T").Input("paddings: Tpaddings").Output("output: T").
		Attr("T: type").
		Attr("Tpaddings: {int32, int64} = DT_INT32").
		Attr("mode: {'REFLECT', 'SYMMETRIC'}").
		Doc(`Adds mirror images of the elements around a tensor.

paddings: A row of two for each dimension: how many before and behind its elements.
mode: "SYMMETRIC" repeats the element at the edge, "REFLECT" does not, and can add one less.`)

	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(pad), nil }, "Pad", "PadV2")
	kernel.ForAll(newMirrorPad, "MirrorPad")
}

// paddings reads the input that says how much to add in front of and behind
// each dimension, and works out the shape of the result.
func paddings(x []int64, v *tensor.Value) (p, dims []int64, err error) {
	if v.Rank() != 2 || v.Dim(1) != 2 || v.Dim(0) != len(x) {
		return nil, nil, status.Invalid("The first dimension of paddings must be the rank of inputs, [%d,2], got %s", len(x), tensor.FormatDims(v.Dims()))
	}
	p = kernel.AppendInts(make([]int64, 0, 2*len(x)), v)
	dims = make([]int64, len(x))
	for i, d := range x {
		before, after := p[2*i], p[2*i+1]
		if before < 0 || after < 0 {
			return nil, nil, status.Invalid("Paddings must be non-negative: %d %d", before, after)
		}
		if before > math.MaxInt64-after || before+after > math.MaxInt64-d {
			return nil, nil, status.Invalid("paddings %d and %d make dimension %d larger than 63 bits", before, after, i)
		}
		dims[i] = before + d + after
	}
	return p, dims, nil
}

func pad(ctx *kernel.Context, in, out []tensor.Value) error {
	x := in[0].Dims()
	p, dims, err := paddings(x, &in[1])
	if err != nil {
		return err
	}
	if len(in) > 2 && in[2].Rank() != 0 {
		return status.Invalid("constant_values must be a scalar. Found: %s", tensor.FormatDims(in[2].Dims()))
	}
	if equalDims(x, dims) {
		out[0] = in[0]
		return nil
	}
	if len(in) > 2 {
		if out[0], err = ctx.Alloc(in[0].DType(), dims); err == nil {
			err = strided.Fill(ctx, &out[0], &in[2], 0)
		}
	} else {
		out[0], err = ctx.AllocZeroed(in[0].DType(), dims)
	}
	if err != nil {
		return err
	}
	return strided.Copy(ctx, &out[0], inside(dims, x, p), &in[0], strided.Whole(in[0]))
}

// inside is where the elements of shape x lie in a result of those dims.
func inside(dims, x, p []int64) strided.View {
	v := strided.Of(dims)
	for i := range x {
		v.Slice(i, int(p[2*i]), 1, int(x[i]))
	}
	return v
}

func newMirrorPad(c *kernel.Construction) (kernel.Kernel, error) {
	offset, err := mirrorOffset(c)
	if err != nil {
		return nil, err
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		x := in[0].Dims()
		p, dims, err := paddings(x, &in[1])
		if err != nil {
			return err
		}
		if err := checkMirror(x, p, offset); err != nil {
			return err
		}
		if out[0], err = ctx.Alloc(in[0].DType(), dims); err != nil {
			return err
		}
		if err := strided.Copy(ctx, &out[0], inside(dims, x, p), &in[0], strided.Whole(in[0])); err != nil {
			return err
		}
		// One dimension after the other: what is mirrored already holds the
		// images along the dimensions before.
		for d := range x {
			for _, back := range []bool{false, true} {
				to, from := images(dims, x, p, d, offset, back)
				if err := strided.Copy(ctx, &out[0], to, &out[0], from); err != nil {
					return err
				}
			}
		}
		return nil
	}), nil
}

// mirrorOffset is 0 if an edge's own elements are repeated, 1 if the mirror
// stands on them.
func mirrorOffset(c *kernel.Construction) (int64, error) {
	switch mode := c.Str("mode"); mode {
	case "SYMMETRIC":
		return 0, nil
	case "REFLECT":
		return 1, nil
	default:
		return 0, c.Errorf("mode must be either REFLECT or SYMMETRIC, not %q", mode)
	}
}

func checkMirror(x, p []int64, offset int64) error {
	for i, d := range x {
		if most := d - offset; max(p[2*i], p[2*i+1]) > most {
			return status.Invalid("paddings must be no greater than the dimension size: %d, %d greater than %d", p[2*i], p[2*i+1], most)
		}
	}
	return nil
}

// images are the views, in the padded result, of the images in front of (or
// behind) dimension d's elements and of what they mirror. The dimensions
// before d are whole, those behind it still without their paddings.
func images(dims, x, p []int64, d int, offset int64, back bool) (to, from strided.View) {
	to = strided.Of(dims)
	for i := d + 1; i < len(x); i++ {
		to.Slice(i, int(p[2*i]), 1, int(x[i]))
	}
	from = to.Permute(identity(len(x)))
	before, n := int(p[2*d]), int(p[2*d])
	if back {
		n = int(p[2*d+1])
		last := before + int(x[d]) - 1
		to.Slice(d, last+1, 1, n)
		from.Slice(d, last-int(offset), -1, n)
		return to, from
	}
	to.Slice(d, 0, 1, n)
	from.Slice(d, before+int(offset)+n-1, -1, n)
	return to, from
}
