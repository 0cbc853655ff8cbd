package array

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("MirrorPadGrad").
		Input("input: T").Input("paddings: Tpaddings").Output("output: T").
		Attr("T: type").
		Attr("Tpaddings: {int32, int64} = DT_INT32").
		Attr("mode: {'REFLECT', 'SYMMETRIC'}").
		Doc(`Computes the gradient of MirrorPad: what was mirrored is added to where it came from.

input: The gradient of its output.
paddings: How much was mirrored before and after each dimension.
mode: As MirrorPad had it.`)
	registry.Define("TileGrad").
		Input("input: T").Input("multiples: int32").Output("output: T").
		Attr("T: type").
		Deprecated(3, "It is composed of Reshape and Sum").
		Doc(`Computes the gradient of Tile: repetitions are added up.

input: The gradient of its output.
multiples: How often each dimension was repeated.`)

	kernel.Register(kernel.Registration{Op: "MirrorPadGrad", Types: map[string][]tensor.DType{"T": elementwise.Numbers}, New: newMirrorPadGrad})

	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Op("MirrorPad", c.Attrs("mode"), dy, c.Input(1))
	}, "MirrorPadGrad")
}

func newMirrorPadGrad(c *kernel.Construction) (kernel.Kernel, error) {
	offset, err := mirrorOffset(c)
	if err != nil {
		return nil, err
	}
	add := elementwise.Combine(elementwise.UpdateAdd, c.Type("T"))
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		x := in[0].Dims()
		if in[1].Rank() != 2 || in[1].Dim(1) != 2 {
			return status.Invalid("paddings must be a matrix with 2 columns: %s", tensor.FormatDims(in[1].Dims()))
		}
		if in[1].Dim(0) != len(x) {
			return status.Invalid("The first dimension of paddings must be the rank of inputs%s %s", tensor.FormatDims(in[1].Dims()), tensor.FormatDims(x))
		}
		p := kernel.AppendInts(nil, &in[1])
		for d, n := range x {
			before, after := p[2*d], p[2*d+1]
			if before < 0 || after < 0 {
				return status.Invalid("Paddings must be non-negative: %d, %d", before, after)
			}
			size := max(n-min(before, n)-min(after, n), 0)
			if offset == 0 && (before > size || after > size) {
				return status.Invalid("paddings must be no greater than the output dimension size: %d, %d greater than %d", before, after, size)
			}
			if offset == 1 && (before >= size || after >= size) {
				return status.Invalid("paddings must be less than the output dimension size: %d, %d not less than %d", before, after, size)
			}
		}
		// One dimension after the other is folded.
		v, made := in[0], false
		for d := range x {
			if p[2*d] == 0 && p[2*d+1] == 0 {
				continue
			}
			next, err := fold(ctx, &v, d, p[2*d], p[2*d+1], offset, add)
			if made {
				ctx.Free(v)
			}
			if err != nil {
				return err
			}
			v, made = next, true
		}
		out[0] = v
		return nil
	}), nil
}

// fold adds what was mirrored along dimension d to where it came from.
func fold(ctx *kernel.Context, v *tensor.Value, d int, before, after, offset int64, add *elementwise.Combination) (tensor.Value, error) {
	dims := append([]int64(nil), v.Dims()...)
	n := dims[d] - before - after
	dims[d] = n
	to, err := ctx.Alloc(v.DType(), dims)
	if err != nil || to.NumElements() == 0 {
		return to, err
	}
	from := strided.Whole(*v)
	from.Slice(d, int(before), 1, int(n))
	if err := strided.Copy(ctx, &to, strided.Whole(to), v, from); err != nil {
		return to, err
	}
	inner := int64(sliceSize(dims[d+1:]))
	for o := range int64(sliceSize(dims[:d])) {
		if err := ctx.Err(); err != nil {
			return to, err
		}
		line := func(i, source int64) error {
			at := int((o*n + i) * inner)
			return add.Range(&to, &to, at, v, int((o*(n+before+after)+source)*inner), int(inner))
		}
		for k := range before {
			if err := line(before-1-k+offset, k); err != nil {
				return to, err
			}
		}
		for k := range after {
			if err := line(n-1-k-offset, before+n+k); err != nil {
				return to, err
			}
		}
	}
	return to, nil
}
