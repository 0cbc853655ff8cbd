package random

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/tensor"
)

// The kernels of the Stateless operations: a seed, or a key and a counter, says
// where the generator begins.

func init() {
	floats := map[string]map[tensor.DType]filler{
		"RandomUniform": {
			tensor.Float: fills(uniform32), tensor.Double: fills(uniform64),
			tensor.Half: fills(uniformHalf), tensor.Bfloat16: fills(uniformBfloat),
		},
		"RandomNormal": {
			tensor.Float: fills(normal32), tensor.Double: fills(normal64),
			tensor.Half: fills(narrowed(normal32, tensor.ToFloat16)), tensor.Bfloat16: fills(narrowed(normal32, tensor.ToBFloat16)),
		},
		"TruncatedNormal": {
			tensor.Float: fills(truncated32), tensor.Double: fills(truncated64),
			tensor.Half: fills(narrowed(truncated32, tensor.ToFloat16)), tensor.Bfloat16: fills(narrowed(truncated32, tensor.ToBFloat16)),
		},
		"RandomUniformFullInt": {
			tensor.Int32: fills(between[int32](0, 0)), tensor.Int64: fills(between64[int64](0, 0)),
			tensor.Uint32: fills(between[uint32](0, 0)), tensor.Uint64: fills(between64[uint64](0, 0)),
		},
		"RandomUniformInt": {
			tensor.Int32: fillInt32, tensor.Int64: fillInt64, tensor.Uint32: fillUint32, tensor.Uint64: fillUint64,
		},
	}
	for name, fillers := range floats {
		for dt, fill := range fillers {
			kernel.ForType("Stateless"+name, "dtype", dt, keyed(dt, fill, func(in []tensor.Value, _ bool) (philox.Generator, error) { return philox.FromSeed(&in[0]) }, 2))
			kernel.ForType("Stateless"+name+"V2", "dtype", dt, keyed(dt, fill, philox.FromKey, 4))
		}
	}
	kernel.ForAll(newKeyCounter, "StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(_ *kernel.Context, _, out []tensor.Value) error {
			out[0] = tensor.Scalar[int32](philox.AlgPhilox)
			return nil
		}), nil
	}, "StatelessRandomGetAlg")
}

func fillUint32(ctx *kernel.Context, limits []tensor.Value, o *tensor.Value, g philox.Generator) error {
	lo, hi, err := limitsOf[uint32](limits)
	if err != nil {
		return err
	}
	d := between(lo, hi-lo)
	return d.fill(ctx, tensor.Of[uint32](o), g)
}

func fillUint64(ctx *kernel.Context, limits []tensor.Value, o *tensor.Value, g philox.Generator) error {
	lo, hi, err := limitsOf[uint64](limits)
	if err != nil {
		return err
	}
	d := between64(lo, hi-lo)
	return d.fill(ctx, tensor.Of[uint64](o), g)
}

// keyed makes the kernel of a distribution. key reads the inputs behind the
// shape, knowing whether anything is drawn; the first count inputs are the shape
// and those.
//
//go:noinline
func keyed(dt tensor.DType, fill filler, key func(in []tensor.Value, drawn bool) (philox.Generator, error), count int) kernel.Factory {
	return func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			dims, err := kernel.Dims(&in[0], "shape")
			if err != nil {
				return err
			}
			g, err := key(in[1:count], !slices.Contains(dims, 0))
			if err != nil {
				return err
			}
			if out[0], err = ctx.Alloc(dt, dims); err != nil || out[0].NumElements() == 0 {
				return err
			}
			return fill(ctx, in[count:], &out[0], g)
		}), nil
	}
}

func newKeyCounter(*kernel.Construction) (kernel.Kernel, error) {
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		g, err := philox.FromSeed(&in[0])
		if err != nil {
			return err
		}
		if out[0], err = ctx.Alloc(tensor.Uint64, []int64{1}); err != nil {
			return err
		}
		if out[1], err = ctx.Alloc(tensor.Uint64, []int64{2}); err != nil {
			return err
		}
		tensor.Of[uint64](&out[0])[0] = uint64(g.Key[0]) | uint64(g.Key[1])<<32
		counter := tensor.Of[uint64](&out[1])
		counter[0] = uint64(g.Counter[0]) | uint64(g.Counter[1])<<32
		counter[1] = uint64(g.Counter[2]) | uint64(g.Counter[3])<<32
		if len(out) > 2 {
			out[2] = tensor.Scalar[int32](philox.AlgPhilox)
		}
		return nil
	}), nil
}
