package quant

import (
	"math"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("QuantizedConv2D").
		Input("input: Tinput").Input("filter: Tfilter").Input("min_input: float").
		Input("max_input: float").Input("min_filter: float").Input("max_filter: float").
		Output("output: out_type").Output("min_output: float").Output("max_output: float").
		Attr("Tinput: quantizedtype").
		Attr("Tfilter: quantizedtype").
		Attr("out_type: quantizedtype = DT_QINT32").
		Attr("strides: list(int)").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("dilations: list(int) = [1, 1, 1, 1]").
		Doc(`Convolves quantized images with a quantized filter.

input: Batch, height, width and channels.
filter: Height, width, channels of the input and of the output.
min_input: The value of the lowest integer of the input.
max_input: The value of the highest integer of the input.
min_filter: The value of the lowest integer of the filter.
max_filter: The value of the highest integer of the filter.
min_output: The value of the lowest integer of the output.
max_output: The value of the highest integer of the output.
out_type: The type of the result.
strides: As in Conv2D.
padding: As in Conv2D.
dilations: As in Conv2D; 1 alone can be computed.`)

	shape.Register(quantizedConvShape, "QuantizedConv2D")
	kernel.Register(kernel.Registration{
		Op: "QuantizedConv2D", New: newConvolution,
		Types: map[string][]tensor.DType{"Tinput": {tensor.Quint8}, "Tfilter": {tensor.Quint8}, "out_type": {tensor.Qint32}},
	})
}

func quantizedConvShape(c *shape.Context) error {
	in, filter := c.Try(c.Input(0).WithRank(4)), c.Try(c.Input(1).WithRank(4))
	for i := 2; i < c.NumInputs(); i++ {
		c.Try(c.Input(i).WithRank(0))
	}
	strides, dilations := c.Ints32("strides"), c.Ints32("dilations")
	if c.Err() != nil {
		return c.Err()
	}
	if len(strides) != 4 || len(dilations) != 4 {
		return status.Invalid("QuantizedConv2D requires the stride attribute to contain 4 values, but got: %d", len(strides))
	}
	c.TryDim(shape.MergeDims(in.Dim(3), filter.Dim(2)))
	out := []int64{in.Dim(0), 0, 0, filter.Dim(3)}
	for i := 1; i <= 2; i++ {
		w := shape.Window{Size: filter.Dim(i - 1), Stride: strides[i], Dilation: dilations[i], Padding: c.Str("padding")}
		out[i] = c.TryDim(w.Output(in.Dim(i)))
	}
	c.SetOutput(0, shape.Of(out...))
	c.SetOutput(1, shape.Scalar)
	c.SetOutput(2, shape.Scalar)
	return c.Err()
}

// A convolution is the kernel of QuantizedConv2D.
type convolution struct {
	strides [2]int64
	padding string
}

func newConvolution(c *kernel.Construction) (kernel.Kernel, error) {
	s, d := c.Ints("strides"), c.Ints("dilations")
	switch {
	case len(s) != 4:
		return nil, c.Errorf("Sliding window strides field must specify 4 dimensions")
	case s[1] != s[2]:
		return nil, c.Errorf("Current implementation only supports equal length strides in the row and column dimensions.")
	case s[0] != 1 || s[3] != 1:
		return nil, c.Errorf("Current implementation does not yet support strides in the batch and depth dimensions.")
	case s[1] <= 0 || s[1] > math.MaxInt32:
		return nil, c.Errorf("strides must be positive, got %v", s)
	case len(d) != 4:
		return nil, c.Errorf("Dilation field must specify 4 dimensions")
	}
	for _, n := range d {
		if n != 1 {
			return nil, c.Errorf("Current implementation only supports dilated rate as 1 in the row and column dimensions.")
		}
	}
	return &convolution{[2]int64{s[1], s[2]}, c.Str("padding")}, nil
}

// Run computes sums of products of integers counted from those that stand
// for 0, which is also what lies beyond the edges.
func (k *convolution) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	r, err := rangesOf(in)
	if err != nil {
		return err
	}
	x, f := in[0].Dims(), in[1].Dims()
	if len(x) != 4 || len(f) != 4 {
		return status.Invalid("input and filter must be 4-dimensional, got shapes %s and %s", tensor.FormatDims(x), tensor.FormatDims(f))
	}
	if x[3] != f[2] {
		return status.Invalid("input and filter must have the same depth: %d vs %d", x[3], f[2])
	}
	if in[0].NumElements() == 0 || in[1].NumElements() == 0 {
		return status.Invalid("Invalid input: Shapes dimension cannot be 0: %s, %s", tensor.FormatDims(x), tensor.FormatDims(f))
	}
	dims := []int64{x[0], 0, 0, f[3]}
	var before [2]int64
	for i := range 2 {
		w := shape.Window{Size: f[i], Stride: k.strides[i], Padding: k.padding}
		n, err := w.Output(x[1+i])
		if err != nil {
			return err
		}
		dims[1+i] = n
		if k.padding == "SAME" {
			before[i] = max((n-1)*k.strides[i]+f[i]-x[1+i], 0) / 2
		}
	}
	low, high := productRange[uint8](r[0], r[1], r[2], r[3])
	out[1], out[2] = tensor.Scalar(low), tensor.Scalar(high)
	if out[0], err = ctx.AllocZeroed(tensor.Qint32, dims); err != nil || out[0].NumElements() == 0 {
		return err
	}
	zeroX, zeroY := int32(quantized[uint8](0, r[0], r[1])), int32(quantized[uint8](0, r[2], r[3]))
	width := f[0] * f[1] * f[2]
	filter, err := ctx.Alloc(tensor.Int32, []int64{width, f[3]})
	if err != nil {
		return err
	}
	defer ctx.Free(filter)
	w := tensor.Of[int32](&filter)
	for i, y := range tensor.Of[uint8](&in[1]) {
		w[i] = int32(y) - zeroY
	}
	patches, err := ctx.Alloc(tensor.Int32, []int64{dims[2], width})
	if err != nil {
		return err
	}
	defer ctx.Free(patches)
	p, image, o := tensor.Of[int32](&patches), tensor.Of[uint8](&in[0]), tensor.Of[int32](&out[0])
	row := x[2] * x[3]
	for b := range dims[0] {
		for y := range dims[1] {
			if err := ctx.Err(); err != nil {
				return err
			}
			clear(p)
			for i := range dims[2] {
				patch := p[i*width:]
				for fy := range f[0] {
					sy := y*k.strides[0] + fy - before[0]
					if sy < 0 || sy >= x[1] {
						continue
					}
					for fx := range f[1] {
						sx := i*k.strides[1] + fx - before[1]
						if sx < 0 || sx >= x[2] {
							continue
						}
						from := image[(b*x[1]+sy)*row+sx*x[3]:][:x[3]]
						to := patch[(fy*f[1]+fx)*f[2]:][:f[2]]
						for c, v := range from {
							to[c] = int32(v) - zeroX
						}
					}
				}
			}
			at := (b*dims[1] + y) * dims[2] * dims[3]
			vec.Gemm(vec.PoolOf(ctx, int(dims[2]), int(dims[3]), int(width)), false, false, int(dims[2]), int(dims[3]), int(width), p, int(width), w, int(dims[3]), o[at:], int(dims[3]))
		}
	}
	return ctx.Err()
}
