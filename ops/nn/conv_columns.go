package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
)

// largeFilter is how many elements a filter has that does not stay in a core's second cache.
const largeFilter = 1 << 18

// fewLarge reports whether the lines of all images are so few, and the filter so large, that
// the panels of the filter should pass by all lines at once: block by block they would come
// from memory as often as there are blocks.
func (d *direct[T]) fewLarge(lines int) bool {
	return d.few == nil && lines > 1 && lines <= mostLines && d.width()*d.n >= largeFilter && d.allMemory(lines) <= mostScratch
}

// allMemory returns how many elements the padded lines of all images take.
func (d *direct[T]) allMemory(lines int) int {
	y := &d.dims[1]
	return lines / y.n * y.in * d.padded
}

// runColumns is run for few lines and a large filter: what is shared out is the columns of
// the result.
func (d *direct[T]) runColumns(ctx *kernel.Context, lines int) error {
	d.ctx = ctx
	var parts bool
	var err error
	if d.finish, parts, err = d.beginSums(ctx); err != nil {
		return err
	}
	m := vec.Borrow[T](d.allMemory(lines))
	defer m.GiveBack()
	y := &d.dims[1]
	all, source, length := make([]vec.Line, 0, lines), d.src, d.line
	if d.padded > 0 {
		source, length = m.Slice(), d.padded
	}
	for lo := 0; lo < lines; lo += y.n {
		image := lo / y.n * y.in * length
		all, _ = d.block(all, source[image:], lo, lo+y.n)
		for i := lo; i < lo+y.n; i++ {
			all[i].Source += image
		}
	}
	d.panels.Open(d.width(), d.n, d.filter, d.ldb, d.rows)
	defer d.panels.Close()
	d.panels.Ended, d.panels.Finish = d.ended, d.finish
	vec.Expect[T](ctx.Step.Pool, d.rows, d.n, d.width())
	ctx.Parallel(d.panels.Count(), 1, func(from, end int) {
		d.panels.MultiplySome(from, end, d.windows, all, source, d.dst, d.ldc)
	})
	for _, l := range all {
		if l.Lines == 0 {
			d.emptyLine(l.Result)
		}
	}
	if parts && ctx.Err() == nil {
		d.then.part(0, d.rows*d.n)
	}
	d.ctx, d.finish = nil, vec.Finish{}
	return ctx.Err()
}
