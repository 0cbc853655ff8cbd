package nn

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/tensor"
)

// winogradAttr is the attribute of a Conv2D or _FusedConv2D that may be computed by Winograd's
// transforms, which the rewriting of programs sets.
const winogradAttr = "_winograd"

// A winogradConv computes a convolution of float32 by Winograd's transforms, where that pays for
// its sizes: the same way however many images there are, whatever shares the work, and whether
// the filter's transform is known, so that no bit depends on these.
type winogradConv struct {
	filters winogradFilters
	last    atomic.Pointer[winogradRun] // nil while it is in use
}

// suits returns the transforms by which a convolution of these sizes is computed; nil if it is
// computed as it is.
func (c *winogradConv) suits(s *convSizes) *vec.Winograd {
	z, y, x := &s.axes[0], &s.axes[1], &s.axes[2]
	if z.size != 1 || z.in != 1 || z.out != 1 || s.groups != 1 || y.in == 0 || x.in == 0 {
		return nil
	}
	for _, a := range []*axis{y, x} {
		if a.size != 3 || a.stride != 1 || a.dilation != 1 || a.before < 0 {
			return nil
		}
	}
	return winogradFor(y.out, x.out, s.in, s.out)
}

// What a convolution takes is estimated in multiplications of its matrix product, for every
// channel of the image and of the result.
const (
	// winogradPass is for a number of a filter, which comes from memory: a product with few rows
	// waits for it.
	winogradPass = 64
	// winogradMove is for a number of the image or the result in a position of a square.
	winogradMove = 13
	// winogradLeast is how many channels of image and result there are at least.
	winogradLeast = 16
)

// winogradFor returns the transforms for a result of so many lines and columns, and so many
// channels of image and result; nil if none pays. It asks for no more, so that an image's
// result does not depend on those next to it, or on the machine.
func winogradFor(lines, columns, in, out int) (best *vec.Winograd) {
	if in < winogradLeast || out < winogradLeast {
		return nil
	}
	least := 0.9 * 9 * float64(lines*columns+winogradPass)
	for _, w := range []*vec.Winograd{vec.Winograd2, vec.Winograd4} {
		positions := float64(w.Points * w.Points)
		squares := float64(((lines-1)/w.Size + 1) * ((columns-1)/w.Size + 1))
		work := positions * (squares + winogradPass + squares*winogradMove*(1/float64(in)+1/float64(out)))
		if work < least {
			best, least = w, work
		}
	}
	return best
}

// A winogradRun is one convolution by Winograd's transforms. Its squares are numbered image by image,
// line by line.
type winogradRun struct {
	*vec.Winograd
	sizes         convSizes
	down, across  int // squares of an image
	squares       int // of all images
	panels, panel int // of filters, and columns of one
	row           int // elements from square to square of a position
	together      int // squares of a block
	group         int // panels whose sums are made before they are transformed
	step, sums    int // elements from position to position, of squares and of sums
	memory        int // elements for a block

	ctx      *kernel.Context
	src, dst []float32
	filter   []float32 // transformed
	finish   vec.Finish
	desk     kernel.SharedScratch[float32]
	share    func(lo, hi int)
}

// winogradBytes is about how many bytes of squares and sums a block has: what half of a core's
// second cache holds.
const winogradBytes = 1 << 19

func newWinogradRun(w *vec.Winograd, s *convSizes) *winogradRun {
	r := &winogradRun{Winograd: w, sizes: *s, panel: vec.PanelColumns()}
	r.share = r.blocks
	y, x := &s.axes[1], &s.axes[2]
	r.down, r.across = (y.out-1)/w.Size+1, (x.out-1)/w.Size+1
	r.squares = s.batch * r.down * r.across
	r.panels = (s.out-1)/r.panel + 1
	r.row = w.Whole(s.in)
	if r.row%512 == 0 { // lines of a cache that lie so far apart get into each other's way
		r.row += w.Lanes()
	}
	r.group = min(r.panels, max(1, 128/r.panel))
	rows, each := vec.PanelRows(), w.Points*w.Points*4*(r.row+r.group*r.panel)
	r.together = max(1, winogradBytes/(each*rows)) * rows
	blocks := (r.squares-1)/r.together + 1
	r.together = (r.squares-1)/blocks + 1
	r.step, r.sums = apart(r.together*r.row), apart(r.together*r.group*r.panel)
	r.memory = w.Points*w.Points*(r.step+r.sums+r.row) + w.Temp()
	return r
}

// apart returns a distance of at least n elements at which lines of a cache do not get into each
// other's way.
func apart(n int) int { return (n+31)/32*32 + 16 }

// run computes a convolution; then need not be begun.
func (c *winogradConv) run(ctx *kernel.Context, w *vec.Winograd, s *convSizes, filter *tensor.Value, src, dst []float32, then epilogue) error {
	r := c.last.Swap(nil)
	if r == nil || r.sizes != *s || r.Winograd != w {
		r = newWinogradRun(w, s)
	}
	var scratch tensor.Value
	known, err := c.filters.of(ctx, r, filter)
	switch {
	case err != nil:
		return err
	case known != nil:
		r.filter = known.data
	default:
		if scratch, err = ctx.Alloc(tensor.Float, []int64{int64(r.filterSize())}); err != nil {
			return err
		}
		defer ctx.Free(scratch)
		r.filter = tensor.Of[float32](&scratch)
		r.transform(ctx, r.filter, tensor.Of[float32](filter))
	}
	var parts bool
	if r.finish, parts, err = beginSums(ctx, then); err != nil {
		return err
	}
	blocks := (r.squares-1)/r.together + 1
	if err := r.desk.Open(ctx, tensor.Float, min(blocks, ctx.Step.Pool.Workers()), r.memory); err != nil {
		return err
	}
	defer r.desk.Free(ctx)
	r.ctx, r.src, r.dst = ctx, src, dst
	vec.Expect[float32](ctx.Step.Pool, r.squares*w.Points*w.Points, s.out, s.in)
	ctx.Parallel(blocks, 1, r.share)
	r.ctx, r.src, r.dst, r.filter, r.finish = nil, nil, nil, nil, vec.Finish{}
	c.last.Store(r)
	if parts && ctx.Err() == nil {
		ctx.Parallel(s.pixels(), max(1, elementwise.Grain/s.out), func(lo, hi int) { then.part(lo*s.out, hi*s.out) })
	}
	return ctx.Err()
}

// blocks computes blocks lo to hi.
func (r *winogradRun) blocks(lo, hi int) {
	m := r.desk.Take()
	defer r.desk.GiveBack(m)
	for i := lo; i < hi && r.ctx.Err() == nil; i++ {
		from := i * r.together
		r.block(m, from, min(from+r.together, r.squares))
	}
}

// block computes squares lo to hi.
func (r *winogradRun) block(m []float32, lo, hi int) {
	positions := r.Points * r.Points
	squares, m := m[:positions*r.step], m[positions*r.step:]
	sums, m := m[:positions*r.sums], m[positions*r.sums:]
	temp, patch := m[:r.Temp()], m[r.Temp():]
	for i := lo; i < hi; i++ {
		r.input(squares[(i-lo)*r.row:], i, patch, temp)
	}
	wide := r.group * r.panel
	for first := 0; first < r.panels; first += r.group {
		end := min(first+r.group, r.panels)
		for p := range positions {
			for j := first; j < end; j++ {
				b := r.filter[(j*positions+p)*r.sizes.in*r.panel:][:r.sizes.in*r.panel]
				vec.MultiplyPanel(hi-lo, r.panel, r.sizes.in, squares[p*r.step:], r.row, b, sums[p*r.sums+(j-first)*r.panel:], wide)
			}
		}
		column := first * r.panel
		channels := min(end*r.panel, r.sizes.out) - column
		for i := lo; i < hi; i++ {
			r.output(i, column, channels, sums[(i-lo)*wide:], temp)
		}
	}
}

// place returns the image of a square, and its first line and column of the result.
func (r *winogradRun) place(square int) (image, line, column int) {
	return square / (r.across * r.down), square / r.across % r.down * r.Size, square % r.across * r.Size
}

// input transforms what a square sees of the image.
func (r *winogradRun) input(to []float32, square int, patch, temp []float32) {
	y, x, channels := &r.sizes.axes[1], &r.sizes.axes[2], r.sizes.in
	image, line, column := r.place(square)
	line, column = line-y.before, column-x.before
	from := r.src[image*y.in*x.in*channels:][:y.in*x.in*channels]
	if line >= 0 && column >= 0 && line+r.Points <= y.in && column+r.Points <= x.in {
		r.Input(to, r.step, from[(line*x.in+column)*channels:], x.in*channels, channels, channels, temp)
		return
	}
	width := r.Points * channels
	patch = patch[:r.Points*width]
	left, right := max(-column, 0), min(x.in-column, r.Points)
	for i := range r.Points {
		to := patch[i*width:][:width]
		if line+i < 0 || line+i >= y.in || left >= right {
			clear(to)
			continue
		}
		clear(to[:left*channels])
		copy(to[left*channels:right*channels], from[((line+i)*x.in+column+left)*channels:])
		clear(to[right*channels:])
	}
	r.Input(to, r.step, patch, width, channels, channels, temp)
}

// output transforms the sums of a square, of so many channels from a column on.
func (r *winogradRun) output(square, column, channels int, sums, temp []float32) {
	y, x, out := &r.sizes.axes[1], &r.sizes.axes[2], r.sizes.out
	image, line, first := r.place(square)
	r.Output(r.dst, vec.WinogradSquare{
		At: ((image*y.out+line)*x.out+first)*out + column, Line: x.out * out, Pixel: out,
		Lines: min(r.Size, y.out-line), Columns: min(r.Size, x.out-first), First: column, Channels: channels,
	}, sums, r.sums, &r.finish, temp)
}

// winogradFilters keeps the transform of a filter that does not change: of a constant, or of the
// value of a variable that was the same the last time. What that takes is charged to the session
// until the kernel is gone.
type winogradFilters struct {
	constant bool
	known    atomic.Pointer[winogradFilter]
	making   sync.Mutex
	others   atomic.Int32 // values in a row that were others
}

// A winogradFilter is a transformed filter: for each panel of columns, for each position, its
// rows.
type winogradFilter struct {
	of   tensor.Value // if it is no constant
	size int          // of squares
	data []float32
}

// mostOthers is how many values in a row were others until none is kept.
const mostOthers = 4

// filterSize returns how many elements a transformed filter has.
func (r *winogradRun) filterSize() int {
	return r.panels * r.Points * r.Points * r.sizes.in * r.panel
}

// of returns the transform of a filter; nil if it is not to be kept, or there is no room for it.
func (f *winogradFilters) of(ctx *kernel.Context, r *winogradRun, filter *tensor.Value) (*winogradFilter, error) {
	if k := f.find(r, filter); k != nil || !f.constant && (!filter.Shared() || f.others.Load() > mostOthers) {
		return k, nil
	}
	f.making.Lock()
	defer f.making.Unlock()
	if k := f.find(r, filter); k != nil {
		return k, nil
	}
	bytes := int64(r.filterSize()) * 4
	budget := ctx.Arena.Budget
	if budget.Charge(bytes) != nil {
		return nil, nil
	}
	k := &winogradFilter{size: r.Size, data: make([]float32, r.filterSize())}
	runtime.AddCleanup(k, func(b *tensor.Budget) { b.Release(bytes) }, budget)
	if !f.constant {
		k.of = *filter
		f.others.Add(1)
	}
	r.transform(ctx, k.data, tensor.Of[float32](filter))
	f.known.Store(k)
	return k, ctx.Err()
}

// find returns the transform if it is known.
func (f *winogradFilters) find(r *winogradRun, filter *tensor.Value) *winogradFilter {
	k := f.known.Load()
	if k == nil || k.size != r.Size || !f.constant && k.of != *filter {
		return nil
	}
	if !f.constant && f.others.Load() > 0 {
		f.others.Store(0)
	}
	return k
}

// transform transforms a filter.
func (r *winogradRun) transform(ctx *kernel.Context, to, filter []float32) {
	in, out, positions := r.sizes.in, r.sizes.out, r.Points*r.Points
	ctx.Parallel(in, 1+4096/out, func(lo, hi int) {
		var g [9]float32
		var t [36]float32
		for k := lo; k < hi; k++ {
			for j := range r.panels * r.panel {
				clear(t[:])
				if j < out {
					for i := range g {
						g[i] = filter[(i*in+k)*out+j]
					}
					r.Filter(&t, &g)
				}
				at := to[(j/r.panel*positions*in+k)*r.panel+j%r.panel:]
				for p := range positions {
					at[p*in*r.panel] = t[p]
				}
			}
		}
	})
}
