package nn

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registerFractional[float32](tensor.Float)
	registerFractional[float64](tensor.Double)
	registerFractional[int32](tensor.Int32)
	registerFractional[int64](tensor.Int64)
}

func registerFractional[T elementwise.Real](dt tensor.DType) {
	registerFractionalGradient("FractionalMaxPoolGrad", dt, fractionalMaxGradient[T])
	registerFractionalGradient("FractionalAvgPoolGrad", dt, fractionalAverageGradient[T])
}

func registerFractionalGradient(op string, dt tensor.DType, run func(ctx *kernel.Context, overlapping bool, in, out []tensor.Value) error) {
	kernel.ForType(op, "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
		overlapping := c.Bool("overlapping")
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return run(ctx, overlapping, in, out) }), nil
	})
}

// A cells is the windows of a fractional pooling: between the places of two
// sequences.
type cells struct {
	batch, height, width, depth int // of the input
	rows, cols                  []int64
	overlapping                 bool // a window has the place where the next one begins
}

// newCells checks the sequences and the gradient of the result against the
// shape of the input.
func newCells(x []int64, grad, rows, cols *tensor.Value, overlapping bool) (c cells, err error) {
	g := grad.Dims()
	if len(x) != 4 {
		return c, status.Invalid("orig_input must be 4-dimensional: %s", tensor.FormatDims(x))
	}
	if len(g) != 4 || g[0] != x[0] || g[3] != x[3] {
		return c, status.Invalid("out_backprop must be 4-dimensional, with the batch and the channels of the input: %s", tensor.FormatDims(g))
	}
	c = cells{int(x[0]), int(x[1]), int(x[2]), int(x[3]), nil, nil, overlapping}
	for i, v := range []*tensor.Value{rows, cols} {
		if v.Rank() != 1 || int64(v.NumElements()) != g[1+i]+1 {
			return c, status.Invalid("a pooling sequence must have an element more than out_backprop's dimension of %d, got shape %s", g[1+i], tensor.FormatDims(v.Dims()))
		}
		s := tensor.Of[int64](v)
		for j, at := range s {
			if at < 0 || at > x[1+i] || j > 0 && at <= s[j-1] {
				return c, status.Invalid("a pooling sequence must rise from 0 to the size of the input at most, got %d", at)
			}
		}
	}
	c.rows, c.cols = tensor.Of[int64](rows), tensor.Of[int64](cols)
	return c, nil
}

// ends are where window i of a sequence begins and ends, below size.
func (c *cells) ends(s []int64, i, size int) (lo, hi int) {
	lo, hi = int(s[i]), int(s[i+1])
	if c.overlapping {
		hi++
	}
	return lo, min(hi, size)
}

// each calls f for each window: where its channels are in the result, and each
// pixel of it in the input.
func (c *cells) each(f func(o int, pixels []int)) {
	var pixels []int
	o := 0
	for b := range c.batch {
		for r := range len(c.rows) - 1 {
			top, bottom := c.ends(c.rows, r, c.height)
			for q := range len(c.cols) - 1 {
				left, right := c.ends(c.cols, q, c.width)
				pixels = pixels[:0]
				for y := top; y < bottom; y++ {
					for x := left; x < right; x++ {
						pixels = append(pixels, ((b*c.height+y)*c.width+x)*c.depth)
					}
				}
				f(o, pixels)
				o += c.depth
			}
		}
	}
}

// fractionalMaxGradient returns each number of the gradient to the first of the
// greatest elements of its window.
func fractionalMaxGradient[T elementwise.Real](ctx *kernel.Context, overlapping bool, in, out []tensor.Value) error {
	c, err := newCells(in[0].Dims(), &in[2], &in[3], &in[4], overlapping)
	if err != nil {
		return err
	}
	if !tensor.SameShape(in[1], in[2]) {
		return status.Invalid("orig_output and out_backprop must have the same shape: %s, %s", tensor.FormatDims(in[1].Dims()), tensor.FormatDims(in[2].Dims()))
	}
	if out[0], err = ctx.AllocZeroed(in[0].DType(), in[0].Dims()); err != nil {
		return err
	}
	x, most, grad, o := tensor.Of[T](&in[0]), tensor.Of[T](&in[1]), tensor.Of[T](&in[2]), tensor.Of[T](&out[0])
	same := true
	c.each(func(at int, pixels []int) {
		for ch := range c.depth {
			best := -1
			for _, p := range pixels {
				if best < 0 || x[best] < x[p+ch] {
					best = p + ch
				}
			}
			if best < 0 || x[best] != most[at+ch] {
				same = false
				continue
			}
			o[best] += grad[at+ch]
		}
	})
	if !same {
		return status.Invalid("tensor_out_dup is not the same as tensor_out")
	}
	return ctx.Err()
}

// fractionalAverageGradient shares each number of the gradient out among the
// elements of its window.
func fractionalAverageGradient[T elementwise.Real](ctx *kernel.Context, overlapping bool, in, out []tensor.Value) error {
	if in[0].Rank() != 1 || in[0].NumElements() != 4 {
		return status.Invalid("original input tensor shape must be 1-dimensional and 4 elements")
	}
	dims, err := kernel.Dims(&in[0], "orig_input_tensor_shape")
	if err != nil {
		return err
	}
	c, err := newCells(dims, &in[1], &in[2], &in[3], overlapping)
	if err != nil {
		return err
	}
	if out[0], err = ctx.AllocZeroed(in[1].DType(), dims); err != nil {
		return err
	}
	grad, o := tensor.Of[T](&in[1]), tensor.Of[T](&out[0])
	c.each(func(at int, pixels []int) {
		for ch := range c.depth {
			if len(pixels) == 0 {
				continue
			}
			share := grad[at+ch] / T(len(pixels))
			for _, p := range pixels {
				o[p+ch] += share
			}
		}
	})
	return ctx.Err()
}
