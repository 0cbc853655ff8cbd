package math

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/tensor"
)

// newWideMean returns the kernel of Mean for integers of less than 64 bits, whose
// sums are of 64 bits; nil for other types.
func newWideMean(dt tensor.DType, keep bool) kernel.Kernel {
	switch dt {
	case tensor.Int8:
		return &wideMean[int8, int64]{dt: dt, mean: newReduce(tensor.Int64, mean, keep), wide: tensor.Int64}
	case tensor.Int16:
		return &wideMean[int16, int64]{dt: dt, mean: newReduce(tensor.Int64, mean, keep), wide: tensor.Int64}
	case tensor.Int32:
		return &wideMean[int32, int64]{dt: dt, mean: newReduce(tensor.Int64, mean, keep), wide: tensor.Int64}
	case tensor.Uint8:
		return &wideMean[uint8, uint64]{dt: dt, mean: newReduce(tensor.Uint64, mean, keep), wide: tensor.Uint64}
	case tensor.Uint16:
		return &wideMean[uint16, uint64]{dt: dt, mean: newReduce(tensor.Uint64, mean, keep), wide: tensor.Uint64}
	case tensor.Uint32:
		return &wideMean[uint32, uint64]{dt: dt, mean: newReduce(tensor.Uint64, mean, keep), wide: tensor.Uint64}
	}
	return nil
}

// A wideMean takes means of elements converted to W.
type wideMean[T, W elementwise.Integer] struct {
	dt, wide tensor.DType
	mean     kernel.Kernel
}

func (m *wideMean[T, W]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	x, err := ctx.Alloc(m.wide, in[0].Dims())
	if err != nil {
		return err
	}
	convertIntegers(tensor.Of[W](&x), tensor.Of[T](&in[0]))
	wide := []tensor.Value{x, in[1]}
	if err := m.mean.Run(ctx, wide, out); err != nil {
		return err
	}
	y := out[0]
	if out[0], err = ctx.Alloc(m.dt, y.Dims()); err != nil {
		return err
	}
	convertIntegers(tensor.Of[T](&out[0]), tensor.Of[W](&y))
	if !wide[0].IsZero() && wide[0] != y {
		ctx.Free(wide[0])
	}
	ctx.Free(y)
	return nil
}

func convertIntegers[T, S elementwise.Integer](o []T, x []S) {
	for i, x := range x {
		o[i] = T(x)
	}
}
