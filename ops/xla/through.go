package xla

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("XlaOptimizationBarrier").
		Input("input: T").Output("output: T").
		Attr("T: list(type) >= 0").
		Doc("Passes tensors on; compilers move nothing across it.")
	registry.Define("XlaSharding").
		Input("input: T").Output("output: T").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: type").
		Attr("sharding: string = ''").
		Attr("unspecified_dims: list(int) = []").
		Doc(`Passes a tensor on; its attributes tell partitioning compilers where its parts lie.

sharding: A serialized description of the parts.
unspecified_dims: The dimensions that a compiler may divide as it likes.`)
	registry.Define("XlaBroadcastHelper").
		Input("lhs: T").Input("rhs: T").Input("broadcast_dims: Tindices").
		Output("lhs_output: T").Output("rhs_output: T").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Doc(`Gives the operands of a binary operation equal ranks, by new dimensions of size 1.

broadcast_dims: The dimensions of the result that those of the operand of lower rank become; empty if ranks are equal or one operand is a scalar.`)

	shape.Register(func(c *shape.Context) error {
		for i := range c.NumInputs() {
			c.SetOutput(i, c.Input(i))
			c.PassHandle(i, i)
		}
		return nil
	}, "XlaOptimizationBarrier", "XlaSharding")
	shape.Register(broadcastHelperShape, "XlaBroadcastHelper")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
			copy(out, in)
			return nil
		}), nil
	}, "XlaOptimizationBarrier", "XlaSharding")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(broadcastHelper), nil }, "XlaBroadcastHelper")

	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Op("XlaSharding", c.Attrs("sharding", "unspecified_dims"), dy)
	}, "XlaSharding")
}

// helped returns the shapes of two operands, and of these the one that is lower
// filled up to the rank of the other: its dimensions become those that dims says.
func helped(lhs, rhs, dims []int64) (l, r []int64, err error) {
	if len(dims) == 0 {
		if len(lhs) != len(rhs) && len(lhs) != 0 && len(rhs) != 0 {
			return nil, nil, status.Invalid("if broadcast_dims is empty, both arguments must have equal rank; argument ranks: %d and %d", len(lhs), len(rhs))
		}
		return lhs, rhs, nil
	}
	low, high := lhs, rhs
	if len(lhs) > len(rhs) {
		low, high = rhs, lhs
	}
	if len(dims) != len(low) {
		return nil, nil, status.Invalid("broadcast_dims must have size equal to the smaller argument rank; %d and %d", len(dims), len(low))
	}
	filled := make([]int64, len(high))
	for i := range filled {
		filled[i] = 1
	}
	taken := make([]bool, len(high))
	for i, d := range dims {
		if d < 0 || d >= int64(len(high)) || taken[d] {
			return nil, nil, status.Invalid("broadcast_dims[%d] is %d: not a dimension of the other argument, or given twice", i, d)
		}
		filled[d], taken[d] = low[i], true
	}
	if len(lhs) > len(rhs) {
		return lhs, filled, nil
	}
	return filled, rhs, nil
}

func broadcastHelperShape(c *shape.Context) error {
	lhs, rhs := c.Input(0), c.Input(1)
	dims, ok := c.ConstInts(2)
	if !ok || !lhs.Known() || !rhs.Known() {
		return nil
	}
	sizes := func(s shape.Shape) []int64 {
		d := make([]int64, s.Rank())
		for i := range d {
			d[i] = s.Dim(i)
		}
		return d
	}
	l, r, err := helped(sizes(lhs), sizes(rhs), dims)
	if err != nil {
		return err
	}
	c.SetOutput(0, shape.Of(l...))
	c.SetOutput(1, shape.Of(r...))
	return nil
}

func broadcastHelper(ctx *kernel.Context, in, out []tensor.Value) error {
	if err := kernel.Short(&in[2], "broadcast_dims"); err != nil {
		return err
	}
	dims, err := kernel.AppendIntVector(nil, &in[2], "broadcast_dims")
	if err != nil {
		return err
	}
	l, r, err := helped(in[0].Dims(), in[1].Dims(), dims)
	if err != nil {
		return err
	}
	if out[0], err = ctx.View(in[0], 0, in[0].NumElements(), l); err != nil {
		return err
	}
	out[1], err = ctx.View(in[1], 0, in[1].NumElements(), r)
	return err
}
