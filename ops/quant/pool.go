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
	registry.Define("QuantizedMaxPool").
		Input("input: T").Input("min_input: float").Input("max_input: float").
		Output("output: T").Output("min_output: float").Output("max_output: float").
		Attr("T: quantizedtype").
		Attr("ksize: list(int)").
		Attr("strides: list(int)").
		Attr("padding: {'SAME', 'VALID'}").
		Doc(`Takes the largest of the quantized numbers in each window.

input: Images: batch, height, width, channels.
min_input: The value of the lowest integer.
max_input: The value of the highest integer.
min_output: The same as min_input.
max_output: The same as max_input.
ksize: The size of the window in each dimension.
strides: The step in each dimension.
padding: "SAME" has a result for each step, "VALID" for whole windows only.`)
	registry.Define("QuantizedAvgPool").
		Input("input: T").Input("min_input: float").Input("max_input: float").
		Output("output: T").Output("min_output: float").Output("max_output: float").
		Attr("T: quantizedtype").
		Attr("ksize: list(int)").
		Attr("strides: list(int)").
		Attr("padding: {'SAME', 'VALID'}").
		Doc(`Takes the mean of the quantized numbers in each window.

input: Images: batch, height, width, channels.
min_input: The value of the lowest integer.
max_input: The value of the highest integer.
min_output: The same as min_input.
max_output: The same as max_input.
ksize: The size of the window in each dimension.
strides: The step in each dimension.
padding: "SAME" has a result for each step, "VALID" for whole windows only.`)

	for op, average := range map[string]bool{"QuantizedMaxPool": false, "QuantizedAvgPool": true} {
		shape.Register(poolShape, op)
		kernel.ForType(op, "T", tensor.Quint8, func(c *kernel.Construction) (kernel.Kernel, error) { return newPool[uint8](c, average) })
		kernel.ForType(op, "T", tensor.Qint8, func(c *kernel.Construction) (kernel.Kernel, error) { return newPool[int8](c, average) })
	}
}

// poolShape has a number for each window.
func poolShape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRank(4))
	size, step := c.Ints("ksize"), c.Ints("strides")
	if len(size) != 4 || len(step) != 4 {
		return status.Invalid("the ksize and strides attributes must contain 4 values, but got: %d and %d", len(size), len(step))
	}
	for d := range 4 {
		w := shape.Window{Size: size[d], Stride: step[d], Dilation: 1, Padding: c.Str("padding")}
		in = in.ReplaceDim(d, c.TryDim(w.Positions(in.Dim(d))))
	}
	c.SetOutput(0, in)
	for i := 1; i <= 2; i++ {
		c.Try(c.Input(i).WithRank(0))
		c.SetOutput(i, shape.Scalar)
	}
	return c.Err()
}

// A pool is the kernel of QuantizedMaxPool and QuantizedAvgPool.
type pool[T uint8 | int8] struct {
	size, step [2]int64
	same       bool
	average    bool
}

func newPool[T uint8 | int8](c *kernel.Construction, average bool) (kernel.Kernel, error) {
	k := &pool[T]{same: c.Str("padding") == "SAME", average: average}
	for _, a := range []struct {
		name string
		to   *[2]int64
	}{{"ksize", &k.size}, {"strides", &k.step}} {
		x := c.Ints(a.name)
		if len(x) != 4 {
			return nil, c.Errorf("Sliding window %s field must specify 4 dimensions", a.name)
		}
		if x[0] != 1 || x[3] != 1 {
			return nil, status.Errorf(status.Unimplemented, "Pooling is not yet supported on the batch dimension or along channels: %s is %v", a.name, x)
		}
		if x[1] < 1 || x[2] < 1 || x[1] > math.MaxInt32 || x[2] > math.MaxInt32 {
			return nil, c.Errorf("%s is out of range: %v", a.name, x)
		}
		*a.to = [2]int64{x[1], x[2]}
	}
	return k, nil
}

func (k *pool[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	x := in[0].Dims()
	if len(x) != 4 {
		return status.Invalid("tensor_in must be 4-dimensional, got shape %s", tensor.FormatDims(x))
	}
	if in[1].NumElements() != 1 || in[2].NumElements() != 1 {
		return status.Invalid("min_input and max_input must be scalars, got shapes %s and %s", tensor.FormatDims(in[1].Dims()), tensor.FormatDims(in[2].Dims()))
	}
	var n, before [2]int64
	for i := range n {
		if k.same {
			n[i] = (x[i+1] + k.step[i] - 1) / k.step[i]
			before[i] = max(0, (n[i]-1)*k.step[i]+k.size[i]-x[i+1]) / 2
			continue
		}
		if x[i+1] < k.size[i] {
			return status.Invalid("Computed output size would be negative: a window of %d in %d pixels", k.size[i], x[i+1])
		}
		n[i] = (x[i+1]-k.size[i])/k.step[i] + 1
	}
	var err error
	if out[0], err = ctx.Alloc(in[0].DType(), []int64{x[0], n[0], n[1], x[3]}); err != nil {
		return err
	}
	out[1], out[2] = tensor.Scalar(tensor.Of[float32](&in[1])[0]), tensor.Scalar(tensor.Of[float32](&in[2])[0])
	depth := int(x[3])
	if out[0].NumElements() == 0 {
		return nil
	}
	from, to := tensor.Of[T](&in[0]), tensor.Of[T](&out[0])
	ctx.Parallel(int(x[0]*n[0]), max(1, strided.Grain/int(min(n[1]*x[3]*k.size[0]*k.size[1], math.MaxInt32))), func(lo, hi int) {
		seen := int64(0) // since the end of the step was looked at
		for r := int64(lo); r < int64(hi) && ctx.Err() == nil; r++ {
			b, top := r/n[0], r%n[0]*k.step[0]-before[0]
			for col := range n[1] {
				if seen > strided.Grain {
					if seen = 0; ctx.Err() != nil {
						return
					}
				}
				left := col*k.step[1] - before[1]
				y0, y1 := max(top, 0), min(top+k.size[0], x[1])
				x0, x1 := max(left, 0), min(left+k.size[1], x[2])
				seen += (y1 - y0) * (x1 - x0) * x[3]
				for c := range depth {
					sum, largest := int64(0), from[((b*x[1]+y0)*x[2]+x0)*x[3]+int64(c)]
					for y := y0; y < y1; y++ {
						for z := x0; z < x1; z++ {
							v := from[((b*x[1]+y)*x[2]+z)*x[3]+int64(c)]
							sum += int64(v)
							largest = max(largest, v)
						}
					}
					if k.average {
						largest = T(math.RoundToEven(float64(sum) / float64((y1-y0)*(x1-x0))))
					}
					to[(r*n[1]+col)*x[3]+int64(c)] = largest
				}
			}
		}
	})
	return ctx.Err()
}
