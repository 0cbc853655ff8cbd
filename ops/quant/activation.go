package quant

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("QuantizedRelu").
		Input("features: Tinput").Input("min_features: float").Input("max_features: float").
		Output("activations: out_type").Output("min_activations: float").Output("max_activations: float").
		Attr("Tinput: quantizedtype").
		Attr("out_type: quantizedtype = DT_QUINT8").
		Doc(`Replaces quantized numbers below 0 by 0.

features: The numbers.
min_features: The value of their lowest integer.
max_features: The value of their highest integer.
min_activations: The same as min_features.
max_activations: The same as max_features.
out_type: The type of the result.`)
	registry.Define("QuantizedRelu6").
		Input("features: Tinput").Input("min_features: float").Input("max_features: float").
		Output("activations: out_type").Output("min_activations: float").Output("max_activations: float").
		Attr("Tinput: quantizedtype").
		Attr("out_type: quantizedtype = DT_QUINT8").
		Doc(`Replaces quantized numbers below 0 by 0, and those above 6 by 6.

features: The numbers.
min_features: The value of their lowest integer.
max_features: The value of their highest integer.
min_activations: The same as min_features.
max_activations: The same as max_features.
out_type: The type of the result.`)
	registry.Define("QuantizedReshape").
		Input("tensor: T").Input("shape: Tshape").Input("input_min: float").
		Input("input_max: float").Output("output: T").Output("output_min: float").
		Output("output_max: float").
		Attr("T: type").
		Attr("Tshape: {int32, int64} = DT_INT32").
		Doc(`Gives a quantized tensor another shape.

shape: The shape; one dimension may be -1, for what is left.
input_min: The value of the lowest integer.
input_max: The value of the highest integer.
output_min: The same as input_min.
output_max: The same as input_max.`)

	for op, top := range map[string]float32{"QuantizedRelu": float32(math.Inf(1)), "QuantizedRelu6": 6} {
		shape.Register(func(c *shape.Context) error {
			c.SetOutput(0, c.Input(0))
			for i := 1; i <= 2; i++ {
				c.Try(c.Input(i).WithRank(0))
				c.SetOutput(i, shape.Scalar)
			}
			return c.Err()
		}, op)
		for _, dt := range []tensor.DType{tensor.Quint8, tensor.Qint32} {
			run := func(ctx *kernel.Context, in, out []tensor.Value) error { return activate[uint8](ctx, in, out, top) }
			if dt == tensor.Qint32 {
				run = func(ctx *kernel.Context, in, out []tensor.Value) error { return activate[int32](ctx, in, out, top) }
			}
			kernel.Register(kernel.Registration{Op: op, Types: map[string][]tensor.DType{"Tinput": {dt}, "out_type": {dt}},
				New: plain(run)})
		}
	}
	shape.Register(reshapeShape, "QuantizedReshape")
	kernel.ForAll(plain(reshape), "QuantizedReshape")
}

// passRange puts out the range that is inputs 1 and 2.
func passRange(in, out []tensor.Value) error {
	for i := range 2 {
		v := in[1+i]
		if v.Rank() != 0 {
			return status.Invalid("the ends of ranges must be scalars, got shape %s", tensor.FormatDims(v.Dims()))
		}
		out[1+i] = v
	}
	return nil
}

// activate returns the kernel of QuantizedRelu and QuantizedRelu6: numbers are cut off
// at what stands for 0 and for top.
func activate[T uint8 | int32](ctx *kernel.Context, in, out []tensor.Value, top float32) error {
	if err := passRange(in, out); err != nil {
		return err
	}
	low, high := tensor.At0[float32](&in[1]), tensor.At0[float32](&in[2])
	least := clamped[T](quantized[T](0, low, high))
	_, limit := limits[T]()
	most := T(limit)
	if !math.IsInf(float64(top), 1) {
		most = clamped[T](quantized[T](top, low, high))
	}
	var err error
	if out[0], err = ctx.Alloc(in[0].DType(), in[0].Dims()); err != nil {
		return err
	}
	to := tensor.Of[T](&out[0])
	for i, x := range tensor.Of[T](&in[0]) {
		to[i] = min(max(x, least), most)
	}
	return nil
}

// reshapeShape returns what the second input says, with what is left for a -1.
func reshapeShape(c *shape.Context) error {
	for i := 2; i <= 3; i++ {
		c.Try(c.Input(i).WithRank(0))
		c.SetOutput(i-1, shape.Scalar)
	}
	s, err := c.ShapeFrom(1)
	if err == nil {
		c.SetOutput(0, s)
	}
	c.Fail(err)
	return c.Err()
}

// reshape returns the kernel of QuantizedReshape.
func reshape(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[2].NumElements() != 1 || in[3].NumElements() != 1 {
		return status.Invalid("input_min and input_max must have one element, got shapes %s and %s", tensor.FormatDims(in[2].Dims()), tensor.FormatDims(in[3].Dims()))
	}
	out[1], out[2] = tensor.ScalarAt(&in[2], 0), tensor.ScalarAt(&in[3], 0)
	if in[1].Rank() > 1 {
		return status.Invalid("sizes input must be 1-D, not %s", tensor.FormatDims(in[1].Dims()))
	}
	if err := kernel.Short(&in[1], "sizes input"); err != nil {
		return err
	}
	dims := kernel.AppendInts(nil, &in[1])
	n, open := int64(1), -1
	for i, d := range dims {
		switch {
		case d == -1 && open >= 0:
			return status.Invalid("Only one input size may be -1, not both %d and %d", open, i)
		case d == -1:
			open = i
		case d < 0:
			return status.Invalid("Size %d must be non-negative, not %d", i, d)
		case d > 0 && n > math.MaxInt64/d:
			return status.Invalid("the shape %s is too large", tensor.FormatDims(dims))
		default:
			n *= d
		}
	}
	all := int64(in[0].NumElements())
	if open >= 0 {
		if n == 0 {
			return status.Invalid("Reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are non-zero")
		}
		dims[open] = all / n
		n *= dims[open]
	}
	if n != all {
		return status.Invalid("Input to reshape is a tensor with %d values, but the requested shape has %d", all, n)
	}
	var err error
	out[0], err = ctx.View(in[0], 0, int(all), dims)
	return err
}
