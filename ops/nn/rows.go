package nn

import (
	"slices"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/tensor"
)

// Rows of a convolution or of pooling are computed as those of a lower image, which is the
// lines that their windows see: what is above and below it is padding only where it was that
// of the image. So the kernels are the same.

// lines returns which elements of an axis positions lo to hi see.
func (a *axis) lines(lo, hi int) (from, to int) {
	from = min(max(lo*a.stride-a.before, 0), a.in)
	to = min(max((hi-1)*a.stride-a.before+(a.size-1)*a.dilation+1, from), a.in)
	return from, to
}

// cut returns the axis for positions lo to hi over the elements that they see.
func (a *axis) cut(lo, hi int) axis {
	from, to := a.lines(lo, hi)
	c := *a
	c.in, c.out, c.before = to-from, hi-lo, from-lo*a.stride+a.before
	return c
}

// sees reports whether every position sees an element.
func (a *axis) sees() bool {
	for _, o := range []int{0, a.out - 1} {
		if from, to := a.lines(o, o+1); from >= to || (to-1-(o*a.stride-a.before))/a.dilation < 0 {
			return false
		}
	}
	return a.out > 0 && a.before <= (a.size-1)*a.dilation
}

// A rowwise kernel is a Tiler with an epilogue.
type rowwise interface {
	// rows is [kernel.Tiler.Tile], but for New, in place of which it returns what makes functions
	// that compute rows, of which the epilogue, if there is one, need not be begun.
	rows(in []kernel.TileInput, inner int) (kernel.Tiling, func() rowsFunc)
}

// A rowsFunc computes rows lo to hi of an image.
type rowsFunc func(ctx *kernel.Context, lo, hi int, in [][]float32, out []float32, then epilogue) error

// tile is the Tiling of a kernel without an epilogue.
func tile(k rowwise, in []kernel.TileInput, inner int) kernel.Tiling {
	t, begin := k.rows(in, inner)
	if begin != nil {
		t.New = func() kernel.Tile {
			f := begin()
			return func(ctx *kernel.Context, _, lo, hi int, in [][]float32, out []float32) error {
				return f(ctx, lo, hi, in, out, nil)
			}
		}
	}
	return t
}

// Tile computes lines of a convolution of images of float32 by all channels.
func (c *forwardConv[T]) Tile(in []kernel.TileInput, inner int) kernel.Tiling {
	return tile(c, in, inner)
}

func (c *forwardConv[T]) rows(in []kernel.TileInput, inner int) (t kernel.Tiling, begin func() rowsFunc) {
	f, ok := any(c).(*forwardConv[float32])
	if !ok || f.m.format.Dims != 2 || f.m.op == "Conv" {
		return t, nil
	}
	s, err := f.sizes(in[0].Dims, in[1].Dims)
	if err != nil {
		return t, nil
	}
	t.Dims = f.m.output(nil, in[0].Dims, &s.axes, int64(s.out))
	if f.fast != nil && f.fast.suits(&s) != nil {
		return t, nil // squares of pixels are computed, not lines
	}
	if inner != 2 || s.groups != 1 || !s.axes[1].sees() || !vec.WindowsInAssembly[float32]() {
		return t, nil
	}
	y := s.axes[1]
	t.Streams, t.Work = 1, s.axes[2].out*s.out*s.taps*s.perIn
	t.Rows = func(_, lo, hi int) (int, int) { return y.lines(lo, hi) }
	if s.pointwise() {
		return t, func() rowsFunc {
			return func(ctx *kernel.Context, _, _ int, in [][]float32, out []float32, then epilogue) error {
				return pointwise(ctx, nil, len(out)/s.out, &s, in[0], in[1], out, then)
			}
		}
	}
	return t, func() rowsFunc {
		var known []*prepared[float32]
		return func(ctx *kernel.Context, lo, hi int, in [][]float32, out []float32, then epilogue) error {
			some := s
			some.batch, some.axes[1] = 1, y.cut(lo, hi)
			p := find(&known, &some)
			p.src, p.filter, p.dst, p.then = in[0], in[1], out, then
			err := p.alone(ctx)
			p.src, p.filter, p.dst, p.then = nil, nil, nil, nil
			return err
		}
	}
}

// find returns what the sizes come to, which it keeps.
func find(known *[]*prepared[float32], s *convSizes) *prepared[float32] {
	for _, p := range *known {
		if p.sizes == *s {
			return p
		}
	}
	p := &prepared[float32]{sizes: *s, convolving: convolving[float32]{patches: s.window(), rows: s.pixels(), n: s.out, ldb: s.out, ldc: s.out}}
	*known = append(*known, p)
	return p
}

// alone computes all rows on this goroutine.
func (c *convolving[T]) alone(ctx *kernel.Context) error {
	if d := c.direct(); d != nil {
		return d.alone(ctx)
	}
	width := c.width()
	height := min(c.rows, max(panelRows, panelSize/max(width, 1)))
	m := vec.Borrow[T](height * width)
	defer m.GiveBack()
	for lo := 0; lo < c.rows && ctx.Err() == nil; lo += height {
		c.panel(ctx, nil, m.Slice(), lo, min(lo+height, c.rows))
	}
	return ctx.Err()
}

// alone computes all lines on this goroutine.
func (d *direct[T]) alone(ctx *kernel.Context) error {
	d.ctx, d.height = ctx, d.blockHeight()
	d.fitMemory()
	if err := d.beginAny(ctx); err != nil {
		return err
	}
	d.panels.Open(d.width(), d.n, d.filter, d.ldb, d.rows)
	d.panels.Ended, d.panels.Finish = d.ended, d.finish
	m := vec.Borrow[T](d.size)
	d.blocks(0, d.rows/d.dims[2].n, m.Slice())
	m.GiveBack()
	d.panels.Close()
	d.ctx, d.finish = nil, vec.Finish{}
	return ctx.Err()
}

// Tile computes lines of a depthwise convolution of float32 of which each channel of the
// image makes one of the result.
func (k *depthwise[T]) Tile(in []kernel.TileInput, inner int) kernel.Tiling {
	return tile(k, in, inner)
}

func (k *depthwise[T]) rows(in []kernel.TileInput, inner int) (t kernel.Tiling, begin func() rowsFunc) {
	if k.dt != tensor.Float {
		return t, nil
	}
	s, err := k.sizes(in[0].Dims, in[1].Dims)
	if err != nil {
		return t, nil
	}
	t.Dims = []int64{int64(s.batch), int64(s.y.out), int64(s.x.out), int64(s.out)}
	if inner != 2 || s.per != 1 || !s.y.sees() {
		return t, nil
	}
	y := s.y
	t.Streams, t.Work = 1, s.x.out*s.out*s.taps()
	t.Rows = func(_, lo, hi int) (int, int) { return y.lines(lo, hi) }
	return t, func() rowsFunc {
		some := s
		some.batch = 1
		line := some.tapLine()
		fits := line.Fits()
		return func(ctx *kernel.Context, lo, hi int, in [][]float32, out []float32, then epilogue) error {
			some.y = y.cut(lo, hi)
			if !fits {
				for r := range hi - lo {
					some.line(ctx, r, in[0], in[1], out)
				}
				return ctx.Err()
			}
			finish, parts, err := beginSums(ctx, then)
			if err != nil {
				return err
			}
			for r := range hi - lo {
				some.tapped(line, finish, r, in[0], in[1], out)
				if size := some.x.out * some.out; parts {
					then.part(r*size, (r+1)*size)
				}
			}
			return ctx.Err()
		}
	}
}

// Tile is that of the product, and of the operations that follow it on its rows.
func (k *fusedProduct) Tile(in []kernel.TileInput, inner int) (t kernel.Tiling) {
	head, ok := k.parts[0].Kernel.(rowwise)
	if !ok || k.chain == nil {
		return t
	}
	t, begin := head.rows(in[:2], inner)
	for i := range k.args {
		if dims, err := elementwise.BroadcastDims(t.Dims, in[2+i].Dims); err != nil || !slices.Equal(dims, t.Dims) {
			return kernel.Tiling{} // the product is repeated
		}
	}
	if begin == nil {
		return t
	}
	streams, window := t.Streams, t.Rows
	t.Streams = 0
	images, high, size, _ := kernel.RowsOf(t.Dims, inner)
	columns := int(t.Dims[len(t.Dims)-1])
	args := make([]elementwise.TileOperand, len(k.args))
	for i, how := range k.args {
		v := &in[2+i]
		if args[i], ok = elementwise.TileOperandOf(v, t.Dims, inner); !ok || how != sideInput && (len(v.Dims) != 1 || v.Dims[0] != int64(columns)) {
			return t
		}
		if args[i].Stream {
			streams |= 1 << (2 + i)
		}
	}
	t.Streams, t.Work = streams, t.Work+size*len(k.parts)
	t.Rows = func(i, lo, hi int) (int, int) {
		if i >= 2 || window == nil {
			return lo, hi
		}
		return window(i, lo, hi)
	}
	t.New = func() kernel.Tile {
		product := begin()
		f := &finishRows{fusedProduct: k, columns: columns, whole: images * high * size,
			operands: make([]elementwise.Operand[float32], 1+len(args)+len(k.norms)), factors: make([]float32, len(k.norms)*columns)}
		return func(ctx *kernel.Context, image, lo, hi int, in [][]float32, out []float32) error {
			f.operands[0], f.at = out, (image*high+lo)*size
			for i := range args {
				f.operands[1+i] = args[i].Of(in[2+i], image)
			}
			for i, n := range k.norms {
				factor := f.factors[i*columns:][:columns]
				normFactors(factor, f.operands[1+n.at], f.operands[1+n.at+3], n.epsilon)
				f.operands[1+len(args)+i] = factor
			}
			defer f.end()
			if err := product(ctx, lo, hi, in[:2], out, f); err != nil {
				return k.parts[0].Blame(err)
			}
			if !f.finished && f.pass == nil {
				f.pass = k.chain.OpenPart(out, f.at, f.whole, f.operands)
				f.part(0, len(out))
			}
			return nil
		}
	}
	return t
}

// A finishRows is the operations behind some rows of a product.
type finishRows struct {
	*fusedProduct
	operands  []elementwise.Operand[float32]
	factors   []float32 // of normalizations
	columns   int
	at, whole int // of the rows in the result, and its elements
	pass      *elementwise.Pass[float32]
	finished  bool
}

func (f *finishRows) finish(*kernel.Context) (r vec.Finish, ok bool, err error) {
	if f.plan != nil {
		r, f.finished = f.plan.of(f.operands, f.columns, f.whole)
	}
	return r, f.finished, nil
}

func (f *finishRows) begin(*kernel.Context) (bool, error) {
	f.pass = f.chain.OpenPart(f.operands[0], f.at, f.whole, f.operands)
	return true, nil
}

func (f *finishRows) part(lo, hi int) { f.pass.Part(lo, hi) }

func (f *finishRows) end() {
	if f.pass != nil {
		f.pass.Close()
	}
	clear(f.operands)
	f.pass, f.finished = nil, false
}
