package nn

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/tensor"
)

// narrowConv makes the kernels of half and bfloat16 on float32. Conv3D and the
// gradients of Conv2D round every step of their sums, in the order of
// TensorFlow's CPU kernels without oneDNN: sums in so few bits are so coarse
// that another order is another result. Gradients of grouped convolutions,
// which TensorFlow's CPU has none of, are summed up in float32.
func narrowConv(op string, dt tensor.DType, m *motion) kernel.Kernel {
	last := *m
	turn(&last)
	c := forwardConv[float32]{m: &last, dt: tensor.Float}
	round := roundingTo(dt)
	switch op {
	case "Conv3D":
		return channelsLast(m.format, &narrowForward{c, round}, 1<<1)
	case "Conv2DBackpropInput":
		return channelsLast(m.format, &narrowInput{convInput[float32]{c, m.format}, round}, 1<<0|1<<1)
	case "Conv2DBackpropFilter":
		return channelsLast(m.format, &narrowFilter{convFilter[float32]{c}, round}, 1<<1|1<<3)
	}
	return convOf[float32](op, tensor.Float, m)
}

// A narrowForward is the kernel of Conv3D: the patches of all examples
// times the filter.
type narrowForward struct {
	forwardConv[float32]
	round rounding
}

func (c *narrowForward) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	s, err := c.alloc(ctx, in, out)
	if err != nil {
		return err
	}
	src, filter, dst := tensor.Of[float32](&in[0]), tensor.Of[float32](&in[1]), tensor.Of[float32](&out[0])
	if len(dst) == 0 {
		return nil
	}
	p, pixels := s.window(), s.pixels()
	width := p.width()
	depth := narrowDepth(width)
	groups := (pixels-1)/rowGroup + 1
	desk, err := kernel.NewDesk[float32](ctx, tensor.Float, min(groups, ctx.Step.Pool.Workers()), rowGroup*width+s.out)
	if err != nil {
		return err
	}
	defer desk.Free(ctx)
	ctx.Parallel(groups, max(1, elementwise.Grain/(rowGroup*len(filter))), func(lo, hi int) {
		memory := desk.Take()
		rows, sums := memory[:rowGroup*width], memory[rowGroup*width:]
		for g := lo; g < hi && ctx.Err() == nil; g++ {
			first, last := g*rowGroup, min((g+1)*rowGroup, pixels)
			fill(p, rows, src, first, last)
			for r := first; r < last; r++ {
				to := dst[r*s.out:][:s.out]
				clear(to)
				for at := 0; at < width; at += depth {
					end := min(at+depth, width)
					c.round.addRow(to, rows[(r-first)*width+at:], 1, filter[at*s.out:end*s.out], last-first == rowGroup, sums)
				}
			}
		}
		desk.GiveBack(memory)
	})
	return ctx.Err()
}

// A narrowFilter is the kernel of the gradients with respect to the filter:
// the transposed patches of all examples times the gradient.
type narrowFilter struct {
	convFilter[float32]
	round rounding
}

func (c *narrowFilter) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	s, err := c.alloc(ctx, in, out, false)
	if err != nil {
		return err
	}
	src, grad, dw := tensor.Of[float32](&in[0]), tensor.Of[float32](&in[2]), tensor.Of[float32](&out[0])
	if s.pixels() == 0 || len(dw) == 0 {
		return nil
	}
	if s.groups != 1 {
		return c.compute(ctx, &s, src, grad, dw)
	}
	p, pixels := s.window(), s.pixels()
	width, depth := p.width(), narrowDepth(pixels)
	panel, err := ctx.Alloc(tensor.Float, []int64{int64(depth), int64(width)})
	if err != nil {
		return err
	}
	defer ctx.Free(panel)
	groups := (width-1)/rowGroup + 1
	desk, err := kernel.NewDesk[float32](ctx, tensor.Float, min(groups, ctx.Step.Pool.Workers()), s.out)
	if err != nil {
		return err
	}
	defer desk.Free(ctx)
	rows := tensor.Of[float32](&panel)
	for at := 0; at < pixels && ctx.Err() == nil; at += depth {
		end := min(at+depth, pixels)
		fill(p, rows, src, at, end)
		ctx.Parallel(groups, max(1, elementwise.Grain/(rowGroup*(end-at)*s.out)), func(lo, hi int) {
			sums := desk.Take()
			for g := lo; g < hi && ctx.Err() == nil; g++ {
				first, last := g*rowGroup, min((g+1)*rowGroup, width)
				for r := first; r < last; r++ {
					c.round.addRow(dw[r*s.out:][:s.out], rows[r:], width, grad[at*s.out:end*s.out], last-first == rowGroup, sums)
				}
			}
			desk.GiveBack(sums)
		})
	}
	return ctx.Err()
}

// A narrowInput is the kernel of the gradients with respect to the input: the
// gradient of each position times the transposed filter is added to the pixels
// that its window covers, position by position.
type narrowInput struct {
	convInput[float32]
	round rounding
}

func (c *narrowInput) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	s, err := c.alloc(ctx, in, out)
	if err != nil {
		return err
	}
	w, grad, dx := tensor.Of[float32](&in[1]), tensor.Of[float32](&in[2]), tensor.Of[float32](&out[0])
	if len(dx) == 0 {
		return nil
	}
	if s.groups != 1 {
		return c.compute(ctx, &s, w, grad, dx)
	}
	clear(dx)
	if len(grad) == 0 {
		return nil
	}
	turned, err := ctx.Alloc(tensor.Float, []int64{int64(len(w))})
	if err != nil {
		return err
	}
	defer ctx.Free(turned)
	p := s.window()
	width, positions := p.width(), p.positions()
	filter := tensor.Of[float32](&turned)
	transposed(filter, w, width, s.out, s.out)
	desk, err := kernel.NewDesk[float32](ctx, tensor.Float, min(s.batch, ctx.Step.Pool.Workers()), 2*width)
	if err != nil {
		return err
	}
	defer desk.Free(ctx)
	size, depth := len(dx)/s.batch, narrowDepth(s.out)
	ctx.Parallel(s.batch, 1, func(lo, hi int) {
		memory := desk.Take()
		row, sums := memory[:width], memory[width:]
		for b := lo; b < hi; b++ {
			image := dx[b*size:][:size]
			for q := 0; q < positions && ctx.Err() == nil; q++ {
				clear(row)
				from := grad[(b*positions+q)*s.out:]
				for at := 0; at < s.out; at += depth {
					end := min(at+depth, s.out)
					c.round.addRow(row, from[at:], 1, filter[at*width:end*width], q < positions/rowGroup*rowGroup, sums)
				}
				c.round.scatter(p, image, row, q)
			}
		}
		desk.GiveBack(memory)
	})
	return ctx.Err()
}

// scatter adds the row of patches of position q to the pixels of one
// example that it covers: the opposite of fill.
func (round rounding) scatter(p *patches, image, row []float32, q int) {
	d0, d1, d2 := &p.dims[0], &p.dims[1], &p.dims[2]
	q2, q1, q0 := q%d2.n, q/d2.n%d1.n, q/(d2.n*d1.n)
	for _, o0 := range d0.offsets {
		z := q0*d0.step + o0
		for _, o1 := range d1.offsets {
			y := q1*d1.step + o1
			for _, o2 := range d2.offsets {
				x := q2*d2.step + o2
				if z >= 0 && z < d0.in && y >= 0 && y < d1.in && x >= 0 && x < d2.in {
					pixel := image[((z*d1.in+y)*d2.in+x)*p.pixel:][:p.channels]
					for i, v := range row[:p.channels] {
						pixel[i] = round(pixel[i] + v)
					}
				}
				row = row[p.channels:]
			}
		}
	}
}
