package nn

import (
	"math"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(pool(2, "AvgPool"), "AvgPool")
	shape.Register(pool(3, "AvgPool3D"), "AvgPool3D")
	shape.Register(pool(2, "MaxPool"), "MaxPool", "MaxPoolWithArgmax", "MaxPoolGradGrad")
	shape.Register(pool(3, "MaxPool3D"), "MaxPool3D", "MaxPool3DGradGrad")
	shape.Register(maxPoolV2Shape, "MaxPoolV2")
	shape.Register(shape.UnchangedRank(4), "MaxPoolGrad", "MaxPoolGradV2", "MaxPoolGradWithArgmax")
	shape.Register(shape.UnchangedRank(5), "MaxPool3DGrad")
	shape.Register(fractionalPoolShape, "FractionalAvgPool", "FractionalMaxPool")
	shape.Register(fromValueOfRank(0, 4), "FractionalAvgPoolGrad")
	shape.Register(shape.UnchangedRank(4), "FractionalMaxPoolGrad")
}

// pool is for poolings over that many spatial dimensions whose window the
// attributes ksize and strides give.
func pool(dims int, op string) shape.Func {
	return func(c *shape.Context) error {
		return pooled(c, dims, op, c.Ints("ksize"), c.Ints("strides"))
	}
}

// pooled gives every output the shape that a pooling makes of input 0.
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
	for i := range w.along {
		size := ksize[w.format.Spatial+i]
		if size <= 0 {
			return status.Invalid("Sliding window ksize for dimension %d must be positive, but is %d", w.format.Spatial+i, size)
		}
		w.along[i].Size = size
	}
	// The window may span channels too.
	k := w.format.Channel
	channels := shape.Window{Size: ksize[k], Stride: strides[k], Padding: w.along[0].Padding}
	out := w.output(c, in)
	if channels.Padding == "EXPLICIT" {
		channels.Padding = "VALID"
	}
	if channels.Size != 1 || channels.Stride != 1 {
		out = out.ReplaceDim(k, c.TryDim(channels.Output(in.Dim(k))))
	}
	c.SetOutputs(out)
	return c.Err()
}

// maxPoolV2Shape is for a window that inputs 1 and 2 give.
func maxPoolV2Shape(c *shape.Context) error {
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
		d := in.Dim(i)
		if d == shape.Unknown {
			continue
		}
		if !(r >= 1) {
			return status.Invalid("pooling_ratio cannot be smaller than 1, got: %v", r)
		}
		out = out.ReplaceDim(i, int64(math.Floor(float64(d)/float64(r))))
	}
	c.SetOutput(0, out)
	c.SetOutput(1, shape.Of(c.TryDim(shape.AddDims(out.Dim(1), 1))))
	c.SetOutput(2, shape.Of(c.TryDim(shape.AddDims(out.Dim(2), 1))))
	return c.Err()
}
