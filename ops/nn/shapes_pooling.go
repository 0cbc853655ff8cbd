package nn

import (
	"math"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(pool(2, "AvgPool"), "AvgPool")
	shape.Register(pool(3, "AvgPool3D"), "AvgPool3D")
	shape.Register(pool(2, "MaxPool"), "MaxPool")
	shape.Register(argmaxPoolShape, "MaxPoolWithArgmax")
	shape.Register(pool(3, "MaxPool3D"), "MaxPool3D")
	shape.Register(poolGradGrad(2, "MaxPool"), "MaxPoolGradGrad")
	shape.Register(poolGradGrad(3, "MaxPool3D"), "MaxPool3DGradGrad")
	shape.Register(maxPoolV2Shape, "MaxPoolV2")
	shape.Register(maxPoolGradGradV2Shape, "MaxPoolGradGradV2")
	shape.Register(shape.UnchangedRank(4), "MaxPoolGrad", "MaxPoolGradV2", "MaxPoolGradWithArgmax")
	shape.Register(shape.UnchangedRank(5), "MaxPool3DGrad")
	shape.Register(fractionalPoolShape, "FractionalAvgPool", "FractionalMaxPool")
	shape.Register(fractionalAvgPoolGradShape, "FractionalAvgPoolGrad")
	shape.Register(shape.UnchangedRank(4), "FractionalMaxPoolGrad")
}

// pool is for poolings over that many spatial dimensions whose window the
// attributes ksize and strides give.
func pool(dims int, op string) shape.Func {
	return func(c *shape.Context) error {
		return pooled(c, dims, op, c.Ints32("ksize"), c.Ints32("strides"))
	}
}

// argmaxPoolShape takes no window without elements.
func argmaxPoolShape(c *shape.Context) error {
	ksize := c.Ints32("ksize")
	for _, k := range ksize {
		if k <= 0 || k > math.MaxInt32 {
			return status.Invalid("ksize must be a positive int32 value, got:%d", k)
		}
	}
	return pooled(c, 2, "MaxPool", ksize, c.Ints32("strides"))
}

// poolGradGrad is for the gradient of a pooling's gradient, of the input, the
// output and a gradient of the input's shape.
func poolGradGrad(dims int, op string) shape.Func {
	forward := pool(dims, op)
	return func(c *shape.Context) error {
		c.Fail(forward(c))
		c.Try(shape.Merge(c.Input(0), c.Input(2)))
		c.Try(shape.Merge(c.Output(0), c.Input(1)))
		return c.Err()
	}
}

// pooled returns every output the shape that a pooling makes of input 0.
func pooled(c *shape.Context, dims int, op string, ksize, strides []int64) error {
	w, err := newWindows(c, op, dims, strides, nil)
	if err != nil {
		return err
	}
	if len(ksize) != dims+2 {
		return status.Invalid("%s requires the ksize attribute to contain %d values, but got: %d", op, dims+2, len(ksize))
	}
	in := c.Try(c.Input(0).WithRank(w.format.Rank()))
	if c.Err() != nil {
		return c.Err()
	}
	if err := w.format.Check(in); err != nil {
		return err
	}
	for i := range w.along {
		w.along[i].Size = ksize[w.format.Spatial+i]
	}
	out := w.output(c, in)
	if op == "MaxPool" { // its window may span channels too
		k := w.format.Channel
		channels := shape.Window{Size: ksize[k], Stride: strides[k], Padding: w.along[0].Padding}
		if channels.Padding == "EXPLICIT" {
			channels.Padding = "VALID"
		}
		out = out.ReplaceDim(k, c.TryDim(channels.Output(in.Dim(k))))
	}
	c.SetOutputs(out)
	return c.Err()
}

// maxPoolGradGradV2Shape returns that of the pooling's output.
func maxPoolGradGradV2Shape(c *shape.Context) error {
	c.Try(shape.Merge(c.Input(0), c.Input(2)))
	c.SetOutput(0, c.Try(c.Input(1).WithRank(4)))
	return c.Err()
}

// maxPoolV2Shape is for a window that inputs 1 and 2 give.
func maxPoolV2Shape(c *shape.Context) error {
	f, err := shape.FormatOf(c.Str("data_format"), 2)
	if err != nil {
		return err
	}
	in := c.Try(c.Input(0).WithRank(f.Rank()))
	c.Fail(f.Check(in))
	for i := 1; i <= 2; i++ {
		c.TryDim(shape.WithValue(c.Try(c.Input(i).WithRank(1)).Dim(0), 4))
	}
	if c.Err() != nil {
		return c.Err()
	}
	ksize, ok := c.ConstInts(1)
	strides, ok2 := c.ConstInts(2)
	if !ok || !ok2 {
		return nil
	}
	return pooled(c, 2, "MaxPool", ksize, strides)
}

// fractionalPoolShape divides each dimension by its ratio.
func fractionalPoolShape(c *shape.Context) error {
	in, ratios := c.Try(c.Input(0).WithRank(4)), c.Floats("pooling_ratio")
	if len(ratios) != 4 {
		return status.Invalid("pooling_ratio field must specify 4 dimensions, but got %d", len(ratios))
	}
	out := in
	for i, r := range ratios {
		if !(r >= 1) {
			return status.Invalid("pooling_ratio cannot be smaller than 1, got: %v", r)
		}
		if d := in.Dim(i); d != shape.Unknown {
			out = out.ReplaceDim(i, int64(math.Floor(float64(d)/float64(r))))
		}
	}
	c.SetOutput(0, out)
	c.SetOutput(1, shape.Of(out.Dim(1)))
	c.SetOutput(2, shape.Of(out.Dim(2)))
	return c.Err()
}

// fractionalAvgPoolGradShape looks at the shape of the input only if its value
// is known.
func fractionalAvgPoolGradShape(c *shape.Context) error {
	c.SetOutput(0, shape.OfRank(4))
	if c.Value(0) != nil {
		c.SetOutput(0, c.Try(c.ShapeFrom(0)))
	}
	return c.Err()
}
