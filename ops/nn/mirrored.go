package nn

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("FusedPadConv2D").
		Input("input: T").Input("paddings: int32").Input("filter: T").
		Output("output: T").
		Attr("T: {half, bfloat16, float, double}").
		Attr("mode: {'REFLECT', 'SYMMETRIC'}").
		Attr("strides: list(int)").
		Attr("padding: {'SAME', 'VALID'}").
		Doc(`Mirrors the edges of images and convolves them as Conv2D does.

paddings: How much is mirrored before and after each dimension.
filter: As in Conv2D.
mode: "SYMMETRIC" mirrors the edge itself, too; "REFLECT" does not.
strides: As in Conv2D.
padding: As in Conv2D.`)

	shape.Register(fusedPadShape, "FusedPadConv2D")
	for _, op := range []string{"FusedResizeAndPadConv2D", "FusedPadConv2D"} {
		kernel.ForType(op, "T", tensor.Float, newMirrored[float32])
		kernel.ForType(op, "T", tensor.Double, newMirrored[float64])
	}
	narrow := func(op string, dt tensor.DType) {
		kernel.ForType(op, "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			k, err := newMirrored[float32](c)
			if err != nil {
				return nil, err
			}
			return elementwise.Widen(dt, k), nil
		})
	}
	narrow("FusedResizeAndPadConv2D", tensor.Half)
	narrow("FusedPadConv2D", tensor.Half)
	narrow("FusedPadConv2D", tensor.Bfloat16)
}

// fusedPadShape returns that of the convolution of what is padded, if that is known.
func fusedPadShape(c *shape.Context) error {
	in, filter := c.Try(c.Input(0).WithRank(4)), c.Try(c.Input(2).WithRank(4))
	paddings := c.Try(c.Input(1).WithRank(2))
	c.TryDim(shape.WithValue(paddings.Dim(0), 4))
	c.TryDim(shape.WithValue(paddings.Dim(1), 2))
	strides := c.Ints32("strides")
	if c.Err() != nil {
		return c.Err()
	}
	if len(strides) != 4 {
		return status.Invalid("Operation requires the stride attribute to contain 4 values, but got: %d", len(strides))
	}
	pads, ok := c.ConstInts(1)
	out := []int64{in.Dim(0), shape.Unknown, shape.Unknown, filter.Dim(3)}
	for i := 1; i <= 2 && ok && len(pads) == 8; i++ {
		if min(pads[2*i], pads[2*i+1]) < 0 {
			return status.Invalid("Paddings must be non-negative")
		}
		n := c.TryDim(shape.AddDims(in.Dim(i), c.TryDim(shape.AddDims(pads[2*i], pads[2*i+1]))))
		w := shape.Window{Size: filter.Dim(i - 1), Stride: strides[i], Padding: c.Str("padding")}
		out[i] = c.TryDim(w.Output(n))
	}
	c.SetOutput(0, shape.Of(out...))
	return c.Err()
}

// A mirrored is the kernel of convolutions of images that are resized first,
// where resize is set, and whose edges are mirrored then.
type mirrored[T float32 | float64] struct {
	dt      tensor.DType
	resize  bool
	corners bool // of the images stay where they are
	reflect int  // 1 if the edge itself is not repeated
	conv    kernel.Kernel
}

func newMirrored[T float32 | float64](c *kernel.Construction) (kernel.Kernel, error) {
	m, err := newMotion(c, 2)
	if err != nil {
		return nil, err
	}
	if err := m.depthStrides(); err != nil {
		return nil, err
	}
	k := &mirrored[T]{dt: tensor.DTypeOf[T](), resize: c.Op.Name == "FusedResizeAndPadConv2D", corners: c.Bool("resize_align_corners")}
	if c.Str("mode") == "REFLECT" {
		k.reflect = 1
	}
	k.conv = convOfType("Conv2D", k.dt, m)
	return k, nil
}

// Sources say where the pixels of a row or column come from: between two of the
// input's, the weight being that of the second.
type sources struct {
	lo, hi []int
	weight []float32
}

// sources works out what dimension d of size n becomes: size pixels, and then the
// paddings.
func (k *mirrored[T]) sources(n, size, before, after int) (sources, error) {
	if before < 0 || after < 0 {
		return sources{}, status.Invalid("Paddings must be non-negative: %d %d", before, after)
	}
	if max(before, after) > size-k.reflect {
		return sources{}, status.Invalid("paddings must be no greater than the dimension size: %d, %d greater than %d", before, after, size-k.reflect)
	}
	all := before + size + after
	a := sources{make([]int, all), make([]int, all), make([]float32, all)}
	scale := float32(n) / float32(size)
	if k.corners && size > 1 {
		scale = float32(n-1) / float32(size-1)
	}
	for i := range all {
		at := i - before
		if at < 0 {
			at = -at - 1 + k.reflect
		} else if at >= size {
			at = 2*size - 1 - k.reflect - at
		}
		if !k.resize {
			a.lo[i], a.hi[i] = at, at
			continue
		}
		place := float32(at) * scale
		a.lo[i] = min(int(place), n-1)
		a.hi[i] = min(a.lo[i]+1, n-1)
		a.weight[i] = place - float32(a.lo[i])
	}
	return a, nil
}

func (k *mirrored[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	x, filter := in[0].Dims(), in[len(in)-1]
	if len(x) != 4 {
		return status.Invalid("input must be 4-dimensional, got shape %s", tensor.FormatDims(x))
	}
	size, paddings := []int64{x[1], x[2]}, in[len(in)-2]
	if k.resize {
		if in[1].Rank() != 1 || in[1].NumElements() != 2 {
			return status.Invalid("shape_t must have two elements, got shape %s", tensor.FormatDims(in[1].Dims()))
		}
		size = kernel.AppendInts(size[:0], &in[1])
		if size[0] <= 0 || size[1] <= 0 {
			return status.Invalid("output dimensions must be positive, got %d by %d", size[0], size[1])
		}
		if x[1] <= 0 || x[2] <= 0 {
			return status.Invalid("input image must be of non-zero size, got %d by %d", x[1], x[2])
		}
	}
	if d := paddings.Dims(); len(d) != 2 || d[0] != 4 || d[1] != 2 {
		return status.Invalid("paddings must be a matrix with 2 columns and 4 rows: %s", tensor.FormatDims(d))
	}
	p := tensor.Of[int32](&paddings)
	if p[0] != 0 || p[1] != 0 || p[6] != 0 || p[7] != 0 {
		return status.Invalid("Only spatial dimensions can be padded, got paddings %v", p)
	}
	if filter.Rank() != 4 {
		return status.Invalid("filter must be 4-dimensional: %s", tensor.FormatDims(filter.Dims()))
	}
	if filter.Dims()[2] != x[3] {
		return status.Invalid("input and filter must have the same depth: %d vs %d", x[3], filter.Dims()[2])
	}
	// The size is checked before tables of it are made.
	h, w := size[0]+int64(p[2])+int64(p[3]), size[1]+int64(p[4])+int64(p[5])
	dims := []int64{x[0], max(h, 0), max(w, 0), x[3]}
	padded, err := ctx.Alloc(k.dt, dims)
	if err != nil {
		return err
	}
	defer ctx.Free(padded)
	if padded.NumElements() > 0 {
		rows, err := k.sources(int(x[1]), int(size[0]), int(p[2]), int(p[3]))
		if err != nil {
			return err
		}
		cols, err := k.sources(int(x[2]), int(size[1]), int(p[4]), int(p[5]))
		if err != nil {
			return err
		}
		if err := k.fill(ctx, tensor.Of[T](&padded), tensor.Of[T](&in[0]), x, rows, cols); err != nil {
			return err
		}
	}
	return k.conv.Run(ctx, []tensor.Value{padded, filter}, out)
}

// fill sets the padded images.
func (k *mirrored[T]) fill(ctx *kernel.Context, to, from []T, x []int64, rows, cols sources) error {
	width, c := int(x[2]), int(x[3])
	for b := range int(x[0]) {
		image := from[b*int(x[1])*width*c:]
		for y := range rows.lo {
			if err := ctx.Err(); err != nil {
				return err
			}
			top, bottom := image[rows.lo[y]*width*c:], image[rows.hi[y]*width*c:]
			for i := range cols.lo {
				l, r := cols.lo[i]*c, cols.hi[i]*c
				if !k.resize {
					copy(to[:c], top[l:])
					to = to[c:]
					continue
				}
				across, down := T(cols.weight[i]), T(rows.weight[y])
				for d := range c {
					t := top[l+d] + (top[r+d]-top[l+d])*across
					u := bottom[l+d] + (bottom[r+d]-bottom[l+d])*across
					to[d] = t + (u-t)*down
				}
				to = to[c:]
			}
		}
	}
	return nil
}
