package state

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("CountUpTo").
		Input("ref: Ref(T)").Output("output: T").
		Writes("ref").
		Attr("limit: int").
		Attr("T: {int32, int64}").
		Doc(`Gives the value of a variable, a scalar, and adds one to it.

It fails with OUT_OF_RANGE if the value is limit already.

limit: Where to stop.`)
	registry.Define("ResourceCountUpTo").
		Input("resource: resource").Output("output: T").
		Writes("resource").
		Attr("limit: int").
		Attr("T: {int32, int64}").
		Stateful().
		Doc(`Gives the value of a variable, a scalar, and adds one to it.

It fails with OUT_OF_RANGE if the value is limit already.

limit: Where to stop.
T: The type of the variable.`)

	shape.Register(shape.Rule("ref: [] -> output: []"), "CountUpTo")
	shape.Register(countResourceShape, "ResourceCountUpTo")

	for _, op := range []string{"CountUpTo", "ResourceCountUpTo"} {
		kernel.ForType(op, "T", tensor.Int32, newCount[int32])
		kernel.ForType(op, "T", tensor.Int64, newCount[int64])
	}
}

// countResourceShape asks for a handle of which the type and shape are known.
func countResourceShape(c *shape.Context) error {
	h, ok := c.Handle(0)
	if !ok {
		return status.Invalid("Handle has no shape/type information.")
	}
	if want := c.Type("T"); h.Type != want {
		return status.Invalid("Data types do not match: %v and %v", h.Type, want)
	}
	c.SetOutput(0, c.Try(h.Shape.WithRank(0)))
	return c.Err()
}

// count serves both kinds of variable.
type count[T int32 | int64] struct {
	target resource.Target
	limit  int64
}

func newCount[T int32 | int64](c *kernel.Construction) (kernel.Kernel, error) {
	return &count[T]{limit: c.Int("limit")}, nil
}

func (k *count[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	v, err := k.target.Find(ctx.Step.Resources, &in[0])
	if err != nil {
		return err
	}
	if err := sameType(v.Type, tensor.DTypeOf[T](), "assign"); err != nil {
		return err
	}
	return v.Rewrite(ctx.Step.Context, func(now, _ tensor.Value) (tensor.Value, error) {
		if !now.IsScalar() {
			return tensor.Value{}, status.Invalid("input is not a scalar: %s", tensor.FormatDims(now.Dims()))
		}
		n := tensor.At0[T](&now)
		if int64(n) >= k.limit {
			return tensor.Value{}, status.Errorf(status.OutOfRange, "Reached limit of %d", k.limit)
		}
		out[0] = now
		return tensor.Scalar(n + 1), nil
	})
}
