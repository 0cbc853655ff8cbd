package reduction

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/ops/math/cast"
	"github.com/troupe-go/troupe/tensor"
)

// newWideMean returns the kernel of Mean for integers of less than 64 bits, whose
// sums are of 64 bits; nil for other types.
func newWideMean(dt tensor.DType, keep bool) kernel.Kernel {
	wide := tensor.Int64
	switch dt {
	case tensor.Uint8, tensor.Uint16, tensor.Uint32:
		wide = tensor.Uint64
	case tensor.Int8, tensor.Int16, tensor.Int32:
	default:
		return nil
	}
	return &wideMean{dt, wide, newReduce(wide, mean, keep), cast.Elements(dt, wide), cast.Elements(wide, dt)}
}

// A wideMean takes means of elements converted to wide.
type wideMean struct {
	dt, wide      tensor.DType
	mean          kernel.Kernel
	widen, narrow elementwise.Each
}

func (m *wideMean) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	x, err := ctx.Alloc(m.wide, in[0].Dims())
	if err != nil {
		return err
	}
	m.widen.Each(x.Memory(), in[0].Memory(), 0, 0, x.NumElements())
	wide := []tensor.Value{x, in[1]}
	if err := m.mean.Run(ctx, wide, out); err != nil {
		return err
	}
	y := out[0]
	if out[0], err = ctx.Alloc(m.dt, y.Dims()); err != nil {
		return err
	}
	m.narrow.Each(out[0].Memory(), y.Memory(), 0, 0, y.NumElements())
	if !wide[0].IsZero() && wide[0] != y {
		ctx.Free(wide[0])
	}
	ctx.Free(y)
	return nil
}
