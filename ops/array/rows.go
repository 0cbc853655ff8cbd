package array

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// Tile computes rows of tensors of float32 that are joined within their rows, as images by
// their channels.
func (k concat) Tile(in []kernel.TileInput, inner int) (t kernel.Tiling) {
	parts, axis := in[:len(in)-1], &in[len(in)-1]
	if k.axisFirst {
		parts, axis = in[1:], &in[0]
	}
	at, ok := constantAxis(axis, len(parts[0].Dims))
	if !ok || len(in) > 64 {
		return t
	}
	dims := slices.Clone(parts[0].Dims)
	for i := range parts {
		d := parts[i].Dims
		if len(d) != len(dims) || parts[i].DType != tensor.Float {
			return t
		}
		for j := range d {
			switch {
			case j != at && d[j] != dims[j]:
				return t
			case j == at && i > 0:
				dims[at] += d[at]
			}
		}
	}
	t.Dims = dims
	row := len(dims) - inner - 1
	if row < 0 || at <= row {
		return t
	}
	lines := product(dims[row+1 : at]) // in a row, each of all parts
	widths := make([]int, len(parts))
	for i := range parts {
		widths[i] = product(parts[i].Dims[at:])
		first := i
		if k.axisFirst {
			first++
		}
		t.Streams |= 1 << first
	}
	width := product(dims[at:])
	t.Work = lines * width
	t.New = func() kernel.Tile {
		return func(_ *kernel.Context, _, lo, hi int, in [][]float32, out []float32) error {
			if k.axisFirst {
				in = in[1:]
			}
			for i, n := range widths {
				x, o := in[i], out
				for range (hi - lo) * lines {
					copy(o[:n], x)
					x, o = x[n:], o[min(width, len(o)):]
				}
				out = out[min(n, len(out)):]
			}
			return nil
		}
	}
	return t
}

// constantAxis returns the dimension that a constant names of so many.
func constantAxis(x *kernel.TileInput, rank int) (at int, ok bool) {
	if x.Constant.IsZero() || x.Constant.Rank() > 1 {
		return 0, false
	}
	a, err := kernel.OnlyInt(&x.Constant, "axis")
	if err != nil {
		return 0, false
	}
	return kernel.Axis(a, rank)
}

func product(dims []int64) int {
	n := 1
	for _, d := range dims {
		n *= int(d)
	}
	return n
}

// A cut of a row is count lines of n elements behind the first before lines, in each from element
// first on, of size.
type cut struct{ before, count, size, first, n int }

// cutOf returns the cut of a row, of one dimension or two, that is size elements from element
// before on along each.
func cutOf(row, before, size []int64) cut {
	last := len(row) - 1
	p := cut{count: 1, size: int(row[last]), first: int(before[last]), n: int(size[last])}
	if last > 0 {
		p.before, p.count = int(before[0]), int(size[0])
	}
	return p
}

// Tile computes rows of a box of float32 that has all images.
func (slice) Tile(in []kernel.TileInput, inner int) (t kernel.Tiling) {
	x := in[0].Dims
	if in[0].DType != tensor.Float || in[1].Constant.IsZero() || in[2].Constant.IsZero() {
		return t
	}
	begin, size, err := boxOf(nil, nil, x, &in[1].Constant, &in[2].Constant)
	if err != nil {
		return t
	}
	t.Dims = size
	row := len(x) - inner - 1
	if row < 0 || !slices.Equal(x[:row], size[:row]) {
		return t
	}
	p := cutOf(x[row+1:], begin[row+1:], size[row+1:])
	from, width := int(begin[row]), product(x[row+1:])
	t.Streams, t.Work = 1, p.count*p.n
	t.Rows = func(_, lo, hi int) (int, int) { return from + lo, from + hi }
	t.New = func() kernel.Tile {
		return func(_ *kernel.Context, _, lo, hi int, in [][]float32, out []float32) error {
			for r := range hi - lo {
				x := in[0][r*width:][p.before*p.size:]
				for range p.count {
					copy(out[:p.n], x[p.first:])
					x, out = x[p.size:], out[p.n:]
				}
			}
			return nil
		}
	}
	return t
}

// Tile computes rows of float32 with something around them, where images have nothing between
// them.
func (padding) Tile(in []kernel.TileInput, inner int) (t kernel.Tiling) {
	x := in[0].Dims
	if in[0].DType != tensor.Float || in[1].Constant.IsZero() || len(in) > 2 && len(in[2].Dims) != 0 {
		return t
	}
	around, dims, err := paddings(x, &in[1].Constant)
	if err != nil {
		return t
	}
	if _, err := tensor.NumElements(tensor.Float, dims); err != nil {
		return t
	}
	t.Dims = dims
	row := len(x) - inner - 1
	if row < 0 || !slices.Equal(x[:row], dims[:row]) || slices.Contains(x, 0) {
		return t
	}
	before := make([]int64, inner)
	for i := range before {
		before[i] = around[2*(row+1+i)]
	}
	p := cutOf(dims[row+1:], before, x[row+1:])
	above, high, width, given := int(around[2*row]), int(x[row]), product(dims[row+1:]), product(x[row+1:])
	t.Streams, t.Work = 1, width
	t.Rows = func(_, lo, hi int) (from, to int) { // one at least
		from = min(max(lo-above, 0), high-1)
		return from, max(min(hi-above, high), from+1)
	}
	t.New = func() kernel.Tile {
		return func(_ *kernel.Context, _, lo, hi int, in [][]float32, out []float32) error {
			fill := float32(0)
			if len(in) > 2 {
				fill = in[2][0]
			}
			x := in[0]
			for r := lo - above; r < hi-above; r++ {
				o := out[:width]
				if out = out[width:]; r < 0 || r >= high {
					repeat(o, fill)
					continue
				}
				repeat(o[:p.before*p.size], fill)
				o = o[p.before*p.size:]
				for k := range p.count {
					repeat(o[:p.first], fill)
					copy(o[p.first:], x[k*p.n:][:p.n])
					repeat(o[p.first+p.n:p.size], fill)
					o = o[p.size:]
				}
				repeat(o, fill)
				x = x[given:]
			}
			return nil
		}
	}
	return t
}

// Tile computes lines of images: of a line of the input come those of a block.
func (k depthToSpace) Tile(in []kernel.TileInput, inner int) (t kernel.Tiling) {
	x := in[0].Dims
	dims, err := k.dims(x)
	if err != nil || in[0].DType != tensor.Float {
		return t
	}
	if _, err := tensor.NumElements(tensor.Float, dims[:]); err != nil {
		return t
	}
	if t.Dims = dims[:]; inner != 2 {
		return t
	}
	size, n := int(k.size), int(k.size*dims[3])
	wide, depth := int(x[2]), int(x[3])
	t.Streams, t.Work = 1, wide*n
	t.Rows = func(_, lo, hi int) (int, int) { return lo / size, (hi-1)/size + 1 }
	t.New = func() kernel.Tile {
		return func(_ *kernel.Context, _, lo, hi int, in [][]float32, out []float32) error {
			first := lo / size
			for r := lo; r < hi; r++ {
				x := in[0][(r/size-first)*wide*depth:]
				at := r % size * n
				for i := range wide {
					copy(out[i*n:][:n], x[i*depth+at:])
				}
				out = out[wide*n:]
			}
			return nil
		}
	}
	return t
}

// Elementwise says that it moves elements.
func (depthToSpace) Elementwise() {}

// Elementwise says that it moves elements.
func (concat) Elementwise() {}

// Elementwise says that it moves elements.
func (slice) Elementwise() {}

// Elementwise says that it moves elements.
func (padding) Elementwise() {}

func repeat(o []float32, x float32) {
	for i := range o {
		o[i] = x
	}
}
