package nn

import (
	"unsafe"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A convInput is the kernel of the gradients with respect to the input.
//
// Along a dimension, element i of the input is met by tap k of the window at
// position (i + before - k·dilation)/stride, where that is whole. So the
// elements that leave the same remainder by the stride are a convolution of the
// gradient with the taps that go with it: one for each phase, and no product
// with a zero that a stride leaves.
type convInput[T vec.Number] struct {
	forwardConv[T]
	given shape.Format // of the sizes
}

func (c *convInput[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	s, err := c.alloc(ctx, in, out)
	if err != nil {
		return err
	}
	return c.compute(ctx, &s, tensor.Of[T](&in[1]), tensor.Of[T](&in[2]), tensor.Of[T](&out[0]))
}

// alloc checks the inputs and allocates the result.
func (c *convInput[T]) alloc(ctx *kernel.Context, in, out []tensor.Value) (s convSizes, err error) {
	filter, grad := in[1].Dims(), in[2].Dims()
	x, err := c.inputSizes(&in[0], filter, grad)
	if err != nil {
		return s, err
	}
	if dims := c.m.format.Dims; len(x) == dims+2 && len(filter) == dims+2 && x[dims+1] == 0 && filter[dims] == 0 {
		out[0], err = ctx.Alloc(c.dt, x) // of an input without channels
		return s, err
	}
	if s, err = c.sizes(x, filter); err != nil {
		return s, err
	}
	if err := checkGradient(c.m, &s, x, grad); err != nil {
		return s, err
	}
	out[0], err = ctx.Alloc(c.dt, x)
	return s, err
}

// compute sets dx to the gradient.
func (c *convInput[T]) compute(ctx *kernel.Context, s *convSizes, w, g, dx []T) error {
	if len(dx) == 0 {
		return nil
	}
	if s.pointwise() {
		vec.Gemm(vec.PoolOf(ctx, s.pixels(), s.in, s.out), false, true, s.pixels(), s.in, s.out, g, s.out, w, s.out, dx, s.in)
		return ctx.Err()
	}
	if _, ok := c.depthwise(s); ok {
		clear(dx)
		if done, err := depthwiseConv(ctx, &c.forwardConv, s, w, g, dx, depthwiseBack, depthwiseBack); done {
			return err
		}
	}
	if s.apart() {
		return c.computeApart(ctx, s, w, g, dx)
	}
	turned, err := ctx.Alloc(c.dt, []int64{int64(len(w))})
	if err != nil {
		return err
	}
	defer ctx.Free(turned)
	flipped := tensor.Of[T](&turned)
	zs, ys, xs := s.axes[0].phases(), s.axes[1].phases(), s.axes[2].phases()
	for _, z := range zs {
		for _, y := range ys {
			for _, x := range xs {
				if err := c.phase(ctx, s, [3]phase{z, y, x}, w, flipped, g, dx); err != nil {
					return err
				}
			}
		}
	}
	return ctx.Err()
}

// inputSizes reads the shape of the input with channels last.
func (c *convInput[T]) inputSizes(v *tensor.Value, filter, grad []int64) ([]int64, error) {
	dims := c.m.format.Dims
	if v.Rank() != 1 {
		return nil, status.Invalid("%s: input_sizes input must be 1-dim, not %d", c.m.op, v.Rank())
	}
	given, err := kernel.Dims(v, "input_sizes")
	if err != nil {
		return nil, err
	}
	if len(filter) != dims+2 || len(grad) != dims+2 {
		return nil, status.Invalid("%s: filter and out_backprop must be %d-dimensional: %s, %s", c.m.op, dims+2, tensor.FormatDims(filter), tensor.FormatDims(grad))
	}
	x := make([]int64, 0, dims+2)
	switch {
	case len(given) == dims+2:
		for _, p := range lastPerm(c.given) {
			x = append(x, given[p])
		}
	case len(given) == dims && dims == 2:
		x = append(append(append(x, grad[0]), given...), filter[dims])
	default:
		return nil, status.Invalid("%s: input_sizes must contain %d values, but got: %d", c.m.op, dims+2, len(given))
	}
	return x, nil
}

// checkGradient reports whether grad may be the gradient of a convolution's
// result.
func checkGradient(m *motion, s *convSizes, x, grad []int64) error {
	dims := m.format.Dims
	if len(grad) != dims+2 {
		return status.Invalid("%s: out_backprop must be %d-dimensional", m.op, dims+2)
	}
	if grad[0] != x[0] {
		return status.Invalid("%s: input and out_backprop must have the same batch size. Input batch: %d, outbackprop batch: %d, batch_dim: 0", m.op, x[0], grad[0])
	}
	if grad[dims+1] != int64(s.out) {
		return status.Invalid("%s: filter and out_backprop must have the same out_depth", m.op)
	}
	for i := range dims {
		if a := s.axes[3-dims+i]; grad[1+i] != int64(a.out) {
			return status.Invalid("%s: Size of out_backprop doesn't match computed: actual = %d, computed = %d, spatial_dim: %d input: %d filter: %d output: %d stride: %d dilation: %d",
				m.op, grad[1+i], a.out, 1+i, a.in, a.size, grad[1+i], a.stride, a.dilation)
		}
	}
	return nil
}

// A phase is the elements first, first+stride, ... of the input along an axis.
type phase struct {
	first, stride int
	lattice
	taps []int // of the window, in the order of the lattice's offsets
}

// phases are all of an axis, with or without taps.
func (a *axis) phases() []phase {
	all := make([]phase, 0, min(a.stride, a.in))
	for first := range min(a.stride, a.in) {
		p := phase{first: first, stride: a.stride,
			lattice: lattice{n: (a.in-first-1)/a.stride + 1, in: a.out, step: 1}}
		for k := a.size - 1; k >= 0; k-- {
			if at := first + a.before - k*a.dilation; at%a.stride == 0 {
				p.offsets = append(p.offsets, at/a.stride)
				p.taps = append(p.taps, k)
			}
		}
		all = append(all, p)
	}
	return all
}

// phase computes the elements of the input that one phase of each axis names.
func (c *convInput[T]) phase(ctx *kernel.Context, s *convSizes, p [3]phase, w, flipped, g, dx []T) error {
	perOut := s.out / s.groups
	var taps []int
	for _, z := range p[0].taps {
		for _, y := range p[1].taps {
			for _, x := range p[2].taps {
				taps = append(taps, (z*s.axes[1].size+y)*s.axes[2].size+x)
			}
		}
	}
	window := newPatches([3]lattice{p[0].lattice, p[1].lattice, p[2].lattice}, perOut, s.out)
	place := func(row int) int {
		x := row % p[2].n
		y := row / p[2].n % p[1].n
		z := row / (p[2].n * p[1].n) % p[0].n
		b := row / window.positions()
		z, y, x = p[0].first+z*p[0].stride, p[1].first+y*p[1].stride, p[2].first+x*p[2].stride
		return (((b*s.axes[0].in+z)*s.axes[1].in+y)*s.axes[2].in + x) * s.in
	}
	if p[0].stride == 1 && p[1].stride == 1 && p[2].stride == 1 {
		place = nil
	}
	for group := range s.groups {
		ctx.Parallel(len(taps), max(1, panelSize/(s.perIn*max(perOut, 1))), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				transposed(flipped[i*perOut*s.perIn:][:perOut*s.perIn], w[taps[i]*s.perIn*s.out+group*perOut:], s.perIn, perOut, s.out)
			}
		})
		run := convolving[T]{patches: window, rows: s.batch * window.positions(), src: g[min(group*perOut, len(g)):], filter: flipped[:len(taps)*perOut*s.perIn],
			n: s.perIn, ldb: s.perIn, dst: dx[group*s.perIn:], ldc: p[2].stride * s.in, place: place}
		if err := run.run(ctx, c.dt); err != nil {
			return err
		}
	}
	return nil
}

// transposed sets dst, cols×rows, to the transpose of a rows×cols matrix in
// rows of ld elements.
func transposed[T vec.Number](dst, src []T, rows, cols, ld int) {
	if rows == 0 || cols == 0 {
		return
	}
	switch to, from := unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]); unsafe.Sizeof(dst[0]) {
	case 4:
		vec.Transpose(unsafe.Slice((*uint32)(to), len(dst)), rows, unsafe.Slice((*uint32)(from), len(src)), ld, rows, cols)
	case 8:
		vec.Transpose(unsafe.Slice((*uint64)(to), len(dst)), rows, unsafe.Slice((*uint64)(from), len(src)), ld, rows, cols)
	default:
		for i := range rows {
			for j, x := range src[i*ld:][:cols] {
				dst[j*rows+i] = x
			}
		}
	}
}
