package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/tensor"
)

// blockSize is how many elements of the image a worker has before it at a time
// while panels of the filter pass by: a quarter of a core's second cache.
const blockSize = 1 << 16

// leastLeftOut is how many channels a pixel has at least that is left out rather than multiplied with zeros:
// of fewer the tiles' loops are too short.
const leastLeftOut = 16

// A direct convolution multiplies windows where they lie in the image: no matrix
// of patches is made. What windows have beyond the ends of a line is left out; where the tiles
// cannot leave it out, a few lines at a time are copied with zeros around them.
type direct[T vec.Number] struct {
	*convolving[T]
	windows vec.Windows
	before  int         // elements of zeros in front of a padded line
	line    int         // elements of the source from line to line
	padded  int         // elements of a padded line; 0: windows lie inside, or what is outside is left out
	around  int         // padded, or what it would be
	spacing int         // lines from one line of a window to the next
	few     *fewFilters // nil: there are more

	// What a run needs beside it.
	ctx    *kernel.Context
	panels vec.Panels[T]
	desk   kernel.SharedScratch[T]
	height int              // lines of a block
	size   int              // elements of the memory for it
	goesOn bool             // with the epilogue, part by part
	finish vec.Finish       // or with sums, before they are stored
	share  func(lo, hi int) // computes lines, for a pool; made once, as are
	ended  func() bool      // whether the step has
	// and, where the columns of the result are shared out too,
	shareColumns func(lo, hi int)
	all          []vec.Line // of all images
	source       []T        // that they lie in
	groups       int        // of lines
	together     int        // panels of a part
}

// direct returns how the windows lie in the image; nil if they do not.
func (c *convolving[T]) direct() *direct[T] {
	if !c.asked {
		c.asked = true
		if d := c.inImage(); d != nil {
			d.share, d.shareColumns = d.lines, d.columns
			d.ended = func() bool { return d.ctx.Err() != nil }
			c.kept = d
		}
	}
	return c.kept
}

// inImage is direct for who has not asked before: there are two dimensions, in the
// last of which a window is elements that follow each other.
func (c *convolving[T]) inImage() *direct[T] {
	z, y, x := &c.dims[0], &c.dims[1], &c.dims[2]
	if !vec.WindowsInAssembly[T]() || !c.dense || z.n != 1 || z.in != 1 || len(z.offsets) != 1 || z.offsets[0] != 0 ||
		len(y.offsets) == 0 || x.in == 0 || y.in == 0 || c.channels == 0 {
		return nil
	}
	spacing := 1
	for i := 1; i < len(y.offsets); i++ {
		s := y.offsets[i] - y.offsets[i-1]
		if i > 1 && s != spacing {
			return nil
		}
		spacing = s
	}
	taps := len(x.offsets)
	d := &direct[T]{convolving: c, line: x.in * c.channels, spacing: spacing,
		windows: vec.Windows{Rows: x.n, Step: x.step * c.channels, Length: taps * c.channels}}
	d.windows.Next = spacing * d.line
	if first, end := x.offsets[0], (x.n-1)*x.step+x.offsets[0]+taps; first != 0 || end > x.in {
		d.around = (end - first) * c.channels
		outer := d.windows
		outer.Before, outer.After = max(-first, 0)*c.channels, max(end-x.in, 0)*c.channels
		if first <= 0 && c.channels >= leastLeftOut && vec.LeavesOut[T](&outer, c.n) {
			d.windows = outer
		} else {
			d.before, d.padded = -first*c.channels, d.around
			d.windows.Next = spacing * d.padded
		}
	}
	if c.place != nil && !d.addsAsPanels() {
		return nil
	}
	if d.padded > 2*d.line+blockSize {
		return nil // no memory for padding alone
	}
	d.few = d.fewFilters()
	return d
}

// addsAsPanels reports whether sums are cut into the same blocks as in a product with the
// matrix of patches.
func (d *direct[T]) addsAsPanels() bool {
	n := d.windows.Length
	return d.width() <= vec.GemmBlock || vec.GemmBlock%n == 0 || n%vec.GemmBlock == 0
}

// result returns where a line of the result begins.
func (d *direct[T]) result(line int) int {
	if d.place != nil {
		return d.place(line * d.windows.Rows)
	}
	return line * d.windows.Rows * d.ldc
}

// run computes all lines, in blocks.
func (d *direct[T]) run(ctx *kernel.Context, dt tensor.DType) error {
	lines := d.rows / d.dims[2].n
	pool := ctx.Step.Pool
	if d.byColumns(lines, pool.Workers()) {
		return d.runColumns(ctx, dt, lines)
	}
	d.ctx, d.height = ctx, min(d.blockHeight(), max(1, lines/(4*pool.Workers())))
	least := elementwise.Grain / max(1, d.windows.Rows*d.n*d.width()/8)
	d.fitMemory()
	var err error
	if d.size > mostScratch {
		if err = d.desk.Open(ctx, dt, max(1, min(lines, pool.Workers())), d.size); err != nil {
			return err
		}
		defer d.desk.Free(ctx)
	}
	if err = d.beginAny(ctx); err != nil {
		return err
	}
	d.panels.Open(d.width(), d.n, d.filter, d.ldb, d.rows)
	defer d.panels.Close()
	d.panels.Ended, d.panels.Finish = d.ended, d.finish
	vec.Expect[T](pool, d.rows, d.n, d.width())
	ctx.Parallel(lines, evenly(lines, max(d.height, least), pool.Workers()), d.share)
	d.ctx, d.finish = nil, vec.Finish{}
	return ctx.Err()
}

// evenly returns the length of ranges of n, from most down to half of it, with which the worker
// that has most of them has least to do.
func evenly(n, most, workers int) int {
	best, least := most, n+1
	for size := most; 2*size > most; size-- {
		whole, rest := n/size, n%size
		longest := (whole + workers - 1) / workers * size
		if whole%workers == 0 {
			longest += rest
		}
		if longest < least {
			best, least = size, longest
		}
	}
	return best
}

// fitMemory decides how much memory a block takes, and makes it lower if that is too much.
func (d *direct[T]) fitMemory() {
	d.size = d.memory(d.height)
	if d.few != nil {
		for d.height > 1 && d.fewMemory(d.few, d.height) > fewMost {
			d.height /= 2
		}
		d.size = d.fewMemory(d.few, d.height)
	}
}

// beginAny begins the epilogue, with sums if that can be.
func (d *direct[T]) beginAny(ctx *kernel.Context) (err error) {
	if d.few != nil { // whose sums lie otherwise than the result
		d.goesOn, err = d.begin(ctx)
	} else {
		d.finish, d.goesOn, err = d.beginSums(ctx)
	}
	return err
}

// lines computes lines lo to hi.
func (d *direct[T]) lines(lo, hi int) {
	if d.size > mostScratch {
		m := d.desk.Take()
		d.blocks(lo, hi, m)
		d.desk.GiveBack(m)
		return
	}
	m := vec.Borrow[T](d.size)
	d.blocks(lo, hi, m.Slice())
	m.GiveBack()
}

// mostScratch is how many elements of memory are borrowed, which no session's account
// knows of: more come from a desk.
const mostScratch = blockSize

// blocks computes lines lo to hi with the memory for a block.
func (d *direct[T]) blocks(lo, hi int, m []T) {
	y := &d.dims[1]
	var buf [mostLines]vec.Line
	for lo < hi && d.ctx.Err() == nil {
		end := min(lo+d.height, hi, lo/y.n*y.n+y.n) // of the same image
		if d.few != nil {
			d.fewLines(m, lo, end)
		} else {
			rows, source := d.block(buf[:0], m, lo, end)
			for _, l := range rows {
				if l.Lines == 0 {
					d.emptyLine(l.Result)
				}
			}
			d.panels.Multiply(d.windows, rows, source, d.dst, d.ldc)
		}
		if d.goesOn {
			d.then.part(lo*d.windows.Rows*d.n, end*d.windows.Rows*d.n)
		}
		lo = end
	}
}

// emptyLine sets and finishes a line of the result whose windows see nothing.
func (d *direct[T]) emptyLine(at int) {
	for i := range d.windows.Rows {
		clear(d.dst[at+i*d.ldc:][:d.n])
	}
	if dst, ok := any(d.dst).([]float32); ok {
		d.finish.Rows(dst, at, d.windows.Rows, d.n, d.ldc)
	}
}

// mostLines is how many lines a block has at most.
const mostLines = 32

// blockHeight returns how many lines a block has at most.
func (d *direct[T]) blockHeight() int {
	y := &d.dims[1]
	height := 1
	if fit, span := blockSize/max(d.padded, d.line), d.span(); fit > span {
		height = (fit-span)/max(y.step, 1) + 1
	}
	return min(height, y.n, mostLines)
}

// span returns how many lines of the image a window spans.
func (d *direct[T]) span() int { return (len(d.dims[1].offsets)-1)*d.spacing + 1 }

// memory returns how many elements the padded lines of a block take.
func (d *direct[T]) memory(height int) int {
	return ((height-1)*d.dims[1].step + d.span()) * d.padded
}

// block appends lines lo to hi, of one image, and answers the source that they lie
// in: padded lines in memory, or the image. A line of which windows see nothing
// has no lines.
func (d *direct[T]) block(lines []vec.Line, memory []T, lo, hi int) ([]vec.Line, []T) {
	y := &d.dims[1]
	image := d.src[lo/y.n*y.in*d.line:]
	from, source, length := 0, image, d.line
	if d.padded > 0 {
		source, length = memory, d.padded
		from = max(lo%y.n*y.step+y.offsets[0], 0)
		last := min((hi-1)%y.n*y.step+y.offsets[len(y.offsets)-1], y.in-1)
		for i := from; i <= last; i++ {
			d.pad(memory[(i-from)*length:][:length], image[i*d.line:][:d.line])
		}
	}
	for r := lo; r < hi; r++ {
		l := d.seen(r)
		if l.Lines > 0 {
			l.Source = (r%y.n*y.step+y.offsets[0]+l.First*d.spacing-from)*length - d.windows.Before
		}
		lines = append(lines, l)
	}
	return lines, source
}

// seen returns a line of the result, and which lines of its windows are in the image.
func (d *direct[T]) seen(r int) vec.Line {
	y := &d.dims[1]
	top := r%y.n*y.step + y.offsets[0] // line of the image, perhaps above it
	l := vec.Line{Result: d.result(r)}
	for l.First < len(y.offsets) && top+l.First*d.spacing < 0 {
		l.First++
	}
	end := len(y.offsets)
	for end > l.First && top+(end-1)*d.spacing >= y.in {
		end--
	}
	l.Lines = end - l.First
	return l
}

// pad copies a line with zeros around it, or what windows see of it.
func (d *direct[T]) pad(to, line []T) {
	if d.before < 0 {
		line = line[min(-d.before, len(line)):]
	} else {
		before := min(d.before, len(to)) // windows may see zeros alone
		clear(to[:before])
		to = to[before:]
	}
	clear(to[copy(to, line):])
}

// addFilter adds what lines lo to hi of the gradient give n columns of the filter, from left on, to
// sum, in rows of ldc elements, with memory for a block of that height.
func (d *direct[T]) addFilter(ctx *kernel.Context, sum []T, ldc, left, n int, memory []T, height, lo, hi int) {
	y := &d.dims[1]
	var buf [mostLines]vec.Line
	ended := func() bool { return ctx.Err() != nil }
	for lo < hi && ctx.Err() == nil {
		end := min(lo+height, hi, lo/y.n*y.n+y.n)
		lines, source := d.block(buf[:0], memory, lo, end)
		for len(lines) > 0 && lines[0].Lines == 0 {
			lines = lines[1:]
		}
		for len(lines) > 0 && lines[len(lines)-1].Lines == 0 {
			lines = lines[:len(lines)-1]
		}
		vec.AddTransposed(d.windows, lines, n, source, d.dst[left:], d.ldc, sum, ldc, ended)
		lo = end
	}
}
