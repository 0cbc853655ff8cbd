package image

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// A bilinear is the kernel of ResizeBilinear.
type bilinear struct{ *sampling }

// Run resizes images.
func (k bilinear) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return k.bilinear(ctx, in, out)
}

// mostTable is how many elements the tables of an image have at most that is resized line by line.
const mostTable = 1 << 16

// Tile computes lines of images of float32 whose new size is a constant.
func (k bilinear) Tile(in []kernel.TileInput, inner int) (t kernel.Tiling) {
	x, size := in[0].Dims, in[1].Constant
	if in[0].DType != tensor.Float || len(x) != 4 || x[1] <= 0 || x[2] <= 0 || x[3] <= 0 || size.IsZero() {
		return t
	}
	height, width, err := sizeOf(&size, "shape_t")
	if err != nil {
		return t
	}
	t.Dims = []int64{x[0], int64(height), int64(width), x[3]}
	depth, wide := int(x[3]), width*int(x[3])
	if inner != 2 || wide == 0 || height == 0 || wide > mostTable || height > mostTable {
		return t
	}
	high, down := int(x[1]), k.scale(int(x[1]), height)
	at := func(i int) blend { return k.blend(i, high, down) }
	t.Streams, t.Work = 1, 4*wide
	t.Rows = func(_, lo, hi int) (int, int) { return at(lo).lower, at(hi-1).upper + 1 }
	t.New = func() kernel.Tile {
		row := blendedRow{depth: depth, blends: make([]blend, width), factors: make([]float32, wide)}
		across := k.scale(int(x[2]), width)
		for i := range row.blends {
			row.blends[i] = k.blend(i, int(x[2]), across)
		}
		for i := range row.factors {
			row.factors[i] = row.blends[i/depth].lerp
		}
		b := blender{row: &row, width: int(x[2]) * depth, above: make([]float32, wide), below: make([]float32, wide)}
		return func(ctx *kernel.Context, _, lo, hi int, in [][]float32, out []float32) error {
			first := at(lo).lower
			b.top, b.bottom = -1, -1
			for i := lo; i < hi; i++ {
				v := at(i)
				v.lower, v.upper = v.lower-first, v.upper-first
				b.line(out[(i-lo)*wide:][:wide], in[0], v)
			}
			return nil
		}
	}
	return t
}
