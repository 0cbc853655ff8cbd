package nn

import (
	"math"
	"testing"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Every pixel of a transposed convolution is the product of one row: what the gradient has
// under the taps that meet it, zeros outside, and these taps. So the bits do not depend on
// whether the gradient is multiplied where it lies, or as a matrix of patches.
func TestTransposedConvolutionIsItsRows(t *testing.T) {
	ints := func(xs ...int64) registry.AttrValue {
		v := registry.AttrValue{Kind: registry.KindInt | registry.ListOf}
		for _, x := range xs {
			v.List = append(v.List, registry.AttrValue{Kind: registry.KindInt, I: x})
		}
		return v
	}
	for _, c := range []struct {
		batch, height, width, in, out int // of the input, whose gradient it is
		size, stride, acrossStride    int
		padding                       string
	}{
		{1, 46, 46, 16, 16, 4, 2, 2, "SAME"},
		{2, 21, 18, 5, 3, 3, 2, 2, "SAME"},
		{2, 21, 19, 5, 3, 3, 2, 2, "VALID"},
		{1, 30, 31, 40, 70, 4, 2, 2, "SAME"}, // two blocks, which lines do not fill
		{1, 16, 14, 33, 128, 4, 2, 2, "SAME"},
		{1, 9, 9, 7, 300, 3, 2, 2, "SAME"},
		{1, 24, 24, 20, 8, 5, 3, 2, "SAME"},
		{1, 24, 25, 20, 8, 5, 1, 2, "SAME"},
		{3, 12, 12, 20, 8, 5, 2, 1, "VALID"},
		{1, 13, 13, 6, 4, 2, 3, 3, "SAME"}, // pixels that no tap meets
		{1, 8, 8, 6, 4, 7, 2, 2, "SAME"},
	} {
		outer := func(n, stride int) (out, before int) {
			if c.padding == "VALID" {
				return (n-c.size)/stride + 1, 0
			}
			out = (n-1)/stride + 1
			return out, max(0, (out-1)*stride+c.size-n) / 2
		}
		rows, top := outer(c.height, c.stride)
		cols, left := outer(c.width, c.acrossStride)
		w, g := make([]float32, c.size*c.size*c.in*c.out), make([]float32, c.batch*rows*cols*c.out)
		for i := range w {
			w[i] = float32(math.Sin(float64(i)))
		}
		for i := range g {
			g[i] = float32(math.Cos(float64(3 * i)))
		}
		tensorOf := func(x []float32, dims ...int64) *tensor.Tensor {
			v, err := tensor.FromSlice(x, dims...)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		sizes, err := tensor.FromSlice([]int32{int32(c.batch), int32(c.height), int32(c.width), int32(c.in)}, 4)
		if err != nil {
			t.Fatal(err)
		}
		got, err := kerneltest.Run("Conv2DBackpropInput", registry.Attrs{
			{Name: "strides", Value: ints(1, int64(c.stride), int64(c.acrossStride), 1)},
			{Name: "padding", Value: registry.AttrValue{Kind: registry.KindString, S: c.padding}},
		}, sizes, tensorOf(w, int64(c.size), int64(c.size), int64(c.in), int64(c.out)), tensorOf(g, int64(c.batch), int64(rows), int64(cols), int64(c.out)))
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		value := tensor.ValueOf(got[0])
		dx := tensor.Of[float32](&value)
		want := make([]float32, c.in)
		for pixel := range c.batch * c.height * c.width {
			var row, filter []float32
			b, i, j := pixel/(c.height*c.width), pixel/c.width%c.height, pixel%c.width
			for ky := c.size - 1; ky >= 0; ky-- {
				for kx := c.size - 1; kx >= 0; kx-- {
					y, x := i+top-ky, j+left-kx
					if y%c.stride != 0 || x%c.acrossStride != 0 {
						continue
					}
					y, x = y/c.stride, x/c.acrossStride
					for o := range c.out {
						if y >= 0 && y < rows && x >= 0 && x < cols {
							row = append(row, g[((b*rows+y)*cols+x)*c.out+o])
						} else {
							row = append(row, 0)
						}
						for n := range c.in {
							filter = append(filter, w[((ky*c.size+kx)*c.in+n)*c.out+o])
						}
					}
				}
			}
			vec.Gemm(nil, false, false, 1, c.in, len(row), row, len(row), filter, c.in, want, c.in)
			for n, x := range want {
				if y := dx[pixel*c.in+n]; math.Float32bits(x) != math.Float32bits(y) {
					t.Fatalf("%+v: channel %d of pixel %d, %d, %d is %v, want %v", c, n, b, i, j, y, x)
				}
			}
		}
	}
}
