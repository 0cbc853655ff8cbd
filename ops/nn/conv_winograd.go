package nn

import (
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

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

// A winogradRun is one convolution by Winograd's transforms. Its squares are numbered image by
// image, line by line. They are computed in one of two ways, with the same bits:
//
//   - workers take blocks of squares, from the image to the result, for each of which the filter
//     passes by;
//   - a larger part of the squares is transformed first, by all workers, and then they take
//     columns, each its own part of the filter.
//
// It is the one in which a worker reads less from beyond its second cache.
type winogradRun struct {
	*vec.Winograd
	sizes         convSizes
	down, across  int // squares of an image
	squares       int // of all images
	panels, panel int // of filters, and columns of one
	row           int // elements from square to square of a position
	workers       int
	byColumns     bool
	together      int // squares of a block, or a part
	group         int // panels whose sums are made before they are transformed
	step, sums    int // elements from position to position, of squares and of sums
	memory        int // elements that a worker needs

	ctx      *kernel.Context
	src, dst []float32
	filter   []float32 // transformed
	finish   vec.Finish
	desk     kernel.SharedScratch[float32]
	part     []float32 // transformed squares from lo to hi
	lo, hi   int

	others, some         tensor.Value // a filter that is not kept, the part
	filterDims, someDims [1]int64

	// What a pool calls; made once.
	blocks, inputs, columns func(lo, hi int)
}

const (
	// winogradBlock is about how many bytes of squares and sums a block has, most of a core's
	// second cache, and winogradSums how many of these are sums.
	winogradBlock = 768 << 10
	winogradSums  = 256 << 10
	// winogradPart is how many bytes of squares are transformed before columns are shared out.
	winogradPart = 2 << 20
)

func newWinogradRun(w *vec.Winograd, s *convSizes, workers int) *winogradRun {
	r := &winogradRun{Winograd: w, sizes: *s, panel: vec.PanelColumns(), workers: workers}
	r.blocks, r.inputs, r.columns = r.runBlocks, r.runInputs, r.runColumns
	y, x := &s.axes[1], &s.axes[2]
	r.down, r.across = (y.out-1)/w.Size+1, (x.out-1)/w.Size+1
	r.squares = s.batch * r.down * r.across
	r.panels = (s.out-1)/r.panel + 1
	r.row = w.Whole(s.in)
	if r.row%512 == 0 { // lines of a cache that lie so far apart get into each other's way
		r.row += w.Lanes()
	}
	positions := w.Points * w.Points
	square := positions * r.row * 4 // bytes
	budget := winogradBlock - winogradSums
	if r.filterSize()*4 <= winogradBlock { // which stays there, too
		budget /= 2
	}
	blocks := parts(r.squares, budget/square)
	if blocks < 8*workers { // each worker has as many
		blocks = parts(blocks, workers) * workers
	}
	r.together = parts(r.squares, blocks)
	r.group = max(1, min(r.panels, 128/r.panel, winogradSums/(positions*r.together*r.panel*4)))
	// What each worker reads from beyond its second cache: all of the filter for each block, or its
	// part of the filter and all squares, again and again for each group of its columns.
	pieces := parts(r.squares, winogradPart/square)
	group := max(1, min(r.panels, 128/r.panel, r.panels/(2*workers)))
	byBlocks := parts(blocks, workers) * r.filterSize()
	byColumns := r.filterSize()*pieces/min(workers, r.panels) + r.squares*square/4*parts(parts(r.panels, group), workers)
	if r.byColumns = byColumns < byBlocks && r.filterSize()*4 > winogradBlock; r.byColumns {
		r.group, r.together = group, parts(r.squares, pieces)
	}
	r.layOut()
	return r
}

// layOut finds distances and sizes, once it is known what is computed together.
func (r *winogradRun) layOut() {
	positions := r.Points * r.Points
	r.step, r.sums = apart(r.together*r.row), apart(r.together*r.group*r.panel)
	r.memory = r.Temp() + positions*r.sizes.in + positions*r.sums
	r.filterDims[0], r.someDims[0] = int64(r.filterSize()), int64(positions*r.step)
	if !r.byColumns {
		r.memory += positions * r.step
	}
}

// parts returns how many parts of so many n is.
func parts(n, each int) int { return (n-1)/max(each, 1) + 1 }

// apart returns a distance of at least n elements at which lines of a cache do not get into each
// other's way.
func apart(n int) int { return (n+31)/32*32 + 16 }

// run computes a convolution; then need not be begun.
func (c *winogradConv) run(ctx *kernel.Context, w *vec.Winograd, s *convSizes, filter *tensor.Value, src, dst []float32, then epilogue) error {
	r := c.last.Swap(nil)
	if workers := ctx.Step.Pool.Workers(); r == nil || r.sizes != *s || r.Winograd != w || r.workers != workers {
		r = newWinogradRun(w, s, workers)
	}
	known, err := c.filters.of(ctx, r, filter)
	if err == nil {
		err = r.run(ctx, known, filter, src, dst, then)
	}
	c.last.Store(r)
	return err
}

// run computes a convolution by a filter whose transform is known, or else nil.
func (r *winogradRun) run(ctx *kernel.Context, known *winogradFilter, filter *tensor.Value, src, dst []float32, then epilogue) (err error) {
	defer r.end(ctx)
	r.ctx, r.src, r.dst = ctx, src, dst
	if known != nil {
		r.filter = known.data
	} else {
		if r.others, err = ctx.Alloc(tensor.Float, r.filterDims[:]); err != nil {
			return err
		}
		r.filter = tensor.Of[float32](&r.others)
		r.transform(ctx, r.filter, tensor.Of[float32](filter))
	}
	var byParts bool
	if r.finish, byParts, err = beginSums(ctx, then); err != nil {
		return err
	}
	if err := r.desk.Open(ctx, tensor.Float, r.workers, r.memory); err != nil {
		return err
	}
	defer r.desk.Free(ctx)
	vec.Expect[float32](ctx.Step.Pool, r.squares*r.Points*r.Points, r.sizes.out, r.sizes.in)
	if !r.byColumns {
		ctx.Parallel(parts(r.squares, r.together), 1, r.blocks)
	} else if err := r.runParts(ctx); err != nil {
		return err
	}
	if byParts && ctx.Err() == nil {
		out := r.sizes.out
		ctx.Parallel(len(dst)/out, max(1, elementwise.Grain/out), func(lo, hi int) { then.part(lo*out, hi*out) })
	}
	return ctx.Err()
}

// end releases what the run had.
func (r *winogradRun) end(ctx *kernel.Context) {
	for _, v := range []*tensor.Value{&r.others, &r.some} {
		if !v.IsZero() {
			ctx.Free(*v)
			*v = tensor.Value{}
		}
	}
	r.ctx, r.src, r.dst, r.filter, r.part, r.finish = nil, nil, nil, nil, nil, vec.Finish{}
}

// runBlocks computes blocks lo to hi.
func (r *winogradRun) runBlocks(lo, hi int) {
	m := r.desk.Take()
	defer r.desk.GiveBack(m)
	positions := r.Points * r.Points
	for i := lo; i < hi && r.ctx.Err() == nil; i++ {
		first := i * r.together
		end := min(first+r.together, r.squares)
		squares, rest := m[:positions*r.step], m[positions*r.step:]
		r.transformInputs(squares, first, first, end, rest)
		for j := 0; j < r.panels; j += r.group {
			r.product(squares, first, end, j, min(j+r.group, r.panels), rest)
		}
	}
}

// runParts computes part after part of the squares, each by columns.
func (r *winogradRun) runParts(ctx *kernel.Context) error {
	var err error
	if r.some, err = ctx.Alloc(tensor.Float, r.someDims[:]); err != nil {
		return err
	}
	r.part = tensor.Of[float32](&r.some)
	groups := parts(r.panels, r.group)
	for r.lo = 0; r.lo < r.squares && ctx.Err() == nil; r.lo = r.hi {
		r.hi = min(r.lo+r.together, r.squares)
		ctx.Parallel(r.hi-r.lo, max(1, winogradGrain/(r.Points*r.Points*r.sizes.in)), r.inputs)
		ctx.Parallel(groups, 1, r.columns)
	}
	return nil
}

// winogradGrain is how many elements are worth sharing out.
const winogradGrain = 1 << 15

// runInputs transforms squares lo to hi of the part.
func (r *winogradRun) runInputs(lo, hi int) {
	m := r.desk.Take()
	defer r.desk.GiveBack(m)
	r.transformInputs(r.part, r.lo, r.lo+lo, r.lo+hi, m)
}

// runColumns computes groups lo to hi of the part's columns.
func (r *winogradRun) runColumns(lo, hi int) {
	m := r.desk.Take()
	defer r.desk.GiveBack(m)
	for i := lo; i < hi && r.ctx.Err() == nil; i++ {
		r.product(r.part, r.lo, r.hi, i*r.group, min((i+1)*r.group, r.panels), m)
	}
}

// transformInputs transforms squares lo to hi of the image, into those from first on.
func (r *winogradRun) transformInputs(to []float32, first, lo, hi int, m []float32) {
	temp, patch := m[:r.Temp()], m[r.Temp():]
	for i := lo; i < hi; i++ {
		r.input(to[(i-first)*r.row:], i, patch, temp)
	}
}

// product computes columns of panels from to end, of transformed squares lo to hi.
func (r *winogradRun) product(squares []float32, lo, hi, from, end int, m []float32) {
	positions, in, wide := r.Points*r.Points, r.sizes.in, r.group*r.panel
	temp, sums := m[:r.Temp()], m[r.Temp():]
	for p := range positions {
		for j := from; j < end; j++ {
			b := r.filter[(j*positions+p)*in*r.panel:][:in*r.panel]
			vec.MultiplyPanel(hi-lo, r.panel, in, squares[p*r.step:], r.row, b, sums[p*r.sums+(j-from)*r.panel:], wide)
		}
	}
	column := from * r.panel
	channels := min(end*r.panel, r.sizes.out) - column
	for i := lo; i < hi; i++ {
		r.output(i, column, channels, sums[(i-lo)*wide:], temp)
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

// winogradFilters keeps the transforms of a filter that does not change, by 2×2 and by 4×4: of a
// constant, or of a variable's value. A value after the first is kept when it is met again, as
// it may be one of many. What that takes is charged to the session until the kernel is gone.
type winogradFilters struct {
	constant bool
	known    [2]atomic.Pointer[winogradFilter] // by half of the size of squares
	making   sync.Mutex
	met      [2]weak.Pointer[tensor.Tensor] // the last values that were not known
}

// A winogradFilter is a transformed filter: for each panel of columns, for each position, its
// rows.
type winogradFilter struct {
	of   tensor.Value // if it is no constant
	data []float32
}

// filterSize returns how many elements a transformed filter has.
func (r *winogradRun) filterSize() int {
	return r.panels * r.Points * r.Points * r.sizes.in * r.panel
}

// of returns the transform of a filter; nil if it is not to be kept, or there is no room for it.
func (f *winogradFilters) of(ctx *kernel.Context, r *winogradRun, filter *tensor.Value) (*winogradFilter, error) {
	if k := f.find(r, filter); k != nil || !f.constant && !filter.Shared() {
		return k, nil
	}
	f.making.Lock()
	defer f.making.Unlock()
	k, which := f.find(r, filter), r.Size/4
	if k != nil {
		return k, nil
	}
	if f.known[which].Load() != nil {
		if v := weak.Make(filter.Peek()); v != f.met[which] {
			f.met[which] = v
			return nil, nil
		}
	}
	bytes := int64(r.filterSize()) * 4
	budget := ctx.Arena.Budget
	if budget.Charge(bytes) != nil {
		return nil, nil
	}
	k = &winogradFilter{data: make([]float32, r.filterSize())}
	runtime.AddCleanup(k, func(b *tensor.Budget) { b.Release(bytes) }, budget)
	if !f.constant {
		k.of = *filter
	}
	r.transform(ctx, k.data, tensor.Of[float32](filter))
	f.known[which].Store(k)
	return k, ctx.Err()
}

// find returns the transform if it is known.
func (f *winogradFilters) find(r *winogradRun, filter *tensor.Value) *winogradFilter {
	k := f.known[r.Size/4].Load()
	if k == nil || !f.constant && k.of != *filter {
		return nil
	}
	return k
}

// transform transforms a filter.
func (r *winogradRun) transform(ctx *kernel.Context, to, filter []float32) {
	in, out, positions := r.sizes.in, r.sizes.out, r.Points*r.Points
	ctx.Parallel(in, 1+winogradGrain/(9*out), func(lo, hi int) {
		m := vec.Borrow[float32](r.Temp() + 9*r.panel)
		defer m.GiveBack()
		temp, short := m.Slice()[:r.Temp()], m.Slice()[r.Temp():]
		for k := lo; k < hi; k++ {
			for j := range r.panels {
				from, row := filter[k*out+j*r.panel:], in*out
				if n := out - j*r.panel; n < r.panel { // the last one is filled up
					clear(short)
					for i := range 9 {
						copy(short[i*r.panel:], from[i*row:][:n])
					}
					from, row = short, r.panel
				}
				r.Filters(to[(j*positions*in+k)*r.panel:], in*r.panel, from, 3*row, row, r.panel, temp)
			}
		}
	})
}
