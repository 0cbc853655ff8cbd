package array

import (
	"math"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Reshape").
		Input("tensor: T").Input("shape: Tshape").Output("output: T").
		Attr("T: type").
		Attr("Tshape: {int32, int64} = DT_INT32").
		Doc(`Gives the same elements, in row-major order, another shape.

shape: The new shape, of as many elements; one dimension may be -1 and follows from the others.`)
	registry.Define("ExpandDims").
		Input("input: T").Input("dim: Tdim").Output("output: T").
		Attr("T: type").
		Attr("Tdim: {int32, int64} = DT_INT32").
		Doc(`Adds a dimension of size 1 to a tensor.

dim: Where it goes, a scalar; negative counts from the end, -1 being behind the last.`)
	registry.Define("Squeeze").
		Input("input: T").Output("output: T").
		Attr("T: type").
		Attr("squeeze_dims: list(int) >= 0 = []").
		Doc(`Takes dimensions of size 1 away.

squeeze_dims: Which ones, negative counting from the end; all that are of size 1 if empty. A listed one of another size is an error.`)
	registry.Define("Bitcast").
		Input("input: T").Output("output: type").
		Attr("T: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}").
		Attr("type: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}").
		Doc(`Reads the memory of a tensor as elements of another type.

type: That type. Where it is smaller, a dimension is added at the end; where it is larger, the last dimension goes away.`)

	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(reshape), nil }, "Reshape")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(expandDims), nil }, "ExpandDims")
	kernel.ForAll(newSqueeze, "Squeeze")
	kernel.ForAll(newBitcast, "Bitcast")

	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output { return c.ReshapeLike(dy, x) },
		"Reshape", "ExpandDims", "Squeeze")
}

func reshape(ctx *kernel.Context, in, out []tensor.Value) error {
	var buf [8]int64
	if in[1].Rank() > 1 { // a scalar is taken for a vector
		return status.Invalid("sizes input must be a vector, got shape %s", tensor.FormatDims(in[1].Dims()))
	}
	if err := kernel.Short(&in[1], "sizes input"); err != nil {
		return err
	}
	dims := kernel.AppendInts(buf[:0], &in[1])
	n, product, unknown, zero := int64(in[0].NumElements()), int64(1), -1, false
	for i, d := range dims {
		switch {
		case d == -1 && unknown >= 0:
			return status.Invalid("Only one input size may be -1, not both %d and %d", unknown, i)
		case d == -1:
			unknown = i
		case d < 0:
			return status.Invalid("Size %d must be non-negative, not %d", i, d)
		case d == 0:
			zero = true
		case product > math.MaxInt64/d:
			product = math.MaxInt64 // too many, unless another dimension is 0
		default:
			product *= d
		}
	}
	if unknown >= 0 {
		var err error
		if dims[unknown], err = inferred(in[0].Dims(), n, product, zero); err != nil {
			return err
		}
		product *= max(dims[unknown], 1)
		zero = zero || dims[unknown] == 0
	}
	if zero {
		product = 0
	}
	if product != n {
		return status.Invalid("Input to reshape is a tensor with %d values, but the requested shape has %d: %s", n, product, tensor.FormatDims(dims))
	}
	var err error
	out[0], err = ctx.Reshaped(in, 0, dims)
	return err
}

// inferred returns the dimension that makes n elements of so many. Where the result
// has a dimension of 0 the zeros of the input do not count, so that a tensor of
// shape [0,3] becomes one of [0,-1] = [0,3].
func inferred(from []int64, n, product int64, zero bool) (int64, error) {
	if zero {
		n = 1
		for _, d := range from {
			switch {
			case d == 0:
			case n > math.MaxInt64/d:
				return 0, status.Invalid("Input to reshape has shape %s, of more elements than fit in 63 bits but for the zeros", tensor.FormatDims(from))
			default:
				n *= d
			}
		}
		return n / product, nil
	}
	if n%product != 0 {
		return 0, status.Invalid("Input to reshape is a tensor with %d values, but the requested shape requires a multiple of %d", n, product)
	}
	return n / product, nil
}

func expandDims(ctx *kernel.Context, in, out []tensor.Value) error {
	axis, err := kernel.OnlyInt(&in[1], "dim")
	if err != nil {
		return err
	}
	rank := in[0].Rank()
	at, ok := kernel.Axis(axis, rank+1)
	if !ok {
		return status.Invalid("Tried to expand dim index %d for tensor with %d dimensions.", axis, rank)
	}
	if rank+1 > tensor.MaxRank {
		return status.Invalid("a tensor of rank %d takes no more dimensions", rank)
	}
	var buf [8]int64
	dims := append(buf[:0], in[0].Dims()[:at]...)
	dims = append(append(dims, 1), in[0].Dims()[at:]...)
	out[0], err = ctx.Reshaped(in, 0, dims)
	return err
}

func newSqueeze(c *kernel.Construction) (kernel.Kernel, error) {
	axes := c.Ints("squeeze_dims")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) (err error) {
		rank := in[0].Rank()
		var take [tensor.MaxRank]bool
		for _, a := range axes {
			at, ok := kernel.Axis(a, rank)
			if !ok {
				return status.Invalid("Tried to squeeze dim index %d for tensor with %d dimensions.", a, rank)
			}
			take[at] = true
		}
		var buf [8]int64
		dims := buf[:0]
		for i, d := range in[0].Dims() {
			switch {
			case take[i] && d != 1:
				return status.Invalid("Can not squeeze dim[%d], expected a dimension of 1, got %d", i, d)
			case take[i] || len(axes) == 0 && d == 1:
			default:
				dims = append(dims, d)
			}
		}
		out[0], err = ctx.Reshaped(in, 0, dims)
		return err
	}), nil
}

// newBitcast copies only where elements would not be aligned. A result of
// another size of elements gets a last dimension, or loses one.
func newBitcast(c *kernel.Construction) (kernel.Kernel, error) {
	from, to := c.Type("T"), c.Type("type")
	if from.Size() == 0 || to.Size() == 0 {
		return nil, c.Errorf("Cannot bitcast from %v to %v", from, to)
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) (err error) {
		var buf [8]int64
		dims := append(buf[:0], in[0].Dims()...)
		switch fs, ts := from.Size(), to.Size(); {
		case fs > ts:
			dims = append(dims, int64(fs/ts))
		case fs < ts:
			if len(dims) == 0 || dims[len(dims)-1] != int64(ts/fs) {
				return status.Invalid("Cannot bitcast from %v to %v: shape %s", from, to, tensor.FormatDims(dims))
			}
			dims = dims[:len(dims)-1]
		}
		var ok bool
		if out[0], ok = ctx.Bitcast(in[0], to, dims); ok {
			return nil
		}
		if out[0], err = ctx.Alloc(to, dims); err != nil {
			return err
		}
		copy(tensor.Bytes(&out[0]), tensor.Bytes(&in[0]))
		return nil
	}), nil
}
