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
		Input("ref: Ref(T)").
		Output("output: T").
		Attr("limit: int").
		Attr("T: {int32, int64}").
		Doc(`Adds 1 to a scalar variable and puts out what it was before.

limit: a variable that has reached it stays, and the operation fails with OUT_OF_RANGE.`)
	shape.Register(shape.UnchangedRank(0), "CountUpTo")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		return countUpTo{c.Int("limit")}, nil
	}, "CountUpTo")
}

type countUpTo struct{ limit int64 }

func (k countUpTo) Run(_ *kernel.Context, in, out []tensor.Value) error {
	v, err := pointee(&in[0])
	if err != nil {
		return err
	}
	out[0], err = count(v, k.limit)
	return err
}

// count adds 1 to v and answers what it was before.
func count(v *resource.Variable, limit int64) (before tensor.Value, err error) {
	err = v.Rewrite(func(now, _ tensor.Value) (tensor.Value, error) {
		if !now.IsScalar() {
			return tensor.Value{}, status.Invalid("input is not a scalar: %s", tensor.FormatDims(now.Dims()))
		}
		n, err := kernel.Int(&now, "the counter")
		if err != nil {
			return tensor.Value{}, err
		}
		if n >= limit {
			return tensor.Value{}, status.Errorf(status.OutOfRange, "Reached limit of %d", limit)
		}
		before = now
		if now.DType() == tensor.Int32 {
			return tensor.Scalar(int32(n) + 1), nil
		}
		return tensor.Scalar(n + 1), nil
	})
	return before, err
}
