package nn

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A depthwiseInput is the kernel of DepthwiseConv2dNativeBackpropInput.
type depthwiseInput[T elementwise.Float] struct {
	depthwise[T]
	perm []int // from the sizes' format
}

// A depthwiseFilter is the kernel of DepthwiseConv2dNativeBackpropFilter.
type depthwiseFilter[T elementwise.Float] struct{ depthwise[T] }

// checked reports whether grad may be the gradient of the result.
func (k *depthwise[T]) checked(s *depthSizes, grad []int64) error {
	if len(grad) != 4 {
		return status.Invalid("%s: out_backprop must be 4-dimensional", k.m.op)
	}
	if grad[0] != int64(s.batch) {
		return status.Invalid("%s: input and out_backprop must have the same batch size", k.m.op)
	}
	if grad[1] != int64(s.y.out) || grad[2] != int64(s.x.out) || grad[3] != int64(s.out) {
		return status.Invalid("%s: out_backprop has shape %s and should have %s", k.m.op, tensor.FormatDims(grad),
			tensor.FormatDims([]int64{int64(s.batch), int64(s.y.out), int64(s.x.out), int64(s.out)}))
	}
	return nil
}

func (k *depthwiseInput[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() != 1 || in[0].NumElements() != 4 {
		return status.Invalid("Conv2DBackpropInput: input_sizes input must be 1-dim with 4 elements, not %s", tensor.FormatDims(in[0].Dims()))
	}
	given, err := kernel.Dims(&in[0], "input_sizes")
	if err != nil {
		return err
	}
	dims := make([]int64, 4)
	for i, p := range k.perm {
		dims[i] = given[p]
	}
	s, err := k.sizes(dims, in[1].Dims())
	if err != nil {
		return err
	}
	if err := k.checked(&s, in[2].Dims()); err != nil {
		return err
	}
	if out[0], err = ctx.AllocZeroed(k.dt, dims); err != nil {
		return err
	}
	return depthwiseBack(ctx, &s, tensor.Of[T](&in[1]), tensor.Of[T](&in[2]), tensor.Of[T](&out[0]))
}

// depthwiseBack adds to dx the gradient with respect to the input.
func depthwiseBack[T elementwise.Float](ctx *kernel.Context, s *depthSizes, w, grad, dx []T) error {
	if len(dx) == 0 || s.out == 0 {
		return nil
	}
	weights, err := repeated(ctx, s, w)
	if err != nil {
		return err
	}
	defer ctx.Free(weights)
	w = tensor.Of[T](&weights)
	size := s.pixels * s.out
	return inRows(ctx, tensor.DTypeOf[T](), s.batch*s.y.in, s.x.out*s.out*s.taps(), 0, func(r int, _ []T) {
		b, iy := r/s.y.in, r%s.y.in
		line := dx[r*s.x.in*s.in:][:s.x.in*s.in]
		for ky := range s.y.size {
			oy := iy + s.y.before - ky*s.y.dilation
			if oy < 0 || oy%s.y.stride != 0 || oy/s.y.stride >= s.y.out {
				continue
			}
			from := grad[(b*s.y.out+oy/s.y.stride)*s.x.out*s.out:]
			for kx := range s.x.size {
				for q := 0; q < s.x.out; q += s.pixels {
					if lo, hi := s.x.inside(kx, q, min(q+s.pixels, s.x.out)); lo < hi {
						spread(s, line, from[lo*s.out:hi*s.out], w[(ky*s.x.size+kx)*size:], kx, lo)
					}
				}
			}
		}
	})
}

// spread adds g·w, at tap k from position lo on, to a line of the input.
func spread[T elementwise.Float](s *depthSizes, line, g, w []T, k, lo int) {
	at := lo*s.x.stride - s.x.before + k*s.x.dilation
	if s.x.stride == 1 && s.per == 1 {
		mulAdd(line[at*s.in:][:len(g)], g, w)
		return
	}
	for len(g) > 0 {
		pixel := line[at*s.in:][:s.in]
		if s.per == 1 {
			mulAdd(pixel, g[:s.in], w[:s.in])
			g, w = g[s.out:], w[s.out:]
			at += s.x.stride
			continue
		}
		for i := range pixel {
			var sum T
			for j := i * s.per; j < (i+1)*s.per; j++ {
				sum += g[j] * w[j]
			}
			pixel[i] += sum
		}
		g, w = g[s.out:], w[s.out:]
		at += s.x.stride
	}
}

func (k *depthwiseFilter[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[1].Rank() != 1 || in[1].NumElements() != 4 {
		return status.Invalid("Conv2DBackpropFilter: filter_sizes input must be 1-dim with 4 elements, not %s", tensor.FormatDims(in[1].Dims()))
	}
	dims, err := kernel.Dims(&in[1], "filter_sizes")
	if err != nil {
		return err
	}
	s, err := k.sizes(in[0].Dims(), dims)
	if err != nil {
		return err
	}
	if err := k.checked(&s, in[2].Dims()); err != nil {
		return err
	}
	if out[0], err = ctx.AllocZeroed(k.dt, dims); err != nil {
		return err
	}
	return depthwiseWeights(ctx, &s, tensor.Of[T](&in[0]), tensor.Of[T](&in[2]), tensor.Of[T](&out[0]))
}

// depthwiseWeights adds to dw the gradient with respect to the filter. It
// goes tap by tap: sums for all pixels of a stretch, which are added up in the end.
func depthwiseWeights[T elementwise.Float](ctx *kernel.Context, s *depthSizes, src, grad, dw []T) error {
	if len(dw) == 0 || len(grad) == 0 {
		return nil
	}
	size := s.pixels * s.out
	return inRows(ctx, tensor.DTypeOf[T](), s.taps(), len(grad), 2*size, func(tap int, tmp []T) {
		ky, kx := tap/s.x.size, tap%s.x.size
		sums := tmp[size:]
		clear(sums)
		for r := 0; r < s.batch*s.y.out && ctx.Err() == nil; r++ {
			b, oy := r/s.y.out, r%s.y.out
			iy := oy*s.y.stride - s.y.before + ky*s.y.dilation
			if iy < 0 || iy >= s.y.in {
				continue
			}
			line := src[(b*s.y.in+iy)*s.x.in*s.in:]
			for q := 0; q < s.x.out; q += s.pixels {
				if lo, hi := s.x.inside(kx, q, min(q+s.pixels, s.x.out)); lo < hi {
					x := stretch(s, line, kx, lo, hi, tmp[:size])
					mulAdd(sums[:(hi-lo)*s.out], x, grad[(r*s.x.out+lo)*s.out:])
				}
			}
		}
		to := dw[tap*s.out:][:s.out]
		for i, x := range sums {
			to[i%s.out] += x
		}
	})
}
