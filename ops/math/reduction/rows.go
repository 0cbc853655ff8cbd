package reduction

import (
	"slices"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/tensor"
)

// Tile computes rows of the products from those of the left matrices, of which the others
// are needed as a whole: so the scores of attention are made, and used, for some queries at a
// time.
func (p *batchMatMul) Tile(in []kernel.TileInput, inner int) (t kernel.Tiling) {
	x, y := in[0].Dims, in[1].Dims
	if p.dt != tensor.Float || p.convert[0] != nil || p.convert[1] != nil || p.round != nil || len(x) < 2 || len(y) < 2 {
		return t
	}
	if !p.broadcast && (len(x) != len(y) || !slices.Equal(x[:len(x)-2], y[:len(y)-2])) {
		return t
	}
	b, err := elementwise.NewBroadcast(x[:len(x)-2], y[:len(y)-2])
	m, n, k, ok := p.sizesOf(x, y)
	if err != nil || !ok {
		return t
	}
	t.Dims = append(slices.Clone(b.Dims), int64(m), int64(n))
	images, _, _, _ := kernel.RowsOf(t.Dims, 1)
	if inner != 1 || p.transA || n == 0 || k == 0 || !slices.Equal(x[:len(x)-2], b.Dims) {
		return t
	}
	right := make([]int, 0, images) // by image: where its right matrix begins
	b.Pairs(0, images, func(_, _, yi int) { right = append(right, yi*k*n) })
	ldy := int(y[len(y)-1])
	t.Streams, t.Work = 1, n*k
	t.New = func() kernel.Tile {
		return func(ctx *kernel.Context, image, lo, hi int, in [][]float32, out []float32) error {
			vec.Gemm(nil, false, p.transB, hi-lo, n, k, in[0], k, in[1][right[image]:], ldy, out, n)
			return nil
		}
	}
	return t
}
