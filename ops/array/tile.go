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
	registry.Define("Tile").
		Input("input: T").Input("multiples: Tmultiples").Output("output: T").
		Attr("T: type").
		Attr("Tmultiples: {int32, int64} = DT_INT32").
		Doc(`Repeats a tensor along its dimensions.

multiples: How often, for each dimension; 0 returns no elements.`)
	registry.Define("BroadcastTo").
		Input("input: T").Input("shape: Tidx").Output("output: T").
		Attr("T: type").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc(`Repeats a tensor along its dimensions of size 1, and along new ones in front, to give it a shape.

shape: The shape, of no fewer dimensions, of which the last go with those of the input.`)

	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(tile), nil }, "Tile")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(broadcastTo), nil }, "BroadcastTo")

	gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output { return c.SumAs(dy, y, x) }, "BroadcastTo")
	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		// Each dimension becomes two, of copies and of elements.
		pairs := c.Op("Pack", graph.Attrs{"axis": int64(1)}, graph.OutputList{c.Cast(c.Input(1), tensor.Int32), c.Shape(x)})
		copies := c.Apply("Range", c.Const(int32(0)), c.Apply("Size", pairs), c.Const(int32(2)))
		return c.ReshapeLike(c.Apply("Sum", c.Reshape(dy, c.Reshape(pairs, c.Int32s(-1))), copies), x)
	}, "Tile")
}

func tile(ctx *kernel.Context, in, out []tensor.Value) error {
	var buf [8]int64
	x := in[0].Dims()
	if n := in[1].NumElements(); in[1].Rank() == 1 && n != len(x) {
		return status.Invalid("Expected multiples argument to be a vector of length %d but got length %d", len(x), n)
	}
	multiples, err := kernel.AppendIntVector(buf[:0], &in[1], "multiples")
	if err != nil {
		return err
	}
	once := true
	dims := make([]int64, len(x))
	// The result seen with two dimensions for each of the input's: the number
	// of the repetition, and the place in it.
	to := strided.View{Dims: make([]int, 2*len(x)), Strides: make([]int, 2*len(x))}
	for i, m := range multiples {
		if m < 0 {
			return status.Invalid("Expected multiples[%d] >= 0, but got %d", i, m)
		}
		if x[i] > 0 && m > math.MaxInt64/x[i] {
			return status.Invalid("multiples[%d] = %d makes a dimension larger than 63 bits", i, m)
		}
		once = once && m == 1
		dims[i] = x[i] * m
		to.Dims[2*i], to.Dims[2*i+1] = int(m), int(x[i])
	}
	if once {
		out[0] = in[0]
		return nil
	}
	if out[0], err = ctx.Alloc(in[0].DType(), dims); err != nil {
		return err
	}
	from := strided.View{Dims: to.Dims, Strides: make([]int, 2*len(x))}
	n, xn := 1, 1
	for i := len(x) - 1; i >= 0; i-- {
		to.Strides[2*i], to.Strides[2*i+1] = n*int(x[i]), n
		from.Strides[2*i+1] = xn
		n, xn = n*int(dims[i]), xn*int(x[i])
	}
	return strided.Copy(ctx, &out[0], to, &in[0], from)
}

func broadcastTo(ctx *kernel.Context, in, out []tensor.Value) error {
	dims, err := kernel.Dims(&in[1], "shape")
	if err != nil {
		return err
	}
	x := in[0].Dims()
	if equalDims(x, dims) {
		out[0] = in[0]
		return nil
	}
	both, err := elementwise.BroadcastDims(x, dims)
	if err != nil || !equalDims(both, dims) {
		return status.Invalid("Incompatible shapes: %s vs. %s", tensor.FormatDims(x), tensor.FormatDims(dims))
	}
	if equalDims(x, dims) {
		out[0] = in[0]
		return nil
	}
	if out[0], err = ctx.Alloc(in[0].DType(), dims); err != nil {
		return err
	}
	return strided.Copy(ctx, &out[0], strided.Whole(out[0]), &in[0], strided.Whole(in[0]).Broadcast(dims))
}
