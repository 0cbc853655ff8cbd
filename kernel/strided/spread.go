package strided

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Spread is value broadcast to the shape want: value itself if it has it, else
// a tensor of its own, which the caller frees.
func Spread(ctx *kernel.Context, value *tensor.Value, want []int64) (tensor.Value, error) {
	if slices.Equal(value.Dims(), want) {
		return *value, nil
	}
	dims := value.Dims()
	for len(dims) > len(want) && dims[0] == 1 {
		dims = dims[1:]
	}
	front := len(want) - len(dims)
	for i, d := range dims {
		if front < 0 || d != 1 && d != want[front+i] {
			return tensor.Value{}, status.Invalid("Cannot broadcast input shape %s into final shape %s", tensor.FormatDims(value.Dims()), tensor.FormatDims(want))
		}
	}
	v, err := ctx.Alloc(value.DType(), want)
	if err != nil {
		return tensor.Value{}, err
	}
	return v, Copy(ctx, &v, Of(want), value, Of(dims).Broadcast(want))
}
