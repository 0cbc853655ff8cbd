package array

import (
	"math"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
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

	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return padding{}, nil }, "Pad", "PadV2")
	kernel.ForAll(newMirrorPad, "MirrorPad")

	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		paddings := c.Input(1)
		if paddings.Op == nil {
			return paddings
		}
		before := c.Op("Unpack", graph.Attrs{"num": int64(2), "axis": int64(1)}, paddings)
		return c.Apply("Slice", dy, before, c.ShapeOf(x, paddings.DataType()))
	}, "Pad", "PadV2")
	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Op("MirrorPadGrad", c.Attrs("mode"), dy, c.Input(1))
	}, "MirrorPad")
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

// A padding is the kernel of Pad and PadV2.
type padding struct{}

func (padding) Run(ctx *kernel.Context, in, out []tensor.Value) error {
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
	if dt := in[0].DType(); !dt.HasPointers() && in[0].NumElements() > 0 {
		if out[0], err = ctx.Alloc(dt, dims); err != nil {
			return err
		}
		fill := make([]byte, dt.Size(), 16)
		if len(in) > 2 {
			copy(fill, tensor.Bytes(&in[2]))
		}
		b := newSurrounded(x, dims, p, dt.Size(), fill)
		return b.pad(ctx, tensor.Bytes(&out[0]), tensor.Bytes(&in[0]))
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

// A surrounded tensor is blocks, elements that stay side by side when something is put
// around them. Sizes and distances count bytes.
type surrounded struct {
	count, size int
	first       int     // where the first lies in the result
	dims        []int64 // of which there are so many blocks
	steps       []int   // from one to the next along those, in the result
	fill        []byte  // an element
}

// newSurrounded returns those of elements of shape x in a result of those dims, of which
// paddings p are some. There are elements.
func newSurrounded(x, dims, p []int64, size int, fill []byte) *surrounded {
	b := &surrounded{count: 1, size: size, fill: fill}
	last := len(x) - 1 // the last dimension with a padding
	step := size
	for ; p[2*last] == 0 && p[2*last+1] == 0; last-- {
		step *= int(dims[last])
	}
	b.size, b.first = step*int(x[last]), step*int(p[2*last])
	b.dims, b.steps = x[:last], make([]int, last)
	step *= int(dims[last])
	for i := last - 1; i >= 0; i-- {
		b.count *= int(x[i])
		b.steps[i] = step
		b.first += step * int(p[2*i])
		step *= int(dims[i])
	}
	return b
}

// at returns where block i lies in the result.
func (b *surrounded) at(i int) int {
	at := b.first
	for k := len(b.dims) - 1; k >= 0; k-- {
		n := int(b.dims[k])
		at += i % n * b.steps[k]
		i /= n
	}
	return at
}

// pad sets o to the blocks of x and what goes between them: nothing is written
// twice.
func (b *surrounded) pad(ctx *kernel.Context, o, x []byte) error {
	const grain = 1 << 17
	ctx.Parallel(b.count, max(1, grain/b.size), func(lo, hi int) {
		at := b.at(lo)
		if lo == 0 {
			b.blank(o[:at])
		}
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			copy(o[at:at+b.size], x[i*b.size:])
			next := len(o)
			if i+1 < b.count {
				next = b.at(i + 1)
			}
			b.blank(o[at+b.size : next])
			at = next
		}
	})
	return ctx.Err()
}

// blank fills o with the element, over and over.
func (b *surrounded) blank(o []byte) {
	for _, x := range b.fill {
		if x != 0 {
			for n := copy(o, b.fill); n < len(o); n *= 2 {
				copy(o[n:], o[:n])
			}
			return
		}
	}
	clear(o)
}

// inside returns where the elements of shape x lie in a result of those dims.
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
