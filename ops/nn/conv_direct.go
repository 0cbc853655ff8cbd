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

// A direct convolution multiplies windows where they lie in the image: no matrix
// of patches is made. Where windows reach over the ends of a line, a few lines at
// a time are copied with zeros around them.
type direct[T vec.Number] struct {
	*convolving[T]
	windows vec.Windows
	before  int // elements of zeros in front of a padded line
	line    int // elements of the source from line to line
	padded  int // elements of a padded line; 0: windows lie inside
	spacing int // lines from one line of a window to the next
}

// direct is how the windows lie in the image, if they do: two dimensions, in the
// last of which a window is elements that follow each other.
func (c *convolving[T]) direct() (d direct[T], ok bool) {
	z, y, x := &c.dims[0], &c.dims[1], &c.dims[2]
	if !vec.WindowsInAssembly[T]() || !c.dense || c.place != nil || z.n != 1 || z.in != 1 || len(z.offsets) != 1 || z.offsets[0] != 0 ||
		len(y.offsets) == 0 || x.in == 0 || y.in == 0 || c.channels == 0 {
		return d, false
	}
	spacing := 1
	for i := 1; i < len(y.offsets); i++ {
		s := y.offsets[i] - y.offsets[i-1]
		if i > 1 && s != spacing {
			return d, false
		}
		spacing = s
	}
	taps := len(x.offsets)
	d = direct[T]{convolving: c, line: x.in * c.channels, spacing: spacing,
		windows: vec.Windows{Rows: x.n, Step: x.step * c.channels, Length: taps * c.channels}}
	d.windows.Next = spacing * d.line
	if first, end := x.offsets[0], (x.n-1)*x.step+x.offsets[0]+taps; first < 0 || end > x.in {
		d.before, d.padded = -first*c.channels, (end-first)*c.channels
		d.windows.Next = spacing * d.padded
	}
	return d, d.padded <= 2*d.line+blockSize // no memory for padding alone
}

// run computes all lines, in blocks.
func (d *direct[T]) run(ctx *kernel.Context, dt tensor.DType) error {
	y := &d.dims[1]
	lines := d.rows / d.dims[2].n
	span := (len(y.offsets)-1)*d.spacing + 1 // lines that a window spans
	height := 1
	if fit := blockSize / max(d.padded, d.line); fit > span {
		height = (fit-span)/max(y.step, 1) + 1
	}
	pool := ctx.Step.Pool
	height = min(height, max(1, lines/(4*pool.Workers())), y.n)
	least := elementwise.Grain / max(1, d.windows.Rows*d.n*d.width()/64)
	memory := 0
	if d.padded > 0 {
		memory = ((height-1)*y.step + span) * d.padded
	}
	desk, err := newDesk[T](ctx, dt, max(1, min(lines, pool.Workers())), memory)
	if err != nil {
		return err
	}
	defer desk.free(ctx)
	panels := vec.NewPanels(d.width(), d.n, d.filter, d.ldb, d.rows)
	defer panels.Close()
	ctx.Parallel(lines, max(height, least), func(lo, hi int) {
		m := desk.take()
		var buf [32]vec.Line
		for lo < hi && ctx.Err() == nil {
			end := min(lo+height, hi, lo/y.n*y.n+y.n, lo+len(buf)) // of the same image
			d.block(panels, buf[:0], m, lo, end)
			lo = end
		}
		desk.giveBack(m)
	})
	return ctx.Err()
}

// block computes lines lo to hi, of one image.
func (d *direct[T]) block(panels *vec.Panels[T], lines []vec.Line, memory []T, lo, hi int) {
	y := &d.dims[1]
	image := d.src[lo/y.n*y.in*d.line:]
	top := lo%y.n*y.step + y.offsets[0] // line of the image, perhaps above it
	last := (hi-1)%y.n*y.step + y.offsets[len(y.offsets)-1]
	from, source, length := max(top, 0), image, d.line
	if d.padded > 0 {
		source, length = memory, d.padded
		copied := 0
		for i := from; i <= min(last, y.in-1); i++ {
			d.pad(memory[copied:][:d.padded], image[i*d.line:][:d.line])
			copied += d.padded
		}
	} else {
		from = 0
	}
	for r := lo; r < hi; r++ {
		first := r%y.n*y.step + y.offsets[0]
		l := vec.Line{Result: r * d.windows.Rows * d.ldc}
		for l.First < len(y.offsets) && first+l.First*d.spacing < 0 {
			l.First++
		}
		end := len(y.offsets)
		for end > l.First && first+(end-1)*d.spacing >= y.in {
			end--
		}
		if l.Lines = end - l.First; l.Lines == 0 { // windows that see nothing
			for i := range d.windows.Rows {
				clear(d.dst[l.Result+i*d.ldc:][:d.n])
			}
			continue
		}
		l.Source = (first + l.First*d.spacing - from) * length
		lines = append(lines, l)
	}
	panels.Multiply(d.windows, lines, source, d.dst, d.ldc)
}

// pad copies a line with zeros around it, or what windows see of it.
func (d *direct[T]) pad(to, line []T) {
	clear(to[:max(d.before, 0)])
	if d.before < 0 {
		line = line[min(-d.before, len(line)):]
	} else {
		to = to[d.before:]
	}
	clear(to[copy(to, line):])
}
