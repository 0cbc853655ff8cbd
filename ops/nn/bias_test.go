package nn_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// BiasAdd adds a number to each channel, wherever the channels are: images of one pixel keep
// their shape when the channels come second. Loops and tiles do what the kernel does or nothing.
func TestBiasAdd(t *testing.T) {
	for _, dims := range [][]int64{{2, 3}, {2, 3, 1}, {2, 3, 4}, {2, 3, 1, 1}, {2, 1, 1, 3}, {1, 3, 1, 3}, {3, 3, 3, 3}, {2, 3, 4, 5, 6}, {1, 3, 1, 1, 1}, {0, 3, 1, 1}, {2, 3, 0, 1}} {
		for _, format := range []string{"NHWC", "NCHW"} {
			at := len(dims) - 1
			if format == "NCHW" {
				at = 1
			}
			inner := int64(1)
			for _, d := range dims[at+1:] {
				inner *= d
			}
			x, bias := wave(t, 1, dims), wave(t, 2, dims[at:at+1])
			attrs, err := registry.ParseAttrs(fmt.Sprintf("data_format=%q", format))
			if err != nil {
				t.Fatal(err)
			}
			out, err := kerneltest.Run("BiasAdd", attrs, x, bias)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(out[0].Dims(), dims) {
				t.Errorf("%s of %v has shape %v", format, dims, out[0].Dims())
				continue
			}
			xs, bs := floats(t, x), floats(t, bias)
			for i, got := range floats(t, out[0]) {
				if want := xs[i] + bs[int64(i)/inner%dims[at]]; got != want {
					t.Errorf("%s of %v: element %d is %v, want %v", format, dims, i, got, want)
				}
			}

			k, _, err := kerneltest.New("n", "BiasAdd", attrs, tensor.Float, tensor.Float)
			if err != nil {
				t.Fatal(err)
			}
			if p, ok := k.(kernel.Preparer).Prepare([]tensor.Value{tensor.ValueOf(x), tensor.ValueOf(bias)}, 0); ok && !slices.Equal(p.Outs[0].Dims, dims) {
				t.Errorf("%s of %v is prepared with shape %v", format, dims, p.Outs[0].Dims)
			}
			tiling := k.(kernel.Tiler).Tile([]kernel.TileInput{{DType: tensor.Float, Dims: dims}, {DType: tensor.Float, Dims: bias.Dims()}}, 1)
			if tiling.Dims != nil && !slices.Equal(tiling.Dims, dims) {
				t.Errorf("%s of %v is tiled with shape %v", format, dims, tiling.Dims)
			}
		}
	}
}
