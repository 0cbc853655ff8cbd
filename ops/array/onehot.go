package array

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("OneHot").
		Input("indices: TI").Input("depth: int32").Input("on_value: T").Input("off_value: T").Output("output: T").
		Attr("axis: int = -1").
		Attr("T: type").
		Attr("TI: {uint8, int8, int32, int64} = DT_INT64").
		Doc(`Makes a tensor with a new dimension, along which one place, the index, has another value than the rest.

indices: The places; one that is not in [0, depth) leaves the off value everywhere.
depth: The size of the new dimension, a scalar.
on_value: The value at the index, a scalar.
off_value: The value of the rest, a scalar.
axis: Where the new dimension goes; -1 for behind the last.`)

	kernel.ForAll(newOneHot, "OneHot")

	gradient.None("OneHot")
}

func newOneHot(c *kernel.Construction) (kernel.Kernel, error) {
	axis := c.Int("axis")
	if axis < -1 {
		return nil, c.Errorf("Expected axis to be -1 or between [0, rank], but got %d", axis)
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		x := in[0].Dims()
		at := int(axis)
		if axis == -1 {
			at = len(x)
		}
		if axis > int64(len(x)) {
			return status.Invalid("Expected axis to be -1 or between [0, %d).  But received: %d", len(x)+1, axis)
		}
		depth, err := kernel.Int(&in[1], "depth")
		if err != nil {
			return err
		}
		if depth < 0 {
			return status.Invalid("depth must be non-negative, got: %d", depth)
		}
		for i, name := range [...]string{"on_value", "off_value"} {
			if in[2+i].Rank() != 0 {
				return status.Invalid("%s must be a scalar, but got: %s", name, tensor.FormatDims(in[2+i].Dims()))
			}
		}
		var buf [8]int64
		dims := append(append(append(buf[:0], x[:at]...), depth), x[at:]...)
		if out[0], err = ctx.Alloc(in[2].DType(), dims); err != nil {
			return err
		}
		if err := strided.Fill(ctx, &out[0], &in[3], 0); err != nil {
			return err
		}
		idx, fresh, err := indices(ctx, in[0])
		if err != nil {
			return err
		}
		if fresh {
			defer ctx.Free(idx)
		}
		behind := 1
		for _, d := range x[at:] {
			behind *= int(d)
		}
		for i, k := range tensor.Of[int64](&idx) {
			if k >= 0 && k < depth {
				to := (i/behind*int(depth)+int(k))*behind + i%behind
				strided.Move(&out[0], to, &in[2], 0, 1)
			}
		}
		return nil
	}), nil
}
