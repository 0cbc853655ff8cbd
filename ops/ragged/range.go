package ragged

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	rangesFor(tensor.Float, floatLength[float32])
	rangesFor(tensor.Double, floatLength[float64])
	rangesFor(tensor.Int32, intLength[int32])
	rangesFor(tensor.Int64, intLength[int64])
}

func rangesFor[T int32 | int64 | float32 | float64](dt tensor.DType, length func(start, limit, delta T) uint64) {
	registerRanges(ranges{dt: dt, length: func(start, limit, delta *tensor.Value, row int) (n uint64, ok bool) {
		d := rowOf[T](delta, row)
		if d == 0 {
			return 0, false
		}
		return length(rowOf[T](start, row), rowOf[T](limit, row), d), true
	}, fill: func(ctx *kernel.Context, o tensor.Memory, lo, hi uint64, start, delta *tensor.Value, row int) error {
		x, d := rowOf[T](start, row), rowOf[T](delta, row)
		to := tensor.Elements[T](o)[lo:hi]
		for i := range to {
			if i%block == block-1 && ctx.Err() != nil {
				return ctx.Err()
			}
			to[i] = x
			x += d
		}
		return nil
	}})
}

// rowOf is the element of a row, or the one of a scalar.
func rowOf[T int32 | int64 | float32 | float64](v *tensor.Value, row int) T {
	if v.Rank() == 0 {
		row = 0
	}
	return tensor.Of[T](v)[row]
}

func registerRanges(k ranges) {
	kernel.ForType("RaggedRange", "T", k.dt, func(c *kernel.Construction) (kernel.Kernel, error) {
		of := k
		if of.splits, of.most = c.Type("Tsplits"), math.MaxInt64; of.splits == tensor.Int32 {
			of.most = math.MaxInt32
		}
		return &of, nil
	})
}

// A ranges is the kernel of RaggedRange.
type ranges struct {
	dt, splits tensor.DType
	most       uint64 // that a split can be
	// length returns how many numbers a row has, more than 1<<63 if it has no end, and
	// whether its delta is not 0.
	length func(start, limit, delta *tensor.Value, row int) (n uint64, ok bool)
	fill   func(ctx *kernel.Context, o tensor.Memory, lo, hi uint64, start, delta *tensor.Value, row int) error
}

func (k *ranges) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	rows := -1
	for i, name := range []string{"starts", "limits", "deltas"} {
		switch {
		case in[i].Rank() > 1:
			return status.Invalid("%s must be a scalar or vector", name)
		case in[i].Rank() == 0:
		case rows >= 0 && in[i].Dim(0) != rows:
			return status.Invalid("starts, limits, and deltas must have the same shape")
		default:
			rows = in[i].Dim(0)
		}
	}
	if rows < 0 {
		rows = 1
	}
	var err error
	if out[0], err = ctx.Alloc(k.splits, []int64{int64(rows) + 1}); err != nil {
		return err
	}
	set := func(i int, total uint64) {
		if k.splits == tensor.Int32 {
			tensor.Of[int32](&out[0])[i] = int32(total)
		} else {
			tensor.Of[int64](&out[0])[i] = int64(total)
		}
	}
	set(0, 0)
	total := uint64(0)
	for row := range rows {
		if row%(1<<13) == 1<<13-1 {
			ctx.Ask()
		}
		n, ok := k.length(&in[0], &in[1], &in[2], row)
		if !ok {
			return status.Invalid("Requires delta != 0")
		}
		if n > math.MaxInt64 {
			return status.Invalid("Requires ((limit - start) / delta) <= %d", int64(math.MaxInt64))
		}
		if n > k.most-total {
			return status.Invalid("The total range size overflowed. Consider using int64 instead of int32 for row_splits_dtype.")
		}
		total += n
		set(row+1, total)
	}
	if out[1], err = ctx.Alloc(k.dt, []int64{int64(total)}); err != nil {
		return err
	}
	end := indexOf(&out[0])
	for row := range rows {
		if row%(1<<13) == 1<<13-1 {
			ctx.Ask()
		}
		lo, hi := uint64(end(int64(row))), uint64(end(int64(row)+1))
		if err := k.fill(ctx, out[1].Memory(), lo, hi, &in[0], &in[2], row); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// intLength returns how many numbers a range has.
func intLength[T int32 | int64](start, limit, delta T) uint64 {
	// Differences of two int64 fit into 64 bits without a sign.
	far, step := uint64(int64(limit))-uint64(int64(start)), uint64(int64(delta))
	if delta < 0 {
		start, limit = limit, start
		far, step = -far, -step
	}
	if start >= limit {
		return 0
	}
	return (far-1)/step + 1
}

func floatLength[T float32 | float64](start, limit, delta T) uint64 {
	if delta > 0 && limit < start || delta < 0 && limit > start {
		return 0
	}
	n := math.Ceil(math.Abs(float64((limit - start) / delta)))
	if !(n < 1<<63) {
		return math.MaxUint64
	}
	return uint64(n)
}
