package random

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The kernels of operations whose generator is in a variable of int64: two
// numbers for the counter and one for the key.

func init() {
	for op, fillers := range map[string]map[tensor.DType]filler{
		"StatefulUniform": {
			tensor.Float: fills(uniform32), tensor.Double: fills(uniform64),
			tensor.Half: fills(uniformHalf), tensor.Bfloat16: fills(uniformBfloat),
		},
		"StatefulStandardNormalV2": {
			tensor.Float: fills(normal32), tensor.Double: fills(normal64),
			tensor.Half: fills(narrowed(normal32, tensor.ToFloat16)), tensor.Bfloat16: fills(narrowed(normal32, tensor.ToBFloat16)),
		},
		"StatefulTruncatedNormal": {
			tensor.Float: fills(truncated32), tensor.Double: fills(truncated64),
			tensor.Half: fills(narrowed(truncated32, tensor.ToFloat16)), tensor.Bfloat16: fills(narrowed(truncated32, tensor.ToBFloat16)),
		},
		"StatefulUniformInt": {tensor.Int32: fillInt32, tensor.Int64: fillInt64},
		"StatefulUniformFullInt": {
			tensor.Int32: fills(between[int32](0, 0)), tensor.Int64: fills(between64[int64](0, 0)),
			tensor.Uint32: fills(between[uint32](0, 0)), tensor.Uint64: fills(between64[uint64](0, 0)),
		},
	} {
		for dt, fill := range fillers {
			kernel.ForType(op, "dtype", dt, func(*kernel.Construction) (kernel.Kernel, error) { return &stateful{dt: dt, fill: fill}, nil })
		}
	}
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return new(skipper), nil }, "RngSkip", "RngReadAndSkip")
}

// stateful draws with the generator of a variable, and moves it on.
type stateful struct {
	target resource.Target
	dt     tensor.DType
	fill   filler
}

func (k *stateful) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if err := checkAlgorithm(&in[1]); err != nil {
		return err
	}
	dims, err := kernel.Dims(&in[2], "shape")
	if err != nil {
		return err
	}
	if out[0], err = ctx.Alloc(k.dt, dims); err != nil {
		return err
	}
	if err := checkLimits(in[3:]); err != nil {
		return err
	}
	g, _, err := advance(ctx, &k.target, &in[0], uint64(out[0].NumElements()))
	if err != nil || out[0].NumElements() == 0 {
		return err
	}
	return k.fill(ctx, in[3:], &out[0], g)
}

// checkLimits checks minval and maxval, if there are any, before the generator
// moves on.
func checkLimits(limits []tensor.Value) (err error) {
	switch {
	case len(limits) == 0:
	case limits[0].DType() == tensor.Int32:
		_, _, err = limitsOf[int32](limits)
	default:
		_, _, err = limitsOf[int64](limits)
	}
	return err
}

// A skipper moves the generator of a variable on, and may give its former state.
type skipper struct{ target resource.Target }

func (k *skipper) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	for _, i := range []int{1, 2} {
		if in[i].Rank() != 0 {
			return notScalar(i, &in[i])
		}
	}
	if err := checkAlgorithm(&in[1]); err != nil {
		return err
	}
	var n uint64
	if in[2].DType() == tensor.Uint64 {
		n = tensor.At0[uint64](&in[2])
	} else {
		n = uint64(tensor.At0[int64](&in[2]))
	}
	_, before, err := advance(ctx, &k.target, &in[0], n)
	if err != nil || len(out) == 0 {
		return err
	}
	if out[0], err = ctx.Alloc(tensor.Int64, []int64{int64(len(before))}); err == nil {
		copy(tensor.Of[int64](&out[0]), before[:])
	}
	return err
}

func notScalar(i int, v *tensor.Value) error {
	return status.Invalid("input %d (0-based) must have shape [], not %s", i, tensor.FormatDims(v.Dims()))
}

func checkAlgorithm(v *tensor.Value) error {
	if v.Rank() != 0 {
		return notScalar(1, v)
	}
	a, err := kernel.Int(v, "algorithm")
	if err != nil {
		return err
	}
	if a != philox.AlgPhilox && a != philox.AlgAuto {
		return status.Invalid("Unsupported algorithm id: %d", a)
	}
	return nil
}

// advance moves the generator of the variable that v means on by n elements. It
// gives the generator and the state from before.
func advance(ctx *kernel.Context, target *resource.Target, v *tensor.Value, n uint64) (g philox.Generator, before [3]int64, err error) {
	variable, err := target.Find(ctx.Step.Resources, v)
	if err != nil {
		return g, before, err
	}
	err = variable.Rewrite(ctx.Step.Context, func(now, next tensor.Value) (tensor.Value, error) {
		if now.DType() != tensor.Int64 {
			return tensor.Value{}, status.Invalid("dtype of RNG state variable must be int64, not %v", now.DType())
		}
		if now.Rank() != 1 {
			return tensor.Value{}, status.Invalid("RNG state must have one and only one dimension, not %d", now.Rank())
		}
		if size := now.NumElements(); size < len(before) {
			return tensor.Value{}, status.Invalid("For the Philox algorithm, the size of state must be at least %d; got %d", len(before), size)
		}
		state := next
		if next != now {
			old := now
			strided.Move(&state, 0, &old, 0, now.NumElements())
		}
		s := tensor.Of[int64](&state)
		copy(before[:], s)
		key := uint64(s[2])
		g = philox.Generator{
			Counter: [4]uint32{uint32(s[0]), uint32(uint64(s[0]) >> 32), uint32(s[1]), uint32(uint64(s[1]) >> 32)},
			Key:     [2]uint32{uint32(key), uint32(key >> 32)},
		}
		moved := g
		moved.Skip(n * reserved)
		s[0] = int64(uint64(moved.Counter[0]) | uint64(moved.Counter[1])<<32)
		s[1] = int64(uint64(moved.Counter[2]) | uint64(moved.Counter[3])<<32)
		return state, nil
	})
	return g, before, err
}
