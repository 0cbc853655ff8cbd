package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(gruCell), nil }, "GRUBlockCell")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(gruGradient), nil }, "GRUBlockCellGrad")
}

// A gruSizes is what the shapes of a GRU's inputs come to.
type gruSizes struct{ batch, in, cell int }

// gruShapes checks x, h_prev, w_ru, w_c, b_ru and b_c, and results, all of the
// shape of h_prev.
func gruShapes(in []tensor.Value) (s gruSizes, err error) {
	x, h := in[0].Dims(), in[1].Dims()
	if len(x) != 2 {
		return s, status.Invalid("Rank of x must be 2, got %d", len(x))
	}
	if len(h) != 2 {
		return s, status.Invalid("Rank of h_prev must be 2, got %d", len(h))
	}
	s = gruSizes{int(x[0]), int(x[1]), int(h[1])}
	n := h[1]
	want := [][]int64{x, {x[0], n}, {x[1] + n, 2 * n}, {x[1] + n, n}, {2 * n}, {n}}
	names := []string{"x", "h_prev", "w_ru", "w_c", "b_ru", "b_c", "r", "u", "c", "d_h"}
	for i := range in {
		dims := want[1]
		if i < len(want) {
			dims = want[i]
		}
		if got := in[i].Dims(); tensor.FormatDims(got) != tensor.FormatDims(dims) {
			return s, status.Invalid("%s must have shape %s, got %s", names[i], tensor.FormatDims(dims), tensor.FormatDims(got))
		}
	}
	return s, nil
}

// gruCell computes
//
//	r, u = sigmoid(x·W + h·U + b)
//	c = tanh(x·W + (h·r)·U + b)
//	h = u·h + (1 - u)·c
func gruCell(ctx *kernel.Context, in, out []tensor.Value) error {
	s, err := gruShapes(in)
	if err != nil {
		return err
	}
	dims := in[1].Dims()
	for i := range out {
		if out[i], err = ctx.Alloc(tensor.Float, dims); err != nil {
			return err
		}
	}
	scratch, err := ctx.Alloc(tensor.Float, []int64{int64(s.batch), int64(3 * s.cell)})
	if err != nil {
		return err
	}
	defer ctx.Free(scratch)
	if s.batch*s.cell == 0 {
		return nil
	}
	x, h := tensor.Of[float32](&in[0]), tensor.Of[float32](&in[1])
	r, u, c, next := tensor.Of[float32](&out[0]), tensor.Of[float32](&out[1]), tensor.Of[float32](&out[2]), tensor.Of[float32](&out[3])
	n := s.cell
	gates, hr := tensor.Of[float32](&scratch)[:2*s.batch*n], tensor.Of[float32](&scratch)[2*s.batch*n:]
	s.affine(ctx, gates, 2*n, x, h, &in[2], &in[4])
	for lo, hi := range ctx.Ranges(s.batch, 1+1<<14/n) {
		for b := lo; b < hi; b++ {
			vec.Sigmoid(r[b*n:][:n], gates[2*b*n:])
			vec.Sigmoid(u[b*n:][:n], gates[(2*b+1)*n:])
		}
		vec.Mul(hr[lo*n:hi*n], h[lo*n:hi*n], r[lo*n:hi*n])
	}
	s.affine(ctx, c, n, x, hr, &in[3], &in[5])
	for lo, hi := range ctx.Ranges(len(next), 1<<14) {
		vec.Tanh(c[lo:hi], c[lo:hi])
		for i := lo; i < hi; i++ {
			next[i] = u[i]*h[i] + (1-u[i])*c[i]
		}
	}
	return ctx.Err()
}

// affine sets o, of width columns, to x·W + h·U + b; W stands above U in w.
func (s *gruSizes) affine(ctx *kernel.Context, o []float32, width int, x, h []float32, w, b *tensor.Value) {
	bias, weights, pool := tensor.Of[float32](b), tensor.Of[float32](w), vec.PoolOf(ctx, s.batch, width, s.in+s.cell)
	for lo, hi := range ctx.Ranges(s.batch, 1+1<<14/width) {
		for r := lo; r < hi; r++ {
			copy(o[r*width:], bias)
		}
	}
	ctx.Ask()
	if s.in > 0 {
		vec.GemmAdd(pool, false, false, s.batch, width, s.in, x, s.in, weights, width, o, width)
	}
	ctx.Ask()
	vec.GemmAdd(pool, false, false, s.batch, width, s.cell, h, s.cell, weights[s.in*width:], width, o, width)
}

// gruGradient is GRUBlockCellGrad: inputs are those of the cell, its r, u and c,
// and the gradient of h.
func gruGradient(ctx *kernel.Context, in, out []tensor.Value) error {
	s, err := gruShapes(in)
	if err != nil {
		return err
	}
	n := s.cell
	for i, dims := range [][]int64{in[0].Dims(), in[1].Dims(), in[1].Dims(), {int64(s.batch), int64(2 * n)}} {
		if out[i], err = ctx.AllocZeroed(tensor.Float, dims); err != nil {
			return err
		}
	}
	scratch, err := ctx.Alloc(tensor.Float, in[1].Dims())
	if err != nil {
		return err
	}
	defer ctx.Free(scratch)
	if s.batch*n == 0 {
		return nil
	}
	h, wru, wc := tensor.Of[float32](&in[1]), tensor.Of[float32](&in[2]), tensor.Of[float32](&in[3])
	r, u, c, dh := tensor.Of[float32](&in[6]), tensor.Of[float32](&in[7]), tensor.Of[float32](&in[8]), tensor.Of[float32](&in[9])
	dx, dhPrev, dc, dru := tensor.Of[float32](&out[0]), tensor.Of[float32](&out[1]), tensor.Of[float32](&out[2]), tensor.Of[float32](&out[3])
	dhr, pool := tensor.Of[float32](&scratch), vec.PoolOf(ctx, s.batch, 2*n, s.in+n)
	for i, g := range dh {
		dc[i] = g * (1 - u[i]) * (1 - c[i]*c[i])
	}
	vec.Gemm(pool, false, true, s.batch, n, n, dc, n, wc[s.in*n:], n, dhr, n)
	for i, g := range dh {
		row := dru[i/n*2*n+i%n:]
		row[0] = dhr[i] * h[i] * r[i] * (1 - r[i])
		row[n] = g * (h[i] - c[i]) * u[i] * (1 - u[i])
	}
	if s.in > 0 {
		vec.Gemm(pool, false, true, s.batch, s.in, n, dc, n, wc, n, dx, s.in)
		vec.GemmAdd(pool, false, true, s.batch, s.in, 2*n, dru, 2*n, wru, 2*n, dx, s.in)
	}
	vec.Gemm(pool, false, true, s.batch, n, 2*n, dru, 2*n, wru[s.in*2*n:], 2*n, dhPrev, n)
	for i, g := range dh {
		dhPrev[i] += dhr[i]*r[i] + g*u[i]
	}
	return ctx.Err()
}
