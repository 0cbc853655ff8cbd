package array

import (
	"math"

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
	registry.Define("ExtractImagePatches").
		Input("images: T").Output("patches: T").
		Attr("ksizes: list(int) >= 4").
		Attr("strides: list(int) >= 4").
		Attr("rates: list(int) >= 4").
		Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128, bool}").
		Attr("padding: {'SAME', 'VALID'}").
		Doc(`Gives the windows of images, each flattened into the channels of a pixel.

images: A batch of images: batch, height, width, channels.
ksizes: The size of the window in each dimension.
strides: The step in each dimension.
rates: The distance of the window's pixels in each dimension.
padding: "SAME" fills up the edges with zeros so that an output dimension is the input's divided by the stride, rounded up; "VALID" uses whole windows only.`)
	registry.Define("ExtractVolumePatches").
		Input("input: T").Output("patches: T").
		Attr("ksizes: list(int) >= 5").
		Attr("strides: list(int) >= 5").
		Attr("T: realnumbertype").
		Attr("padding: {'SAME', 'VALID'}").
		Doc(`Gives the windows of volumes, each flattened into the channels of a point.

input: A batch of volumes: batch, depth, height, width, channels.
ksizes: The size of the window in each dimension.
strides: The step in each dimension.
padding: As in ExtractImagePatches.`)

	kernel.Register(kernel.Registration{Op: "ExtractImagePatches", Types: map[string][]tensor.DType{"T": elementwise.Numbers}, New: newPatcher(2)})
	kernel.Register(kernel.Registration{Op: "ExtractVolumePatches", Types: map[string][]tensor.DType{"T": elementwise.Reals}, New: newPatcher(3)})

	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		return patchesGradient(c, x, dy, "ExtractImagePatches", 2, c.Attrs("ksizes", "strides", "rates", "padding"))
	}, "ExtractImagePatches")
	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		return patchesGradient(c, x, dy, "ExtractVolumePatches", 3, c.Attrs("ksizes", "strides", "padding"))
	}, "ExtractVolumePatches")
}

// patchesGradient adds up what flows to the places that each pixel was put at. Which
// these are, patches of the numbers of pixels say.
func patchesGradient(c *gradient.Context, x, dy graph.Output, op string, space int, attrs graph.Attrs) graph.Output {
	shape := c.Op("Unpack", graph.Attrs{"num": int64(space + 2)}, c.Shape(x)).Op
	if shape == nil {
		return graph.Output{}
	}
	one, all := c.Const(int32(1)), c.Const(int32(-1))
	dims := func(list ...graph.Output) graph.Output { return c.Op("Pack", nil, graph.OutputList(list)) }

	pixels, grid := one, []graph.Output{one}
	for i := range space {
		pixels = c.Mul(pixels, shape.Output(1+i))
		grid = append(grid, shape.Output(1+i))
	}
	numbers := c.Reshape(c.Apply("Range", one, c.Add(pixels, one), one), dims(append(grid, one)...))
	from := c.Reshape(c.Op(op, attrs, numbers), c.Int32s(-1))

	batch, depth := shape.Output(0), shape.Output(space+1)
	byPlace := c.Apply("Transpose", c.Reshape(dy, dims(batch, all, depth)), c.Int32s(1, 0, 2))
	byPixel := c.Apply("UnsortedSegmentSum", byPlace, c.Sub(from, one), pixels) // -1 is beyond the edge
	return c.Reshape(c.Apply("Transpose", byPixel, c.Int32s(1, 0, 2)), c.Shape(x))
}

// A patcher is the kernel of ExtractImagePatches and ExtractVolumePatches. Images
// are volumes of depth 1.
type patcher struct {
	space            int      // dimensions of the windows: 2 or 3
	size, step, rate [3]int64 // of depth, height and width
	same             bool
}

//go:noinline
func newPatcher(space int) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		k := &patcher{space: space, same: c.Str("padding") == "SAME", size: [3]int64{1, 1, 1}, step: [3]int64{1, 1, 1}, rate: [3]int64{1, 1, 1}}
		for _, a := range []struct {
			name string
			to   *[3]int64
		}{{"ksizes", &k.size}, {"strides", &k.step}, {"rates", &k.rate}} {
			x := c.Ints(a.name)
			if c.Attrs.Find(a.name) == nil {
				continue
			}
			if len(x) != space+2 {
				return nil, c.Errorf("Sliding window %s field must specify %d dimensions", a.name, space+2)
			}
			if x[0] != 1 || x[space+1] != 1 {
				return nil, status.Errorf(status.Unimplemented, "Only support %s across space.", a.name)
			}
			for i, n := range x[1 : space+1] {
				if n < 1 || n > math.MaxInt32 {
					return nil, status.Errorf(status.OutOfRange, "%s is out of range: %v", a.name, x)
				}
				a.to[3-space+i] = n
			}
		}
		return k, nil
	}
}

func (k *patcher) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	x := in[0].Dims()
	if len(x) != k.space+2 {
		return status.Invalid("input must be %d-dimensional%s", k.space+2, tensor.FormatDims(x))
	}
	extent, depth := [3]int64{1, 1, 1}, x[k.space+1]
	copy(extent[3-k.space:], x[1:])
	var n, before [3]int64
	for i := range n {
		reach := (k.size[i]-1)*k.rate[i] + 1
		if k.same {
			n[i] = (extent[i] + k.step[i] - 1) / k.step[i]
			before[i] = ((n[i]-1)*k.step[i] + reach - extent[i]) / 2
			if k.space == 2 {
				before[i] = max(0, before[i])
			} // windows of volumes begin inside where steps are larger than they
			continue
		}
		if n[i] = (extent[i] - reach + k.step[i]) / k.step[i]; n[i] < 0 || extent[i] < reach-k.step[i] {
			return status.Invalid("Computed output size would be negative: %d [input_size: %d, effective_filter_size: %d, stride: %d]", n[i], extent[i], reach, k.step[i])
		}
	}
	window := k.size[0] // sizes are below 2^31
	for _, s := range []int64{k.size[1], k.size[2], max(depth, 1)} {
		if window > math.MaxInt64/s {
			return status.Invalid("windows of %v pixels are too large", k.size)
		}
		window *= s
	}
	window = window / max(depth, 1) * depth
	dims := append([]int64{x[0]}, n[3-k.space:]...)
	v, err := ctx.AllocZeroed(in[0].DType(), append(dims, window))
	if err != nil {
		return err
	}
	out[0] = v
	if v.NumElements() == 0 || in[0].NumElements() == 0 {
		return nil
	}
	src := in[0]
	ctx.Parallel(int(x[0]*n[0]*n[1]), max(1, strided.Grain/int(min(n[2]*window, math.MaxInt32))), func(lo, hi int) {
		for r := int64(lo); r < int64(hi) && ctx.Err() == nil; r++ {
			b, front, top := r/(n[0]*n[1]), r/n[1]%n[0]*k.step[0]-before[0], r%n[1]*k.step[1]-before[1]
			at := int(r * n[2] * window)
			for col := range n[2] {
				left := col*k.step[2] - before[2]
				for h := range k.size[0] {
					z := front + h*k.rate[0]
					for i := range k.size[1] {
						y := top + i*k.rate[1]
						if z < 0 || z >= extent[0] || y < 0 || y >= extent[1] {
							at += int(k.size[2] * depth)
							continue
						}
						for j := range k.size[2] {
							if w := left + j*k.rate[2]; w >= 0 && w < extent[2] {
								strided.Move(&v, at, &src, int((((b*extent[0]+z)*extent[1]+y)*extent[2]+w)*depth), int(depth))
							}
							at += int(depth)
						}
					}
				}
			}
		}
	})
	return ctx.Err()
}
