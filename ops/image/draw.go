package image

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, op := range []string{"DrawBoundingBoxes", "DrawBoundingBoxesV2"} {
		kernel.ForType(op, "T", tensor.Float, plain(drawBoxes))
		kernel.ForType(op, "T", tensor.Half, func(*kernel.Construction) (kernel.Kernel, error) {
			return elementwise.Widen(tensor.Half, kernel.Func(drawBoxes)), nil
		})
	}
}

// boxColors are taken in turn where none are given: yellow, blue, red, lime,
// purple, olive, maroon, navy, aqua and fuchsia.
var boxColors = [][4]float32{
	{1, 1, 0, 1}, {0, 0, 1, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}, {0.5, 0, 0.5, 1},
	{0.5, 0.5, 0, 1}, {0.5, 0, 0, 1}, {0, 0, 0.5, 1}, {0, 1, 1, 1}, {1, 0, 1, 1},
}

func drawBoxes(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() != 4 {
		return status.Invalid("The rank of the images should be 4")
	}
	if in[1].Rank() != 3 {
		return status.Invalid("The rank of the boxes tensor should be 3")
	}
	if in[0].Dim(0) != in[1].Dim(0) {
		return status.Invalid("The batch sizes should be the same")
	}
	if d := in[0].Dim(3); d != 1 && d != 3 && d != 4 {
		return status.Invalid("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
	}
	if in[1].Dim(2) != 4 {
		return status.Invalid("The size of the third dimension of the box must be 4. Received: %d", in[1].Dim(2))
	}
	b, err := batchOf(&in[0], "images")
	if err != nil {
		return err
	}
	colors := boxColors
	if b.depth == 1 {
		colors = [][4]float32{{1, 1, 1, 1}}
	}
	if len(in) > 2 {
		if in[2].Rank() != 2 {
			return status.Invalid("colors must be a 2-D matrix: %s", tensor.FormatDims(in[2].Dims()))
		}
		if in[2].Dim(1) < b.depth {
			return status.Invalid("colors must have equal or more channels than the image provided: %d vs %d", in[2].Dim(1), b.depth)
		}
		if n := in[2].Dim(0); n > 0 {
			colors = make([][4]float32, n)
			for i := range colors {
				copy(colors[i][:], tensor.Of[float32](&in[2])[i*in[2].Dim(1):][:b.depth])
			}
		}
	}
	v, err := ctx.Alloc(tensor.Float, in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	o := tensor.Of[float32](&out[0])
	copy(o, tensor.Of[float32](&in[0]))
	if len(o) == 0 {
		return nil
	}
	boxes, per, image := tensor.Of[float32](&in[1]), in[1].Dim(1), b.height*b.width*b.depth
	for i := range b.n * per {
		if err := ctx.Err(); err != nil {
			return err
		}
		color := colors[i%per%len(colors)]
		b.outline(o[i/per*image:][:image], boxes[4*i:4*i+4], color[:b.depth])
	}
	return nil
}

// outline draws the sides of a box, as far as they are in the image.
func (b batch) outline(image, box, color []float32) {
	var at [4]int
	for i, x := range box {
		size := b.height
		if i%2 == 1 {
			size = b.width
		}
		x *= float32(size - 1)
		if x != x {
			return
		}
		at[i] = int(min(max(x, -1<<30), 1<<30))
	}
	top, left, bottom, right := at[0], at[1], at[2], at[3]
	if top > bottom || left > right || top >= b.height || bottom < 0 || left >= b.width || right < 0 {
		return
	}
	dot := func(y, x int) { copy(image[(y*b.width+x)*b.depth:], color) }
	for x := max(left, 0); x <= min(right, b.width-1); x++ {
		if top >= 0 {
			dot(top, x)
		}
		if bottom < b.height {
			dot(bottom, x)
		}
	}
	for y := max(top, 0); y <= min(bottom, b.height-1); y++ {
		if left >= 0 {
			dot(y, left)
		}
		if right < b.width {
			dot(y, right)
		}
	}
}
