package kernel

import (
	"slices"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Operations take sizes, axes, permutations and the like as tensors of int32 or
// int64, now and then of int8 or int16. The functions here read them; an input of
// another dtype is a mistake in a kernel's registration and reads as int64 would.

// Int is v, an int32 or int64 scalar; what names it in the error.
func Int(v *tensor.Value, what string) (int64, error) {
	if v.Rank() != 0 {
		return 0, status.Invalid("%s must be a scalar, got shape %s", what, tensor.FormatDims(v.Dims()))
	}
	return OnlyInt(v, what)
}

// OnlyInt returns the only element of v, an int32 or int64 tensor of any rank; what
// names it in the error.
func OnlyInt(v *tensor.Value, what string) (int64, error) {
	if v.NumElements() != 1 {
		return 0, status.Invalid("%s must be a scalar, got shape %s", what, tensor.FormatDims(v.Dims()))
	}
	var one [1]int64
	return AppendInts(one[:0], v)[0], nil
}

// AppendInts appends the elements of v, a tensor of signed integers, to dst.
func AppendInts(dst []int64, v *tensor.Value) []int64 {
	return AppendFirst(dst, v, v.NumElements())
}

func appendWidened[T int8 | int16 | int32](dst []int64, x []T) []int64 {
	dst = slices.Grow(dst, len(x))
	for _, x := range x {
		dst = append(dst, int64(x))
	}
	return dst
}

// AppendFirst is AppendInts for the first n elements, or as many as there are: for
// lists in which so many mistakes cannot hide, such as those of axes.
func AppendFirst(dst []int64, v *tensor.Value, n int) []int64 {
	n = min(n, v.NumElements())
	switch v.DType() {
	case tensor.Int8:
		return appendWidened(dst, tensor.Of[int8](v)[:n])
	case tensor.Int16:
		return appendWidened(dst, tensor.Of[int16](v)[:n])
	case tensor.Int32:
		return appendWidened(dst, tensor.Of[int32](v)[:n])
	}
	return append(dst, tensor.Of[int64](v)[:n]...)
}

// Short fails for a list of sizes or axes that is longer than any shape; what names it.
func Short(v *tensor.Value, what string) error {
	if n := v.NumElements(); n > tensor.MaxRank {
		return status.Invalid("%s has %d dimensions, more than the %d allowed", what, n, tensor.MaxRank)
	}
	return nil
}

// AppendIntVector is AppendInts for an input that must have rank 1.
func AppendIntVector(dst []int64, v *tensor.Value, what string) ([]int64, error) {
	if v.Rank() != 1 {
		return nil, status.Invalid("%s must be a vector, got shape %s", what, tensor.FormatDims(v.Dims()))
	}
	return AppendInts(dst, v), nil
}

// Dims returns what a shape input says: a vector (or, where the operation allows
// it, a scalar) of dimensions that are not negative, and no more than there may be.
func Dims(v *tensor.Value, what string) ([]int64, error) {
	return AppendDims(make([]int64, 0, min(v.NumElements(), tensor.MaxRank)), v, what)
}

// AppendDims appends what [Dims] gives to dst, which is empty.
func AppendDims(dst []int64, v *tensor.Value, what string) ([]int64, error) {
	if err := Short(v, what); err != nil {
		return nil, err
	}
	dims, err := AppendIntVector(dst, v, what)
	if err != nil {
		return nil, err
	}
	for i, d := range dims {
		if d < 0 {
			return nil, status.Invalid("Dimension %d of %s must be >= 0, got %d", i, what, d)
		}
	}
	return dims, nil
}

// Axis is axis counted from the front of rank dimensions, where a negative one
// counts from the back; ok is false outside [-rank, rank).
func Axis(axis int64, rank int) (a int, ok bool) {
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis), axis >= 0 && axis < int64(rank)
}
