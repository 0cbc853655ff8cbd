package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// largeFilter is how many elements a filter has that does not stay in a core's second cache.
const largeFilter = 1 << 18

const (
	// linesEach is how many lines for each worker are enough to share out lines alone.
	linesEach = 2
	// partsEach is how many parts of a result there are for each worker that are some of its
	// columns in some of its lines, if each of them takes leastPart multiplications, 5 µs.
	partsEach = 4
	leastPart = 512 << 10
	// mostPanels is how many panels a part has at most: so many pass by the lines together.
	mostPanels = 4
	// mostTogether is how many elements the padded lines have at most that the panels of a very
	// large filter pass by, which does not fit into a core's second cache: half of what does.
	mostTogether = 1 << 18
	veryLarge    = 1 << 19
)

// byColumns reports whether what is shared out is columns of the result, and perhaps lines,
// not lines alone. Either these are few for so many workers, or they are few and the filter
// so large that its panels should pass by all lines at once: block by block they would come from
// memory as often as there are blocks.
func (d *direct[T]) byColumns(lines, workers int) bool {
	y := &d.dims[1]
	size, memory := d.width()*d.n, lines/y.n*y.in*d.around
	if d.few != nil || lines <= 1 || lines > mostLines || memory > mostTogether || memory > mostScratch && size < veryLarge {
		return false
	}
	return size >= largeFilter || lines < linesEach*workers && d.rows*size >= 2*leastPart
}

// allMemory returns how many elements the padded lines of all images take.
func (d *direct[T]) allMemory(lines int) int {
	y := &d.dims[1]
	return lines / y.n * y.in * d.padded
}

// lineGroups returns how many groups of lines a panel of the result is cut into.
func (d *direct[T]) lineGroups(lines, workers int) int {
	panels := d.panels.Count()
	parts := min(partsEach*workers, d.rows*d.width()*d.n/leastPart)
	return max(1, min(lines, parts/panels))
}

// runColumns is run for few lines: what is shared out is the columns of the result, and in
// each panel of these groups of lines, if there are too few panels for all workers.
func (d *direct[T]) runColumns(ctx *kernel.Context, dt tensor.DType, lines int) error {
	y, length := &d.dims[1], d.line
	d.source = d.src
	if size := d.allMemory(lines); size > mostScratch {
		if err := d.desk.Open(ctx, dt, 1, size); err != nil {
			return err
		}
		defer d.desk.Free(ctx)
		d.source, length = d.desk.Take(), d.padded
		defer d.desk.GiveBack(d.source)
	} else if size > 0 {
		m := vec.Borrow[T](size)
		defer m.GiveBack()
		d.source, length = m.Slice(), d.padded
	}
	var parts bool
	var err error
	if d.finish, parts, err = d.beginSums(ctx); err != nil {
		return err
	}
	d.ctx, d.all = ctx, d.all[:0]
	for lo := 0; lo < lines; lo += y.n {
		image := lo / y.n * y.in * length
		d.all, _ = d.block(d.all, d.source[image:], lo, lo+y.n)
		for i := lo; i < lo+y.n; i++ {
			d.all[i].Source += image
		}
	}
	d.panels.Open(d.width(), d.n, d.filter, d.ldb, d.rows)
	defer d.panels.Close()
	d.panels.Ended, d.panels.Finish = d.ended, d.finish
	workers := ctx.Step.Pool.Workers()
	count := d.panels.Count()
	d.together, d.groups = max(1, min(mostPanels, count/(2*workers))), d.lineGroups(lines, workers)
	vec.Expect[T](ctx.Step.Pool, d.rows, d.n, d.width())
	ctx.Parallel(((count-1)/d.together+1)*d.groups, 1, d.shareColumns)
	for _, l := range d.all {
		if l.Lines == 0 {
			d.emptyLine(l.Result)
		}
	}
	if parts && ctx.Err() == nil {
		d.then.part(0, d.rows*d.n)
	}
	d.ctx, d.finish, d.source = nil, vec.Finish{}, nil
	return ctx.Err()
}

// columns computes parts lo to hi: some panels in each group of lines, then the next ones.
func (d *direct[T]) columns(lo, hi int) {
	lines := len(d.all)
	for i := lo; i < hi; i++ {
		panel, group := i/d.groups*d.together, i%d.groups
		some := d.all[group*lines/d.groups : (group+1)*lines/d.groups]
		d.panels.Sweep(panel, min(panel+d.together, d.panels.Count()), d.windows, some, d.source, d.dst, d.ldc)
	}
}
