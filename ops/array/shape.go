package array

import (
	"math"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Shape").
		Input("input: T").Output("output: out_type").
		Traits(registry.Total | registry.Cheap).
		Attr("T: type").
		Attr("out_type: {int32, int64} = DT_INT32").
		Doc(`Puts out the input's shape as a vector.

out_type: The type of its numbers.`)
	registry.Define("ShapeN").
		Input("input: N * T").Output("output: N * out_type").
		Traits(registry.Cheap).
		Attr("N: int >= 1").
		Attr("T: type").
		Attr("out_type: {int32, int64} = DT_INT32").
		Doc(`Puts out the inputs' shapes as vectors.

out_type: The type of their numbers.`)
	registry.Define("Rank").
		Input("input: T").Output("output: int32").
		Traits(registry.Scalar | registry.Total | registry.Cheap).
		Attr("T: type").
		Doc("Puts out the input's number of dimensions, a scalar: 0 for a scalar.")
	registry.Define("Size").
		Input("input: T").Output("output: out_type").
		Traits(registry.Scalar | registry.Total | registry.Cheap).
		Attr("T: type").
		Attr("out_type: {int32, int64} = DT_INT32").
		Doc(`Puts out the input's number of elements, a scalar.

out_type: Its type.`)
	registry.Define("BroadcastArgs").
		Input("s0: T").Input("s1: T").Output("r0: T").
		Attr("T: {int32, int64} = DT_INT32").
		Doc(`Computes the shape that two shapes broadcast to.

s0: A shape, as a vector.
s1: Another one.
r0: The shape of, say, the sum of tensors of these shapes.`)
	registry.Define("BroadcastGradientArgs").
		Input("s0: T").Input("s1: T").Output("r0: T").Output("r1: T").
		Traits(registry.Cheap).
		Attr("T: {int32, int64} = DT_INT32").
		Doc(`Computes the dimensions along which two shapes are repeated when they are broadcast together.

s0: A shape, as a vector.
s1: Another one.
r0: The dimensions over which to sum to get from the common shape to s0.
r1: Likewise for s1.`)

	kernel.ForAll(newShape, "Shape", "ShapeN")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(rank), nil }, "Rank")
	kernel.ForAll(newSize, "Size")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(broadcastArgs), nil }, "BroadcastArgs")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(broadcastGradientArgs), nil }, "BroadcastGradientArgs")

	gradient.None("Shape", "ShapeN", "Rank", "Size", "BroadcastGradientArgs")
}

func newShape(c *kernel.Construction) (kernel.Kernel, error) {
	dt := c.Type("out_type")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) (err error) {
		for i := range in {
			if out[i], err = vector(ctx, dt, in[i].Dims()); err != nil {
				return err
			}
		}
		return nil
	}), nil
}

// vector returns a vector of int32 or int64.
func vector(ctx *kernel.Context, dt tensor.DType, x []int64) (tensor.Value, error) {
	n := [1]int64{int64(len(x))}
	v, err := ctx.Alloc(dt, n[:])
	if err != nil {
		return v, err
	}
	if dt == tensor.Int64 {
		copy(tensor.Of[int64](&v), x)
		return v, nil
	}
	o := tensor.Of[int32](&v)
	for i, x := range x {
		if x > math.MaxInt32 {
			return v, status.Invalid("Shape output type is 32-bit but dim %d is %d", i, x)
		}
		o[i] = int32(x)
	}
	return v, nil
}

func rank(_ *kernel.Context, in, out []tensor.Value) error {
	tensor.SetScalar(&out[0], tensor.Int32, int32(in[0].Rank()))
	return nil
}

func newSize(c *kernel.Construction) (kernel.Kernel, error) {
	dt := c.Type("out_type")
	return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
		n := in[0].NumElements()
		if dt == tensor.Int64 {
			tensor.SetScalar(&out[0], dt, int64(n))
			return nil
		}
		if n > math.MaxInt32 {
			return status.Invalid("Number of elements was larger than representable by 32-bit output type")
		}
		tensor.SetScalar(&out[0], dt, int32(n))
		return nil
	}), nil
}

func broadcastArgs(ctx *kernel.Context, in, out []tensor.Value) error {
	x, y, err := twoShapes(in)
	if err != nil {
		return err
	}
	dims, err := elementwise.BroadcastDims(x, y)
	if err != nil {
		return err
	}
	out[0], err = vector(ctx, in[0].DType(), dims)
	return err
}

// twoShapes reads two shapes, in which any numbers may stand.
func twoShapes(in []tensor.Value) (x, y []int64, err error) {
	for i, name := range []string{"s0", "s1"} {
		if in[i].Rank() != 1 {
			return nil, nil, status.Invalid("In[%d] (%s) must be a vector, it has shape %s", i, name, tensor.FormatDims(in[i].Dims()))
		}
		if err := kernel.Short(&in[i], name); err != nil {
			return nil, nil, err
		}
	}
	return kernel.AppendInts(nil, &in[0]), kernel.AppendInts(nil, &in[1]), nil
}

// broadcastGradientArgs lists for either shape the dimensions of the common
// one to sum over: those along which it is repeated, and those where both are 1,
// for which sums are as good as reshapes.
func broadcastGradientArgs(ctx *kernel.Context, in, out []tensor.Value) error {
	x, y, err := twoShapes(in)
	if err != nil {
		return err
	}
	dims, err := elementwise.BroadcastDims(x, y)
	if err != nil {
		return err
	}
	for i, s := range [2][]int64{x, y} {
		var axes []int64
		front := len(dims) - len(s)
		other := [2][]int64{y, x}[i]
		for d := range dims {
			missing := d < front
			repeated := !missing && s[d-front] == 1 && (dims[d] != 1 || ones(other, len(dims), d))
			if missing || repeated {
				axes = append(axes, int64(d))
			}
		}
		if equalDims(x, y) {
			axes = nil
		}
		if out[i], err = vector(ctx, in[0].DType(), axes); err != nil {
			return err
		}
	}
	return nil
}

// ones reports whether dimension d of s, aligned to the back of rank dimensions,
// is 1 or missing.
func ones(s []int64, rank, d int) bool {
	front := rank - len(s)
	return d < front || s[d-front] == 1
}

func equalDims(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
