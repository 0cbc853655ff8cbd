package quant

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A slicing is how a tensor falls into slices of a dimension, each with a range
// of its own: outer blocks of n slices of inner elements.
type slicing struct{ outer, n, inner int }

// slicingOf returns that of dims along axis; -1 is one slice for all.
func slicingOf(dims []int64, axis int64) (slicing, error) {
	s := slicing{1, 1, 1}
	if axis == -1 {
		for _, d := range dims {
			s.inner *= int(d)
		}
		return s, nil
	}
	if axis < -1 {
		return s, status.Invalid("Axis must be at least -1. Found %d", axis)
	}
	if axis >= int64(len(dims)) {
		return s, status.Invalid("Axis should be less than total dimension count of the input tensor: axis=%d, dims=%d", axis, len(dims))
	}
	for i, d := range dims {
		switch {
		case int64(i) < axis:
			s.outer *= int(d)
		case int64(i) == axis:
			s.n = int(d)
		default:
			s.inner *= int(d)
		}
	}
	return s, nil
}

// each calls f for every run of elements of slice i: from lo to hi. Long runs come in
// pieces.
func (s slicing) each(ctx *kernel.Context, f func(i, lo, hi int)) {
	if s.inner == 0 {
		return
	}
	const piece = 1 << 14
	credit := piece
	for o := range s.outer {
		for i := range s.n {
			first := (o*s.n + i) * s.inner
			for lo := 0; lo < s.inner; lo += piece {
				n := min(s.inner-lo, piece)
				if credit -= n; credit < 0 {
					ctx.Ask()
					credit = piece
				}
				f(i, first+lo, first+lo+n)
			}
		}
	}
}

// spread is [slicing.each] on several cores.
func (s slicing) spread(ctx *kernel.Context, f func(i, lo, hi int)) {
	ctx.Parallel(s.outer*s.n*s.inner, elementwise.Grain, func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		run := lo / s.inner
		end := (run + 1) * s.inner
		for i := run % s.n; lo < hi; lo, end = end, end+s.inner {
			f(i, lo, min(end, hi))
			if i++; i == s.n {
				i = 0
			}
		}
	})
}

// bothScalars reports whether the ends of a range are scalars.
func bothScalars(low, high *tensor.Value) error {
	for i, v := range []*tensor.Value{low, high} {
		if v.Rank() != 0 {
			return status.Invalid("%s must be a scalar, got shape %s", []string{"input_min", "input_max"}[i], tensor.FormatDims(v.Dims()))
		}
	}
	return nil
}

// ranges reads the ends of the slices' ranges: scalars, or tensors of one
// element, for one slice along no axis, else vectors.
func (s slicing) ranges(low, high *tensor.Value, axis int64) error {
	for i, v := range []*tensor.Value{low, high} {
		name := []string{"min_range", "max_range"}[i]
		if axis == -1 {
			if v.NumElements() != 1 {
				return status.Invalid("%s must be a scalar, got shape %s", name, tensor.FormatDims(v.Dims()))
			}
		} else if v.Rank() != 1 || v.NumElements() != s.n {
			return status.Invalid("%s must be a 1-D tensor of size %d, got shape %s", name, s.n, tensor.FormatDims(v.Dims()))
		}
	}
	return nil
}
