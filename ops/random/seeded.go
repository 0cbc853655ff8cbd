package random

import (
	crand "crypto/rand"
	"encoding/binary"
	"hash/fnv"
	"sync"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The kernels of operations with attributes seed and seed2. Their generators
// live in the session, one for each node, and go on from step to step.

func init() {
	seeded("RandomUniform", "dtype", map[tensor.DType]filler{
		tensor.Float: fills(uniform32), tensor.Double: fills(uniform64),
		tensor.Half: fills(uniformHalf), tensor.Bfloat16: fills(uniformBfloat),
	})
	seeded("RandomStandardNormal", "dtype", map[tensor.DType]filler{
		tensor.Float: fills(normal32), tensor.Double: fills(normal64),
		tensor.Half: fills(narrowed(normal32, tensor.ToFloat16)), tensor.Bfloat16: fills(narrowed(normal32, tensor.ToBFloat16)),
	})
	seeded("TruncatedNormal", "dtype", map[tensor.DType]filler{
		tensor.Float: fills(truncated32), tensor.Double: fills(truncated64),
		tensor.Half: fills(narrowed(truncated32, tensor.ToFloat16)), tensor.Bfloat16: fills(narrowed(truncated32, tensor.ToBFloat16)),
	})
	seeded("RandomUniformInt", "Tout", map[tensor.DType]filler{
		tensor.Int32: fillInt32, tensor.Int64: fillInt64,
	})
}

// A filler draws the elements of o, which is not empty, with the generator g.
// limits are the inputs behind the shape.
type filler func(ctx *kernel.Context, limits []tensor.Value, o *tensor.Value, g philox) error

func fills[T tensor.Element](d distribution[T]) filler {
	return func(ctx *kernel.Context, _ []tensor.Value, o *tensor.Value, g philox) error {
		return d.fill(ctx, tensor.Of[T](o), g)
	}
}

func fillInt32(ctx *kernel.Context, limits []tensor.Value, o *tensor.Value, g philox) error {
	lo, hi, err := limitsOf[int32](limits)
	if err != nil {
		return err
	}
	d := between(lo, uint32(hi)-uint32(lo))
	return d.fill(ctx, tensor.Of[int32](o), g)
}

func fillInt64(ctx *kernel.Context, limits []tensor.Value, o *tensor.Value, g philox) error {
	lo, hi, err := limitsOf[int64](limits)
	if err != nil {
		return err
	}
	d := between64(lo, uint64(hi)-uint64(lo))
	return d.fill(ctx, tensor.Of[int64](o), g)
}

// limitsOf reads minval and maxval.
func limitsOf[T int32 | int64 | uint32 | uint64](limits []tensor.Value) (lo, hi T, err error) {
	for i, name := range []string{"minval", "maxval"} {
		if limits[i].Rank() != 0 {
			return 0, 0, status.Invalid("%s must be 0-D, got shape %s", name, tensor.FormatDims(limits[i].Dims()))
		}
	}
	lo, hi = tensor.At0[T](&limits[0]), tensor.At0[T](&limits[1])
	if lo >= hi {
		return 0, 0, status.Invalid("Need minval < maxval, got %d >= %d", lo, hi)
	}
	return lo, hi, nil
}

func seeded(op, attr string, fillers map[tensor.DType]filler) {
	for dt, fill := range fillers {
		kernel.ForType(op, attr, dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			node, seed, seed2 := c.Node, c.Int("seed"), c.Int("seed2")
			return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
				dims, err := kernel.Dims(&in[0], "shape")
				if err != nil {
					return err
				}
				if out[0], err = ctx.Alloc(dt, dims); err != nil {
					return err
				}
				n := out[0].NumElements()
				if n == 0 {
					return nil
				}
				g, err := reserve(ctx, node, seed, seed2, uint64(n)*reserved)
				if err != nil {
					return err
				}
				return fill(ctx, in[1:], &out[0], g)
			}), nil
		})
	}
}

// A stream is a node's generator.
type stream struct {
	mu   sync.Mutex
	next philox
}

// reserve takes n values of the counter of a node's generator.
func reserve(ctx *kernel.Context, node string, seed, seed2 int64, n uint64) (philox, error) {
	s, err := resource.LookupOrCreate(ctx.Step.Resources, "", node, func() (*stream, error) {
		if seed == 0 && seed2 == 0 {
			return &stream{next: unseeded(node, ctx.Step.Seed)}, nil
		}
		return &stream{next: newPhilox(uint64(seed), uint64(seed2))}, nil
	})
	if err != nil {
		return philox{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.next
	s.next.skip(n)
	return g, nil
}

// unseeded makes the generator of a node without seeds: from the session's seed
// and the node's name, or, if the session has none, by chance.
func unseeded(node string, session int64) philox {
	if session != 0 {
		h := fnv.New64a()
		h.Write([]byte(node))
		return newPhilox(uint64(session), h.Sum64())
	}
	var b [16]byte
	crand.Read(b[:]) // never fails
	return newPhilox(binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:]))
}
