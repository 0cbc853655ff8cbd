package elementwise

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// Tile says how rows of the result are computed, of float32: each from those with the same
// numbers of the operands that have the result's shape. What others have is repeated within
// a row, or has a row for each image.
func (f *Fused[T]) Tile(in []kernel.TileInput, inner int) kernel.Tiling {
	if f, ok := any(f).(*Fused[float32]); ok && f.chain != nil {
		return f.tiling(in, inner)
	}
	return kernel.Tiling{}
}

func (f *Fused[T]) tiling(in []kernel.TileInput, inner int) (t kernel.Tiling) {
	dims := in[0].Dims
	for i := range in {
		var err error
		if dims, err = BroadcastDims(dims, in[i].Dims); err != nil {
			return t
		}
	}
	if f.alike != nil {
		var whole []bool
		for i := range in {
			whole = append(whole, equal(in[i].Dims, dims))
		}
		if !f.allAlike(whole) {
			return t
		}
	}
	t.Dims = dims
	operands := make([]TileOperand, len(in))
	for i := range in {
		var ok bool
		if operands[i], ok = TileOperandOf(&in[i], dims, inner); !ok {
			return t
		}
	}
	if chain, ok := any(f.chain).(*Chain[float32]); ok {
		if t.Streams = chain.streams(operands); t.Streams == 0 {
			return t
		}
		t.Work = len(f.parts) * rowSize(dims, inner)
		size := rowSize(dims, inner)
		t.New = func() kernel.Tile {
			list := make([]Operand[float32], len(operands))
			return func(_ *kernel.Context, image, lo, hi int, in [][]float32, out []float32) error {
				for i := range operands {
					list[i] = operands[i].Of(in[i], image)
				}
				chain.Rows(out, dims, inner, size, image, lo, list)
				clear(list)
				return nil
			}
		}
	}
	return t
}

// Rows computes the rows o of a result of shape dims, from row lo of an image on, each of
// so many elements.
func (c *Chain[T]) Rows(o []T, dims []int64, inner, size, image, lo int, operands []Operand[T]) {
	images, rows, _, _ := kernel.RowsOf(dims, inner)
	p := c.OpenPart(o, (image*rows+lo)*size, images*rows*size, operands)
	defer p.Close()
	p.Part(0, len(o))
}

// rowSize returns how many elements a row has.
func rowSize(dims []int64, inner int) int {
	_, _, width, _ := kernel.RowsOf(dims, inner)
	return width
}

// A TileOperand is how an operand of a chain is taken where rows are computed.
type TileOperand struct {
	Stream bool // row by row
	image  int  // elements for each image; 0: it is the same for all
}

// TileOperandOf returns how an operand of a result of shape dims is taken; ok is false if
// that cannot be row by row.
func TileOperandOf(in *kernel.TileInput, dims []int64, inner int) (o TileOperand, ok bool) {
	at := len(dims) - inner - 1
	if in.DType != tensor.Float || at < 0 || len(in.Dims) > len(dims) {
		return o, false
	}
	if slices.Equal(in.Dims, dims) {
		return TileOperand{Stream: true}, true
	}
	front := len(dims) - len(in.Dims)
	own := in.Dims
	for len(own) > inner+1 && own[0] == 1 {
		own = own[1:]
	}
	switch images := own[:max(len(own)-inner-1, 0)]; {
	case len(images) == 0:
	case front == 0 && slices.Equal(images, dims[:at]):
		o.image = -1
		own = own[len(images):]
	default:
		return o, false
	}
	if len(own) == inner+1 {
		if own[0] != 1 { // as long as an image, or the only one
			if o.image == 0 && !slices.ContainsFunc(dims[:at], func(d int64) bool { return d != 1 }) && slices.Equal(own, dims[at:]) {
				return TileOperand{Stream: true}, true
			}
			return o, false
		}
		own = own[1:]
	}
	for len(own) > 0 && own[0] == 1 {
		own = own[1:]
	}
	if !slices.Equal(own, dims[len(dims)-len(own):]) {
		return o, false
	}
	if o.image < 0 {
		o.image = 1
		for _, d := range own {
			o.image *= int(d)
		}
	}
	return o, true
}

// Of returns the operand for rows of an image: x is these rows, or all.
func (t *TileOperand) Of(x []float32, image int) Operand[float32] {
	if t.image > 0 {
		return x[image*t.image:][:t.image]
	}
	return x
}

// streams returns which operands are taken row by row; 0 if a link has none.
func (c *Chain[T]) streams(operands []TileOperand) (set uint64) {
	for i := range operands {
		if operands[i].Stream && i < 64 {
			set |= 1 << i
		}
	}
	long := func(i int) bool { return i >= c.operands || operands[i].Stream }
	for i := range c.links {
		if l := &c.links[i]; !long(l.X) && (l.Two == nil || !long(l.Y)) {
			return 0
		}
	}
	return set
}

// Tile is that of a chain of this operation alone.
func (m *Map[T, R]) Tile(in []kernel.TileInput, inner int) kernel.Tiling {
	if m.In != tensor.Float || m.Out != tensor.Float {
		return kernel.Tiling{}
	}
	return TileAlone(m, in, inner)
}

// Tile is that of a chain of this operation alone.
func (z *Zip[T, R]) Tile(in []kernel.TileInput, inner int) kernel.Tiling {
	if z.In != tensor.Float || z.Out != tensor.Float {
		return kernel.Tiling{}
	}
	return TileAlone(z, in, inner)
}

// Elementwise says that it is.
func (f *Fused[T]) Elementwise() {}

// Elementwise says that it is.
func (m *Map[T, R]) Elementwise() {}

// Elementwise says that it is.
func (z *Zip[T, R]) Elementwise() {}

// TileLinks is the Tiling of a chain of links.
func TileLinks(links []Link[float32], in []kernel.TileInput, inner int) kernel.Tiling {
	f := Fused[float32]{chain: NewChain(len(in), links), parts: make([]Part, len(links))}
	return f.tiling(in, inner)
}

// TileAlone is the Tiling of an elementwise kernel on float32 whose loops a [Chain] can have.
func TileAlone(k kernel.Kernel, in []kernel.TileInput, inner int) kernel.Tiling {
	p := Part{Kernel: k}
	for i := range in {
		p.In = append(p.In, i)
	}
	return NewFused[float32](tensor.Float, len(in), []Part{p}).Tile(in, inner)
}
