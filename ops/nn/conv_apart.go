package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
)

// apart reports whether windows move by their size, so that each element of the input is in
// at most one: a transposed convolution that makes a picture twice as large is the gradient of
// such a convolution.
func (s *convSizes) apart() bool {
	for i := range s.axes {
		if a := &s.axes[i]; a.stride != a.size || a.dilation != 1 && a.size > 1 {
			return false
		}
	}
	return s.groups == 1 && s.out > 0
}

// covered reports whether all elements of an axis are in windows that move by their size.
func (a *axis) covered() bool { return a.out*a.stride-a.before >= a.in }

// computeApart is compute where windows move by their size. The product of the gradient's
// pixels with the filter has all elements of their windows, which then take their places.
func (c *convInput[T]) computeApart(ctx *kernel.Context, s *convSizes, w, g, dx []T) error {
	if !s.axes[0].covered() || !s.axes[1].covered() || !s.axes[2].covered() {
		clear(dx)
	}
	pixels, cols := s.pixels(), s.taps*s.in
	if pixels == 0 {
		return nil
	}
	height := min(pixels, max(4*panelRows, panelSize/(cols+s.out)))
	panels := (pixels-1)/height + 1
	desk, err := kernel.NewDesk[T](ctx, c.dt, min(panels, ctx.Step.Pool.Workers()), height*cols)
	if err != nil {
		return err
	}
	defer desk.Free(ctx)
	pool := kernel.Pool(nil)
	if panels == 1 {
		pool = vec.PoolOf(ctx, pixels, cols, s.out)
	}
	ctx.Parallel(panels, 1, func(lo, hi int) {
		m := desk.Take()
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			at := i * height
			n := min(height, pixels-at)
			vec.Gemm(pool, false, true, n, cols, s.out, g[at*s.out:], s.out, w, s.out, m, cols)
			setWindows(s, dx, m[:n*cols], at)
		}
		desk.GiveBack(m)
	})
	return ctx.Err()
}

// setWindows sets the elements of dx that are in the windows of pixels, from one on.
func setWindows[T any](s *convSizes, dx, windows []T, pixel int) {
	z, y, x := &s.axes[0], &s.axes[1], &s.axes[2]
	cols, line := s.taps*s.in, x.size*s.in // of a window, of a row of it
	for len(windows) > 0 {
		row, first := pixel/x.out, pixel%x.out
		n := min(x.out-first, len(windows)/cols) // pixels of this row
		py, pz := row%y.out, row/y.out%z.out
		b := row / (y.out * z.out)
		from := first*x.stride - x.before // in a row of dx, parts of which padding may have
		begin := min(max(from, 0), x.in)
		end := max(begin, min(from+n*x.stride, x.in))
		whole, skip := (begin-from)/x.size, (begin-from)%x.size
		for tap := range z.size * y.size {
			dz, dy := pz*z.stride-z.before+tap/y.size, py*y.stride-y.before+tap%y.size
			if dz < 0 || dz >= z.in || dy < 0 || dy >= y.in {
				continue
			}
			to := dx[((b*z.in+dz)*y.in+dy)*x.in*s.in:][:x.in*s.in]
			if begin < end {
				lines(to[begin*s.in:end*s.in], windows[whole*cols+tap*line:n*cols], skip*s.in, line, cols)
			}
		}
		windows, pixel = windows[n*cols:], pixel+n
	}
}

// lines sets o to what the lines of windows hold, from an element of the first on.
func lines[T any](o, windows []T, skip, line, cols int) {
	const short = 16 // for which a call of copy takes longer than it copies
	if skip == 0 && line <= short {
		n := len(o) / line
		for j := range line {
			for i := range n {
				o[i*line+j] = windows[i*cols+j]
			}
		}
		if o = o[n*line:]; len(o) > 0 {
			windows = windows[n*cols:]
		}
	}
	for len(o) > 0 {
		n := copy(o, windows[skip:line])
		if o, skip = o[n:], 0; len(o) > 0 {
			windows = windows[cols:]
		}
	}
}
