package nn

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(convolution(2, "Conv2D").infer, "Conv2D")
	shape.Register(convolution(3, "Conv3D").infer, "Conv3D")
	shape.Register(convShape, "Conv")
	shape.Register(depthwiseShape, "DepthwiseConv2dNative", "_FusedDepthwiseConv2dNative")
	shape.Register(conv2DBackpropInputShape, "Conv2DBackpropInput")
	shape.Register(fromValueOfRank(0, 4), "DepthwiseConv2dNativeBackpropInput", "AvgPoolGrad")
	shape.Register(fromValueOfRank(0, 5), "Conv3DBackpropInputV2", "AvgPool3DGrad")
	shape.Register(fromValueOfRank(1, 4), "Conv2DBackpropFilter", "DepthwiseConv2dNativeBackpropFilter")
	shape.Register(fromValueOfRank(1, 5), "Conv3DBackpropFilterV2")
	shape.Register(dilation2DShape, "Dilation2D")
	shape.Register(shape.Unchanged, "Dilation2DBackpropInput")
	shape.Register(shape.Like(1), "Dilation2DBackpropFilter")
}

// fromValueOfRank returns the output the shape that the value of input i tells,
// of that rank.
func fromValueOfRank(i, rank int) shape.Func {
	return func(c *shape.Context) error {
		s := c.Try(c.ShapeFrom(i))
		c.SetOutput(0, c.Try(s.WithRank(rank)))
		return c.Err()
	}
}

// A windows is how a convolution or a pooling moves over an input, by spatial
// dimension, with the data format that says where those are.
type windows struct {
	op     string // for messages
	format shape.Format
	along  []shape.Window
}

// newWindows reads the attributes data_format, padding, explicit_paddings and,
// if they are given, strides and dilations. Sizes are left open.
func newWindows(c *shape.Context, op string, dims int, strides, dilations []int64) (windows, error) {
	format, err := shape.FormatOf(c.Str("data_format"), dims)
	if err != nil {
		return windows{}, err
	}
	w := windows{op: op, format: format, along: make([]shape.Window, dims)}
	rank := dims + 2
	if len(strides) != rank {
		return w, status.Invalid("%s on data format %s requires the stride attribute to contain %d values, but got: %d", op, formatName(c), rank, len(strides))
	}
	if dilations != nil && len(dilations) != rank {
		return w, status.Invalid("%s requires the dilation attribute to contain %d values, but got: %d", op, rank, len(dilations))
	}
	padding, explicit := c.Str("padding"), c.Ints("explicit_paddings")
	if own := c.Ints(fusedPaddings); len(own) > 0 && c.Op.Name == "_FusedDepthwiseConv2dNative" {
		padding, explicit = "EXPLICIT", own
	}
	if padding != "EXPLICIT" && len(explicit) != 0 {
		return w, status.Invalid("explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT")
	}
	if padding == "EXPLICIT" && len(explicit) != 2*rank {
		return w, status.Invalid("explicit_paddings attribute must contain %d values, but got: %d", 2*rank, len(explicit))
	}
	for i := range w.along {
		k := format.Spatial + i
		w.along[i] = shape.Window{Stride: strides[k], Padding: padding}
		if dilations != nil {
			if w.along[i].Dilation = dilations[k]; dilations[k] < 1 {
				return w, status.Invalid("Dilation rate must be >= 1, but got %d", dilations[k])
			}
		}
		if padding == "EXPLICIT" {
			w.along[i].Before, w.along[i].After = explicit[2*k], explicit[2*k+1]
		}
	}
	return w, nil
}

func formatName(c *shape.Context) string {
	if name := c.Str("data_format"); name != "" {
		return name
	}
	return "NHWC"
}

// output is in with its spatial dimensions as the windows leave them.
func (w windows) output(c *shape.Context, in shape.Shape) shape.Shape {
	for i := range w.along {
		k := w.format.Spatial + i
		in = in.ReplaceDim(k, c.TryDim(w.along[i].Output(in.Dim(k))))
	}
	return in
}

// conv is a convolution over that many spatial dimensions.
type conv struct {
	dims int
	op   string
}

func convolution(dims int, op string) conv { return conv{dims, op} }

// infer works out the shape; the filter is [spatial..., depth in, depth out],
// and the depth of the input may be several times depth in: so many groups.
func (v conv) infer(c *shape.Context) error {
	out, err := v.output(c, c.Input(0))
	c.SetOutput(0, out)
	return err
}

// output returns the shape of the convolution of an input of that shape.
func (v conv) output(c *shape.Context, in shape.Shape) (shape.Shape, error) {
	w, err := newWindows(c, v.op, v.dims, c.Ints32("strides"), dilations(c))
	if err != nil {
		return shape.Shape{}, err
	}
	in = c.Try(in.WithRank(w.format.Rank()))
	filter := v.filter(c)
	if c.Err() != nil {
		return shape.Shape{}, c.Err()
	}
	if err := w.format.Check(in); err != nil {
		return shape.Shape{}, err
	}
	depth := in.Dim(w.format.Channel)
	if w.format.Inner > 1 {
		depth = c.TryDim(shape.MulDims(depth, in.Dim(-1)))
	}
	out, err := groupedDepth(depth, filter.Dim(-2), filter.Dim(-1))
	if err != nil {
		return shape.Shape{}, err
	}
	if w.format.Inner > 1 {
		out = c.TryDim(shape.DivDimsEvenly(out, in.Dim(-1)))
	}
	for i := range w.along {
		w.along[i].Size = filter.Dim(i)
	}
	return w.output(c, in).ReplaceDim(w.format.Channel, out), c.Err()
}

// filter returns the shape of the filter as [spatial..., depth in, depth out].
func (v conv) filter(c *shape.Context) shape.Shape {
	f, format := c.Input(1), c.Str("filter_format")
	switch {
	case format == "OIHW_VECT_I" && c.Str("data_format") == "NCHW_VECT_C":
		f = c.Try(f.WithRank(5))
		if d := f.Dim(4); d != 4 && d != 32 {
			c.Fail(status.Invalid("VECT_C dimension must be 4 or 32, but is %d", d))
		}
		return shape.Of(f.Dim(2), f.Dim(3), c.TryDim(shape.MulDims(f.Dim(1), f.Dim(4))), f.Dim(0))
	case format == "OIHW" || format == "OIHW_VECT_I":
		f = c.Try(f.WithRank(4))
		return shape.Of(f.Dim(2), f.Dim(3), f.Dim(1), f.Dim(0))
	}
	return c.Try(f.WithRank(v.dims + 2))
}

// groupedDepth checks the depth of an input against a filter's and returns the
// depth of the result.
func groupedDepth(depth, filterIn, filterOut int64) (int64, error) {
	if depth == shape.Unknown || filterIn == shape.Unknown {
		return filterOut, nil
	}
	switch {
	case filterIn == 0:
		return shape.Unknown, status.Invalid("Depth of filter must not be 0")
	case depth%filterIn != 0:
		return shape.Unknown, status.Invalid("Depth of input (%d) is not a multiple of input depth of filter (%d)", depth, filterIn)
	}
	groups := depth / filterIn
	if groups == 0 {
		return shape.Unknown, status.Invalid("Number of groups must not be 0")
	}
	if filterOut != shape.Unknown && filterOut%groups != 0 {
		return shape.Unknown, status.Invalid("Depth of output (%d) is not a multiple of the number of groups (%d)", filterOut, groups)
	}
	return filterOut, nil
}

// dilations returns the attribute of that name, nil if the operation has none, or is
// Conv, for which they are left out by default.
func dilations(c *shape.Context) []int64 {
	if c.Attrs.Find("dilations") == nil {
		return nil
	}
	d := c.Ints32("dilations")
	if len(d) == 0 && c.Op != nil && c.Op.Name == "Conv" {
		return nil
	}
	return d
}

// convShape is for the convolution whose rank the input tells, less dimensions
// of batch beyond the first.
func convShape(c *shape.Context) error {
	in, filter := c.Input(0), c.Input(1)
	if !in.Known() || !filter.Known() {
		return nil
	}
	more := c.Int("batch_dims") - 1
	rank := int64(in.Rank()) - more
	if rank != 4 && rank != 5 {
		return status.Invalid("Input tensor must be rank 4 or 5, excluding extra batch dimensions, but got: %d", rank)
	}
	v := convolution(int(rank)-2, "Conv")
	if more <= 0 {
		return v.infer(c)
	}
	out, err := v.output(c, in.From(int(more)))
	if err != nil {
		return err
	}
	c.SetOutput(0, c.Try(shape.Concat(in.To(int(more)), out)))
	return c.Err()
}

// depthwiseShape is for filters [height, width, depth in, multiplier].
func depthwiseShape(c *shape.Context) error {
	w, err := newWindows(c, "DepthwiseConv2D", 2, c.Ints32("strides"), dilations(c))
	if err != nil {
		return err
	}
	in, filter := c.Try(c.Input(0).WithRank(4)), c.Try(c.Input(1).WithRank(4))
	depth := c.TryDim(shape.MergeDims(in.Dim(w.format.Channel), filter.Dim(2)))
	if c.Err() != nil {
		return c.Err()
	}
	for i := range w.along {
		w.along[i].Size = filter.Dim(i)
	}
	out := c.TryDim(shape.MulDims(depth, filter.Dim(3)))
	c.SetOutput(0, w.output(c, in).ReplaceDim(w.format.Channel, out))
	return c.Err()
}

// conv2DBackpropInputShape takes the batch from the gradient and the rest from
// the sizes, which may be those of the spatial dimensions alone.
func conv2DBackpropInputShape(c *shape.Context) error {
	f, err := shape.FormatOf(c.Str("data_format"), 2)
	if err != nil {
		return err
	}
	sizes, filter, grad := c.Try(c.ShapeFrom(0)), c.Try(c.Input(1).WithRank(4)), c.Try(c.Input(2).WithRank(4))
	c.TryDim(shape.MergeDims(grad.Dim(f.Channel), filter.Dim(3)))
	dims := []int64{shape.Unknown, shape.Unknown, shape.Unknown, shape.Unknown}
	dims[f.Batch] = grad.Dim(f.Batch)
	switch sizes.Rank() {
	case -1:
	case 2:
		dims[f.Spatial], dims[f.Spatial+1], dims[f.Channel] = sizes.Dim(0), sizes.Dim(1), filter.Dim(2)
	case 4:
		c.TryDim(shape.MergeDims(sizes.Dim(f.Batch), grad.Dim(f.Batch)))
		for _, i := range []int{f.Spatial, f.Spatial + 1, f.Channel} {
			dims[i] = sizes.Dim(i)
		}
	default:
		return status.Invalid("input_sizes must contain 4 values or 2 values, but got: %d", sizes.Rank())
	}
	c.SetOutput(0, shape.Of(dims...))
	return c.Err()
}

// dilation2DShape, unlike a convolution, may leave nothing, and knows both
// sides of the result or neither.
func dilation2DShape(c *shape.Context) error {
	strides, rates := c.Ints32("strides"), c.Ints32("rates")
	if len(strides) != 4 || len(rates) != 4 {
		return status.Invalid("Dilation2D requires the stride and rates attributes to contain 4 values, but got: %d and %d", len(strides), len(rates))
	}
	in, filter := c.Try(c.Input(0).WithRank(4)), c.Try(c.Input(1).WithRank(3))
	if c.Err() != nil {
		return c.Err()
	}
	depth := filter.Dim(2)
	dims := []int64{in.Dim(0), shape.Unknown, shape.Unknown, depth}
	known := in.Sub(1, 3).Full() && filter.To(2).Full()
	for i := 1; i <= 2 && known; i++ {
		w := shape.Window{Size: filter.Dim(i - 1), Stride: strides[i], Dilation: rates[i], Padding: c.Str("padding")}
		dims[i] = c.TryDim(w.Positions(in.Dim(i)))
	}
	if known {
		c.TryDim(shape.MergeDims(in.Dim(3), depth))
	}
	c.SetOutput(0, shape.Of(dims...))
	return c.Err()
}
