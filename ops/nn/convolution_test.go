package nn_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A plainConv is a convolution by its definition, in float64.
type plainConv struct {
	n, height, width, in, out, window, stride, groups int
}

func (c plainConv) positions() (h, w int) {
	return (c.height-1)/c.stride + 1, (c.width-1)/c.stride + 1
}

// each calls f for all products: with the places of the elements of the input,
// the filter and the result that meet.
func (c plainConv) each(f func(x, w, y int)) {
	oh, ow := c.positions()
	before := func(out, in int) int { return max(0, (out-1)*c.stride+c.window-in) / 2 }
	perIn, perOut := c.in/c.groups, c.out/c.groups
	for n := range c.n {
		for oy := range oh {
			for ox := range ow {
				for ky := range c.window {
					for kx := range c.window {
						iy, ix := oy*c.stride-before(oh, c.height)+ky, ox*c.stride-before(ow, c.width)+kx
						if iy < 0 || iy >= c.height || ix < 0 || ix >= c.width {
							continue
						}
						for o := range c.out {
							for i := range perIn {
								f(((n*c.height+iy)*c.width+ix)*c.in+o/perOut*perIn+i,
									((ky*c.window+kx)*perIn+i)*c.out+o, ((n*oh+oy)*ow+ox)*c.out+o)
							}
						}
					}
				}
			}
		}
	}
}

// Convolutions that take several panels, shares and workers, and their
// gradients, against the definition.
func TestLargeConvolutions(t *testing.T) {
	for _, c := range []plainConv{
		{2, 41, 37, 16, 24, 3, 1, 1}, // several panels
		{1, 60, 50, 9, 8, 5, 2, 1},
		{3, 30, 31, 12, 6, 3, 2, 3}, // groups
		{2, 45, 40, 20, 12, 1, 1, 1},
		{1, 5, 4, 128, 1024, 3, 1, 1}, // more filters than sums can be kept of
		{1, 3, 3, 4, 4, 2, 5, 1},      // a stride beyond the image
		{2, 90, 110, 2, 16, 2, 2, 1},  // windows that do not overlap
		{2, 41, 37, 3, 40, 3, 3, 1},   // of which some are partly outside
		{2, 21, 57, 40, 40, 3, 1, 40}, // a group for each channel
		{2, 20, 51, 24, 48, 3, 2, 24},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			c.check(t, "Conv2D", []int64{int64(c.window), int64(c.window), int64(c.in / c.groups), int64(c.out)})
		})
	}
}

// A depthwise convolution is one with a group for each channel.
func TestLargeDepthwiseConvolutions(t *testing.T) {
	for _, c := range []plainConv{
		{2, 21, 57, 40, 40, 3, 1, 40}, // several stretches a line
		{2, 20, 51, 24, 48, 3, 2, 24},
		{1, 9, 8, 1100, 1100, 3, 1, 1100}, // a pixel is longer than a stretch
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			c.check(t, "DepthwiseConv2dNative", []int64{int64(c.window), int64(c.window), int64(c.in), int64(c.out / c.in)})
		})
	}
}

// check compares an operation and its gradients with the definition.
func (c plainConv) check(t *testing.T, op string, filter []int64) {
	oh, ow := c.positions()
	dims := []int64{int64(c.n), int64(c.height), int64(c.width), int64(c.in)}
	result := []int64{int64(c.n), int64(oh), int64(ow), int64(c.out)}
	x, w, g := wave(t, 1, dims), wave(t, 2, filter), wave(t, 3, result)
	y, dx, dw := make([]float64, g.NumElements()), make([]float64, x.NumElements()), make([]float64, w.NumElements())
	xs, ws, gs := floats(t, x), floats(t, w), floats(t, g)
	c.each(func(i, j, k int) {
		y[k] += float64(xs[i]) * float64(ws[j])
		dx[i] += float64(gs[k]) * float64(ws[j])
		dw[j] += float64(gs[k]) * float64(xs[i])
	})
	attrs, err := registry.ParseAttrs(fmt.Sprintf(`strides=[1,%d,%d,1], padding="SAME"`, c.stride, c.stride))
	if err != nil {
		t.Fatal(err)
	}
	for _, pool := range []kernel.Pool{kerneltest.Serial{}, four{}} {
		r := &kerneltest.Runner{Pool: pool}
		for _, k := range []struct {
			name string
			in   []*tensor.Tensor
			want []float64
		}{
			{op, []*tensor.Tensor{x, w}, y},
			{op + "BackpropInput", []*tensor.Tensor{sizes(t, dims), w, g}, dx},
			{op + "BackpropFilter", []*tensor.Tensor{x, sizes(t, filter), g}, dw},
		} {
			out, err := r.Run("node", k.name, attrs, k.in...)
			if err != nil {
				t.Fatal(k.name, err)
			}
			for i, got := range floats(t, out[0]) {
				if math.Abs(float64(got)-k.want[i]) > 1e-3 {
					t.Fatalf("%s: element %d is %v, want %v", k.name, i, got, k.want[i])
				}
			}
		}
	}
}

// four is a pool of four workers.
type four struct{ kerneltest.Threads }

func (four) Workers() int { return 4 }

// wave returns a tensor of numbers in [-1, 1].
func wave(t *testing.T, seed float64, dims []int64) *tensor.Tensor {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Sin(seed * float64(i*i%1009)))
	}
	return of(t, x, dims...)
}

func sizes(t *testing.T, dims []int64) *tensor.Tensor {
	x := make([]int32, len(dims))
	for i, d := range dims {
		x[i] = int32(d)
	}
	return of(t, x, int64(len(x)))
}
