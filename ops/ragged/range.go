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
	kernel.ForType("RaggedRange", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
		if c.Type("Tsplits") == tensor.Int32 {
			return ranges[T, int32]{length, math.MaxInt32}, nil
		}
		return ranges[T, int64]{length, math.MaxInt64}, nil
	})
}

// A ranges is the kernel of RaggedRange.
type ranges[T int32 | int64 | float32 | float64, S int32 | int64] struct {
	length func(start, limit, delta T) uint64 // more than 1<<63 for what has none
	most   uint64                             // that a split can be
}

func (k ranges[T, S]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
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
	at := func(i, row int) T {
		x := tensor.Of[T](&in[i])
		if in[i].Rank() == 0 {
			return x[0]
		}
		return x[row]
	}
	var err error
	if out[0], err = ctx.Alloc(tensor.DTypeOf[S](), []int64{int64(rows) + 1}); err != nil {
		return err
	}
	splits, total := tensor.Of[S](&out[0]), uint64(0)
	splits[0] = 0
	for row := range rows {
		if row%(1<<13) == 1<<13-1 {
			ctx.Ask()
		}
		if at(2, row) == 0 {
			return status.Invalid("Requires delta != 0")
		}
		n := k.length(at(0, row), at(1, row), at(2, row))
		if n > math.MaxInt64 {
			return status.Invalid("Requires ((limit - start) / delta) <= %d", int64(math.MaxInt64))
		}
		if n > k.most-total {
			return status.Invalid("The total range size overflowed. Consider using int64 instead of int32 for row_splits_dtype.")
		}
		total += n
		splits[row+1] = S(total)
	}
	if out[1], err = ctx.Alloc(tensor.DTypeOf[T](), []int64{int64(total)}); err != nil {
		return err
	}
	o := tensor.Of[T](&out[1])
	for row := range rows {
		if row%(1<<13) == 1<<13-1 {
			ctx.Ask()
		}
		x, delta := at(0, row), at(2, row)
		for i := splits[row]; i < splits[row+1]; i++ {
			if i%block == block-1 && ctx.Err() != nil {
				return ctx.Err()
			}
			o[i] = x
			x += delta
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
