package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A convFilter is the kernel of the gradients with respect to the filter: the
// product of the transposed patches of the input and the gradient, added up
// panel by panel.
type convFilter[T vec.Number] struct{ forwardConv[T] }

const (
	// maxShares bounds into how many parts the pixels are divided, each of which
	// has a sum of its own, and shareMemory the elements of all those sums.
	maxShares   = 16
	shareMemory = 1 << 20
	// leastPixels is how many pixels a part has at least where windows need no
	// matrix: to add up the sums takes time, too.
	leastPixels = 768
	// filterParts is into how many parts for each worker pixels and columns are divided where
	// windows need no matrix: each part of the columns pads the lines again.
	filterParts = 4
)

func (c *convFilter[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	s, err := c.alloc(ctx, in, out, true)
	if err != nil {
		return err
	}
	return c.compute(ctx, &s, tensor.Of[T](&in[0]), tensor.Of[T](&in[2]), tensor.Of[T](&out[0]))
}

// alloc checks the inputs and allocates the result: zeros, unless one product is about to set it.
func (c *convFilter[T]) alloc(ctx *kernel.Context, in, out []tensor.Value, sets bool) (s convSizes, err error) {
	if in[1].Rank() != 1 {
		return s, status.Invalid("%s: filter_sizes input must be 1-dim, not %d", c.m.op, in[1].Rank())
	}
	filter, err := kernel.Dims(&in[1], "filter_sizes")
	if err != nil {
		return s, err
	}
	x := in[0].Dims()
	if s, err = c.sizes(x, filter); err != nil {
		return s, err
	}
	if err := checkGradient(c.m, &s, x, in[2].Dims()); err != nil {
		return s, err
	}
	if sets && s.pointwise() && s.pixels() > 0 {
		out[0], err = ctx.Alloc(c.dt, filter)
	} else {
		out[0], err = ctx.AllocZeroed(c.dt, filter)
	}
	return s, err
}

// compute adds the gradient to dw, or sets dw to it; see alloc.
func (c *convFilter[T]) compute(ctx *kernel.Context, s *convSizes, src, grad, dw []T) error {
	if s.pixels() == 0 || len(dw) == 0 {
		return nil
	}
	if s.pointwise() {
		vec.Gemm(vec.PoolOf(ctx, s.in, s.out, s.pixels()), true, false, s.in, s.out, s.pixels(), src, s.in, grad, s.out, dw, s.out)
		return ctx.Err()
	}
	if done, err := depthwiseConv(ctx, &c.forwardConv, s, src, grad, dw, depthwiseWeights, depthwiseWeights); done {
		return err
	}
	perOut := s.out / s.groups
	p := s.window()
	for g := range s.groups {
		if err := c.group(ctx, p, s.pixels(), src[g*s.perIn:], grad[g*perOut:], dw[g*perOut:], perOut, s.out); err != nil {
			return err
		}
	}
	return nil
}

// group adds the gradient of one group's filters to dw, n columns in rows of
// ld, which are zeros. The shares do not depend on who computes them, nor does their sum.
func (c *convFilter[T]) group(ctx *kernel.Context, p *patches, pixels int, src, grad, dw []T, n, ld int) error {
	width := p.width()
	height := min(pixels, max(panelRows, panelSize/width))
	panels := (pixels-1)/height + 1
	shares := min(panels, maxShares, max(1, shareMemory/(width*n)))
	if shares == 1 {
		return c.wide(ctx, p, height, pixels, src, grad, dw, n, ld)
	}
	// The rows of the gradient are those of a result.
	d := (&convolving[T]{patches: p, rows: pixels, src: src, n: n, dst: grad, ldc: ld}).direct()
	memory, columns := height*width, n
	if d != nil {
		height = d.blockHeight()
		panels = pixels / d.windows.Rows // lines
		shares, memory = min(shares, max(1, pixels/leastPixels), panels), d.memory(height)
		if workers := ctx.Step.Pool.Workers(); workers > 1 {
			whole := (n-1)/vec.PanelColumns() + 1
			columns = min(n, max(1, whole*shares/(filterParts*workers))*vec.PanelColumns())
		}
	}
	// A part is some columns of a share. Each has memory of its own: what others change beside it
	// would go to and fro between the cores.
	cuts := (n-1)/columns + 1
	alone := shares*cuts == 1
	sums := filterSums[T]{width: width, n: n, columns: columns}
	if !alone {
		all, err := ctx.Alloc(c.dt, []int64{int64(shares), int64(width * n)})
		if err != nil {
			return err
		}
		defer ctx.Free(all)
		sums.all = tensor.Of[T](&all)
	}
	desk, err := kernel.NewDesk[T](ctx, c.dt, min(shares*cuts, ctx.Step.Pool.Workers()), memory)
	if err != nil {
		return err
	}
	defer desk.Free(ctx)
	vec.Expect[T](ctx.Step.Pool, pixels, n, width)
	ctx.Parallel(shares*cuts, 1, func(lo, hi int) {
		memory := desk.Take()
		for i := lo; i < hi; i++ {
			share, left := i/cuts, i%cuts*columns
			sum, each := dw, ld
			if !alone {
				sum, each = sums.part(share, left)
				clear(sum)
			}
			first, end := share*panels/shares, (share+1)*panels/shares
			if d != nil {
				d.addFilter(ctx, sum, each, left, min(columns, n-left), memory, height, first, end)
				continue
			}
			for at := first; at < end && ctx.Err() == nil; at++ {
				lo, hi := at*height, min((at+1)*height, pixels)
				rows := memory[:(hi-lo)*width]
				fill(p, rows, src, lo, hi)
				vec.GemmAdd(nil, true, false, width, n, hi-lo, rows, width, grad[lo*ld:], ld, sum, each)
			}
		}
		desk.GiveBack(memory)
	})
	if err := ctx.Err(); err != nil || alone {
		return err
	}
	ctx.Parallel(width, max(1, elementwise.Grain/(shares*n)), func(lo, hi int) {
		for share := range shares {
			sums.add(dw, ld, share, lo, hi)
		}
	})
	return ctx.Err()
}

// filterSums are gradients with respect to the filter that are yet to be added up: of each share
// columns of width rows, then the next columns.
type filterSums[T vec.Number] struct {
	all               []T
	width, n, columns int
}

// part returns the columns of a share from left on, and how many these are.
func (f *filterSums[T]) part(share, left int) (sum []T, columns int) {
	columns = min(f.columns, f.n-left)
	return f.all[(share*f.n+left)*f.width:][:columns*f.width], columns
}

// add adds rows lo to hi of a share to those of dw.
func (f *filterSums[T]) add(dw []T, ld, share, lo, hi int) {
	for left := 0; left < f.n; left += f.columns {
		sum, columns := f.part(share, left)
		if columns == ld {
			addTo(dw[lo*ld:hi*ld], sum[lo*ld:])
			continue
		}
		for r := lo; r < hi; r++ {
			addTo(dw[r*ld+left:][:columns], sum[r*columns:])
		}
	}
}

// addTo adds as many elements of x to to as that has.
func addTo[T vec.Number](to, x []T) {
	x = x[:len(to)]
	if to, ok := any(to).([]float32); ok {
		vec.Add(to, to, any(x).([]float32))
		return
	}
	for i, x := range x {
		to[i] += x
	}
}

// wide computes panel after panel: the product of one is worth sharing out.
func (c *convFilter[T]) wide(ctx *kernel.Context, p *patches, height, pixels int, src, grad, dw []T, n, ld int) error {
	width := p.width()
	desk, err := kernel.NewDesk[T](ctx, c.dt, 1, height*width)
	if err != nil {
		return err
	}
	defer desk.Free(ctx)
	memory := desk.Take()
	defer desk.GiveBack(memory)
	for lo := 0; lo < pixels && ctx.Err() == nil; lo += height {
		m := min(height, pixels-lo)
		rows := memory[:m*width]
		ctx.Parallel(m, max(1, panelSize/4/width), func(from, to int) {
			fill(p, rows[from*width:to*width], src, lo+from, lo+to)
		})
		vec.GemmAdd(vec.PoolOf(ctx, width, n, m), true, false, width, n, m, rows, width, grad[lo*ld:], ld, dw, ld)
	}
	return ctx.Err()
}
