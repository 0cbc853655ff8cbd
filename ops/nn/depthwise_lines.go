package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
)

// lineMost is how many multiplications a line has at most that is computed by one call:
// nobody is asked meanwhile whether the step has ended.
const lineMost = alongMost

// tapLine returns how windows follow each other in a line, if they are computed line by
// line: a TapLine that fits.
func (s *depthSizes) tapLine() (t vec.TapLine) {
	if s.x.dilation != 1 || s.in == 0 || s.x.in == 0 || s.x.out > lineMost/(s.taps()*s.in) {
		return t
	}
	return vec.TapLine{Channels: s.in, Columns: s.x.size, Next: s.y.dilation * s.x.in * s.in, Column: s.in, WeightLine: s.x.size * s.in,
		Width: s.x.in, Before: s.x.before, Stride: s.x.stride, Pixels: s.x.out}
}

// depthwiseLines is depthwiseTaps where whole lines are computed by one call, and what
// follows with them where it can be.
func depthwiseLines(ctx *kernel.Context, s *depthSizes, all vec.TapLine, src, w, dst []float32) error {
	finish, parts, err := beginSums(ctx, s.then)
	if err != nil {
		return err
	}
	ctx.Parallel(s.batch*s.y.out, s.lineGrain(ctx), func(lo, hi int) {
		size := s.x.out * s.out
		for r := lo; r < hi && ctx.Err() == nil; r++ {
			s.tapped(all, finish, r, src, w, dst)
			if parts {
				s.then.part(r*size, (r+1)*size)
			}
		}
	})
	return ctx.Err()
}

// tapped computes line r of all images by one call, finished by f.
func (s *depthSizes) tapped(t vec.TapLine, f vec.Finish, r int, src, w, dst []float32) {
	size := s.x.out * s.out
	b, oy := r/s.y.out, r%s.y.out
	top, bottom := s.y.tapsInside(oy)
	if f.Add != nil {
		f.Add = f.Add[r*size:]
	}
	to := dst[r*size:][:size]
	if t.Lines = max(bottom-top, 0); t.Lines > 0 {
		iy := oy*s.y.stride - s.y.before + top*s.y.dilation
		t.Multiply(to, src[(b*s.y.in+iy)*s.x.in*s.in:], w[top*s.x.size*s.in:], &f)
	} else {
		t.Multiply(to, nil, nil, &f)
	}
}
