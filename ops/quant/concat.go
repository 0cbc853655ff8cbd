package quant

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("QuantizedConcat").
		Input("concat_dim: int32").Input("values: N * T").Input("input_mins: N * float").Input("input_maxes: N * float").
		Output("output: T").Output("output_min: float").Output("output_max: float").
		Attr("N: int >= 2").
		Attr("T: type").
		Doc(`Joins quantized tensors along a dimension, in a range that has room for all.

concat_dim: The dimension.
values: The tensors, alike but for the dimension.
input_mins: The values of their lowest integers.
input_maxes: The values of their highest integers.
output_min: The value of the lowest integer of the result.
output_max: The value of its highest integer.`)
	shape.Register(concatShape, "QuantizedConcat")
	kernel.ForType("QuantizedConcat", "T", tensor.Quint8, func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(concat[uint8]), nil })
	kernel.ForType("QuantizedConcat", "T", tensor.Qint32, func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(concat[int32]), nil })
}

// concatShape returns that of Concat, and two numbers.
func concatShape(c *shape.Context) error {
	n := (c.NumInputs() - 1) / 3
	out := c.Input(1)
	at, ok := c.ConstInt(0)
	for i := 1; i <= n && c.Err() == nil; i++ {
		in := c.Input(i)
		if !in.Known() || !out.Known() {
			out = shape.Shape{}
			break
		}
		if !ok {
			out = shape.OfRank(in.Rank())
			continue
		}
		d, inside := kernel.Axis(at, in.Rank())
		if !inside || in.Rank() != out.Rank() {
			return status.Invalid("concat_dim %d is not in [%d, %d), or ranks differ: %d and %d", at, -in.Rank(), in.Rank(), in.Rank(), out.Rank())
		}
		if i == 1 {
			continue
		}
		sum := c.TryDim(shape.AddDims(out.Dim(d), in.Dim(d)))
		out = c.Try(shape.Merge(out.ReplaceDim(d, shape.Unknown), in.ReplaceDim(d, shape.Unknown))).ReplaceDim(d, sum)
	}
	for i := n + 1; i < c.NumInputs(); i++ {
		c.Try(c.Input(i).WithRank(0))
	}
	c.SetOutput(0, out)
	c.SetOutput(1, shape.Scalar)
	c.SetOutput(2, shape.Scalar)
	return c.Err()
}

func concat[T uint8 | int32](ctx *kernel.Context, in, out []tensor.Value) error {
	axis, err := kernel.Int(&in[0], "concat_dim")
	if err != nil {
		return err
	}
	n := (len(in) - 1) / 3
	parts, lows, highs := in[1:1+n], in[1+n:1+2*n], in[1+2*n:]
	first := parts[0].Dims()
	if axis < 0 || axis >= int64(len(first)) {
		return status.Invalid("ConcatOp : Expected concatenating dimensions in the range [0, %d), but got %d", len(first), axis)
	}
	d := int(axis)
	low, high := float32(math.Inf(1)), float32(math.Inf(-1))
	for i := range n {
		for _, v := range []*tensor.Value{&lows[i], &highs[i]} {
			if v.Rank() != 0 {
				return status.Invalid("the range of value %d must be two scalars, got shape %s", i, tensor.FormatDims(v.Dims()))
			}
		}
		low, high = min(low, tensor.At0[float32](&lows[i])), max(high, tensor.At0[float32](&highs[i]))
	}
	if T(0)-1 < 0 { // zero is in the middle
		high = max(abs(low), abs(high))
		low = -high
	} else {
		low = min(low, 0)
	}
	dims, outer, inner := append([]int64(nil), first...), 1, 1
	for i, v := range parts {
		for j, size := range v.Dims() {
			if len(v.Dims()) != len(first) || j != d && size != first[j] {
				return status.Invalid("ConcatOp : Dimensions of inputs should match: shape[0] = %s vs. shape[%d] = %s", tensor.FormatDims(first), i, tensor.FormatDims(v.Dims()))
			}
		}
		if len(v.Dims()) != len(first) {
			return status.Invalid("ConcatOp : Ranks of all input tensors should match: shape[0] = %s vs. shape[%d] = %s", tensor.FormatDims(first), i, tensor.FormatDims(v.Dims()))
		}
		if i > 0 {
			dims[d] += v.Dims()[d]
		}
	}
	for j, size := range first {
		switch {
		case j < d:
			outer *= int(size)
		case j > d:
			inner *= int(size)
		}
	}
	if out[0], err = ctx.Alloc(parts[0].DType(), dims); err != nil {
		return err
	}
	out[1], out[2] = tensor.Scalar(low), tensor.Scalar(high)
	width, at := int(dims[d])*inner, 0
	for i := range parts {
		run := parts[i].Dim(d) * inner
		if err := strided.CopyRows(ctx, &out[0], strided.Rows{Offset: at, Width: width}, &parts[i], strided.Rows{Width: run}, outer, run); err != nil {
			return err
		}
		if l, h := tensor.At0[float32](&lows[i]), tensor.At0[float32](&highs[i]); l != low || h != high {
			o, to := tensor.Of[T](&out[0]), newMove[T](l, h, low, high)
			for r := range outer {
				if err := ctx.Err(); err != nil {
					return err
				}
				row := o[r*width+at:][:run]
				for j, x := range row {
					row[j] = to.apply(x)
				}
			}
		}
		at += run
	}
	return nil
}

// A move takes integers from one range to another, in float as TensorFlow does.
type move[T uint8 | int32] struct {
	least, most float32
	step, from  float32 // of the old range: the distance of integers, and the lowest
	scale, to   float32 // of the new one: integers in 1, and where the lowest is
}

func newMove[T uint8 | int32](low, high, newLow, newHigh float32) move[T] {
	least, most := limits[T]()
	m := move[T]{least: float32(least), most: float32(min(most, 1<<31-128))} // a float that is an int32
	steps := most - least
	m.step, m.from = float32(float64(high-low)/steps), low
	if high != low {
		m.from = float32(math.Round(float64(low/m.step))) * m.step
	}
	if newHigh != newLow {
		m.scale = float32(steps / float64(newHigh-newLow))
	}
	m.to = float32(math.Round(float64(newLow*m.scale))) - m.least
	return m
}

func (m *move[T]) apply(x T) T {
	value := float32((float32(x)-m.least)*m.step) + m.from
	return T(min(max(float32(math.Round(float64(value*m.scale)))-m.to, m.least), m.most))
}
