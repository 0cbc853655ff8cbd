package reduction

import (
	"slices"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// Tile computes rows of products of matrices that lie in the operands with any distances
// between their rows, as those of the heads of attention do: nothing is transposed. A row has
// an axis of one operand, a column one of the other; both have the axes of the images, and
// one that is summed over. Sums are made in its order, whichever operand is the first.
func (k *einsum) Tile(in []kernel.TileInput, inner int) (t kernel.Tiling) {
	if k.dt != tensor.Float || len(in) != 2 {
		return t
	}
	lengths := extent{}
	var terms [2]layout
	for i := range in {
		axes := axesOf(k.inputs[i], len(in[i].Dims))
		if len(axes) != len(in[i].Dims) || in[i].DType != tensor.Float {
			return t
		}
		terms[i] = layout{axes: axes, strides: make([]int, len(axes))}
		for d, next := len(axes)-1, 1; d >= 0; d-- {
			n, a := in[i].Dims[d], axes[d]
			if have, ok := lengths[a]; n == 0 || a < 0 || ok && have != n || slices.Contains(axes[:d], a) {
				return t
			}
			lengths[a] = n
			terms[i].strides[d], next = next, next*int(n)
		}
	}
	output, err := lengths.outputAxes(k.output)
	if err != nil || len(output) < 2 {
		return t
	}
	t.Dims = lengths.dims(output)
	result := layout{axes: output, strides: make([]int, len(output))}
	for d, next := len(output)-1, 1; d >= 0; d-- {
		if slices.Contains(output[:d], output[d]) {
			return kernel.Tiling{}
		}
		result.strides[d], next = next, next*int(t.Dims[d])
	}
	if inner != 1 {
		return t
	}
	p, ok := stridedOf(terms, result, lengths)
	if !ok {
		return t
	}
	t.Work = p.n * p.k
	rows := output[len(output)-2] == p.row && slices.Equal(output[:len(output)-2], p.images)
	if !rows {
		t.Scattered = [2]int{lengths.size(p.images), p.m}
	}
	if p.follows {
		t.Streams = 1 << p.left
	} else if !rows {
		return t // neither way
	}
	t.New = func() kernel.Tile {
		return func(_ *kernel.Context, image, lo, hi int, in [][]float32, out []float32) error {
			x, y, o := in[p.left], in[1-p.left][p.at(image, p.right):], out
			if !p.follows {
				x = x[p.at(image, p.of)+lo*p.lda:]
			}
			if !rows {
				o = o[p.at(image, p.to)+lo*p.ldc:]
			}
			vec.Gemm(nil, false, p.transB, hi-lo, p.n, p.k, x, p.lda, y, p.ldb, o, p.ldc)
			return nil
		}
	}
	return t
}

// A layout is where the elements of a tensor lie, by axis.
type layout struct {
	axes    []axis
	strides []int
}

// stride returns how far apart elements along an axis are; ok is false if there is no such axis.
func (l *layout) stride(a axis) (n int, ok bool) {
	i := slices.Index(l.axes, a)
	if i < 0 {
		return 0, false
	}
	return l.strides[i], true
}

// A strided product is the products of matrices, one for each image.
type stridedProduct struct {
	left          int // the operand that has the rows
	row           axis
	images        []axis
	lengths       []int
	m, n, k       int
	lda, ldb, ldc int
	transB        bool
	follows       bool  // the rows of the left operand follow each other, from image to image
	of, right, to []int // by axis of the images: the strides of both operands and the result
}

// at returns where the matrix of an image begins.
func (p *stridedProduct) at(image int, strides []int) (at int) {
	for i := len(p.lengths) - 1; i >= 0; i-- {
		at += image % p.lengths[i] * strides[i]
		image /= p.lengths[i]
	}
	return at
}

// stridedOf finds the product that terms make; ok is false if they make none. The columns
// are the last axis of the result. Images are in the order of the operand with the rows.
func stridedOf(terms [2]layout, result layout, e extent) (p stridedProduct, ok bool) {
	column := result.axes[len(result.axes)-1]
	switch _, in0 := terms[0].stride(column); {
	case in0:
		p.left = 1
	}
	x, y := terms[p.left], terms[1-p.left]
	var inner []axis
	found := 0
	for _, a := range x.axes {
		_, inY := y.stride(a)
		_, inO := result.stride(a)
		switch {
		case a == column, !inY && !inO:
			return p, false
		case inY && inO:
			p.images = append(p.images, a)
		case inY:
			inner = append(inner, a)
		default:
			p.row = a
			found++
		}
	}
	columns := 0
	for _, a := range y.axes {
		_, inX := x.stride(a)
		if _, inO := result.stride(a); !inX && (!inO || a != column) {
			return p, false
		}
		if a == column {
			columns++
		}
	}
	if found != 1 || columns != 1 || len(inner) != 1 || len(p.images)+2 != len(result.axes) {
		return p, false
	}
	p.m, p.n, p.k = int(e[p.row]), int(e[column]), int(e[inner[0]])
	for _, a := range p.images {
		i, _ := x.stride(a)
		j, _ := y.stride(a)
		o, _ := result.stride(a)
		p.of, p.right, p.to, p.lengths = append(p.of, i), append(p.right, j), append(p.to, o), append(p.lengths, int(e[a]))
	}
	p.lda, _ = x.stride(p.row)
	p.ldc, _ = result.stride(p.row)
	step, _ := x.stride(inner[0])
	down, _ := y.stride(inner[0])
	across, _ := y.stride(column)
	switch {
	case across == 1:
		p.ldb = down
	case down == 1:
		p.ldb, p.transB = across, true
	default:
		return p, false
	}
	p.follows = slices.Equal(x.axes, append(slices.Clone(p.images), p.row, inner[0]))
	// A matrix of one row, column or term may have rows that are closer than they are long.
	return p, step == 1 && p.lda >= p.k && p.ldc >= p.n && (p.transB && p.ldb >= p.k || !p.transB && p.ldb >= p.n)
}
