package image

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// grain is the number of elements that a worker computes at a time.
const grain = 1 << 13

// A batch is the shape of a batch of images.
type batch struct{ n, height, width, depth int }

// batchOf returns the shape of v, which what names in errors.
func batchOf(v *tensor.Value, what string) (batch, error) {
	d := v.Dims()
	if len(d) != 4 {
		return batch{}, status.Invalid("%s must be 4-dimensional%s", what, tensor.FormatDims(d))
	}
	b := batch{int(d[0]), int(d[1]), int(d[2]), int(d[3])}
	if b.height > math.MaxInt32 || b.width > math.MaxInt32 {
		return b, status.Invalid("%s sizes must be between 0 and max int32", what)
	}
	return b, nil
}

func (b batch) dims() []int64 {
	return []int64{int64(b.n), int64(b.height), int64(b.width), int64(b.depth)}
}

// lines calls f for each of the n·height lines of a batch, of which each costs
// about as much as its elements.
func (b batch) lines(ctx *kernel.Context, f func(n, y int)) error {
	if b.n*b.height*b.width*b.depth == 0 {
		return nil
	}
	ctx.Parallel(b.n*b.height, max(1, grain/(b.width*b.depth)), func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			f(i/b.height, i%b.height)
		}
	})
	return ctx.Err()
}

// sizeOf reads an input of a height and a width.
func sizeOf(v *tensor.Value, what string) (height, width int, err error) {
	if v.Rank() != 1 {
		return 0, 0, status.Invalid("%s must be 1-dimensional%s", what, tensor.FormatDims(v.Dims()))
	}
	if v.NumElements() != 2 {
		return 0, 0, status.Invalid("%s must have two elements%s", what, tensor.FormatDims(v.Dims()))
	}
	x := tensor.Of[int32](v)
	if x[0] <= 0 || x[1] <= 0 {
		return 0, 0, status.Invalid("output dimensions must be positive")
	}
	return int(x[0]), int(x[1]), nil
}

// floatsOf returns the elements of v, of any type of numbers, as float32; release
// gives back the memory that this may have taken.
func floatsOf(ctx *kernel.Context, v *tensor.Value) (x []float32, release func(), err error) {
	if v.DType() == tensor.Float {
		return tensor.Of[float32](v), func() {}, nil
	}
	w, err := ctx.Alloc(tensor.Float, v.Dims())
	if err != nil {
		return nil, nil, err
	}
	x = tensor.Of[float32](&w)
	switch v.DType() {
	case tensor.Half, tensor.Bfloat16:
		elementwise.FromNarrow(x, v, 0)
	case tensor.Double:
		convert(x, tensor.Of[float64](v))
	case tensor.Int8:
		convert(x, tensor.Of[int8](v))
	case tensor.Uint8:
		convert(x, tensor.Of[uint8](v))
	case tensor.Int16:
		convert(x, tensor.Of[int16](v))
	case tensor.Uint16:
		convert(x, tensor.Of[uint16](v))
	case tensor.Int32:
		convert(x, tensor.Of[int32](v))
	case tensor.Int64:
		convert(x, tensor.Of[int64](v))
	default:
		ctx.Free(w)
		return nil, nil, status.Errorf(status.Unimplemented, "images of type %v", v.DType())
	}
	return x, func() { ctx.Free(w) }, nil
}

func convert[T int8 | uint8 | int16 | uint16 | int32 | int64 | float64](o []float32, x []T) {
	for i, v := range x {
		o[i] = float32(v)
	}
}
