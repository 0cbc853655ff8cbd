package image

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		k := &window{node: c.Node, second: c.Op.Name == "ExtractGlimpseV2", centered: c.Bool("centered"), normalized: c.Bool("normalized"), noise: c.Str("noise")}
		if c.Bool("uniform_noise") && k.noise != "uniform" {
			return nil, c.Errorf("The uniform_noise should not be True when noise is not uniform")
		}
		switch k.noise {
		case "uniform", "gaussian", "zero":
			return k, nil
		}
		return nil, c.Errorf("The noise could only be uniform, gaussian, or zero, got%s", k.noise)
	}, "ExtractGlimpse", "ExtractGlimpseV2")
}

// A window is the kernel of ExtractGlimpse and ExtractGlimpseV2. In the second
// version offsets name the corner of a window, but those that are centered and
// normalized, which name its center in both.
type window struct {
	node                 string
	second               bool
	centered, normalized bool
	noise                string
}

func (k *window) Run(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	images, size, offsets := &in[0], &in[1], &in[2]
	switch {
	case images.Rank() != 4:
		return status.Invalid("input must be 4-dimensional (batch_size, height, width, depth)%s", tensor.FormatDims(images.Dims()))
	case size.Rank() != 1 || size.NumElements() != 2:
		return status.Invalid("input must be a vector of size 2 (height, width)%s", tensor.FormatDims(size.Dims()))
	case offsets.Rank() != 2:
		return status.Invalid("input must be a matrix%s", tensor.FormatDims(offsets.Dims()))
	case offsets.Dim(0) != images.Dim(0):
		return status.Invalid("first dimension should be batch%s", tensor.FormatDims(offsets.Dims()))
	case offsets.Dim(1) != 2:
		return status.Invalid("second dimension should be of size 2 (y,x)%s", tensor.FormatDims(offsets.Dims()))
	}
	wanted := tensor.Of[int32](size)
	for _, n := range wanted {
		if n < 0 {
			return status.Invalid("Expected a non-negative size, got %d", n)
		}
	}
	batch, h, w, channels := images.Dim(0), images.Dim(1), images.Dim(2), images.Dim(3)
	height, width := int(wanted[0]), int(wanted[1])
	if out[0], err = ctx.AllocZeroed(tensor.Float, []int64{int64(batch), int64(height), int64(width), int64(channels)}); err != nil {
		return err
	}
	if k.noise != "zero" {
		if err := k.fill(ctx, images, &out[0]); err != nil {
			return err
		}
	}
	x, o, at := tensor.Of[float32](images), tensor.Of[float32](&out[0]), tensor.Of[float32](offsets)
	for b := range batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		top, ok := k.start(at[2*b], h, height)
		left, ok2 := k.start(at[2*b+1], w, width)
		if !ok || !ok2 {
			continue // far outside
		}
		for y := max(0, -top); y < min(height, h-top); y++ {
			from, to := max(0, -left), min(width, w-left)
			if from >= to {
				break
			}
			copy(o[((b*height+y)*width+from)*channels:][:(to-from)*channels], x[((b*h+top+y)*w+left+from)*channels:])
		}
	}
	return nil
}

// start returns where a window of that size begins in a dimension of n pixels.
func (k *window) start(offset float32, n, size int) (at int, ok bool) {
	if k.normalized {
		offset *= float32(n)
	}
	corner := k.second && !(k.centered && k.normalized)
	switch {
	case k.centered && corner:
		offset += float32(n) / 2
	case k.centered:
		offset = float32(float64(offset)/2 + float64(n)/2)
	}
	if corner {
		size = 0
	}
	x := float64(float32(float64(offset) - float64(size)/2))
	return int(x), math.Abs(x) < 1<<31
}

// fill fills the windows with noise: uniform in [0, 1), or normal with the mean and
// the deviation of each channel of the image, within [0, 255].
func (k *window) fill(ctx *kernel.Context, images, out *tensor.Value) error {
	o, x := tensor.Of[float32](out), tensor.Of[float32](images)
	g, err := philox.Reserve(ctx, k.node, 0, 0, uint64(len(o)))
	if err != nil {
		return err
	}
	numbers := philox.NewSingle(g)
	unit := func() float64 { return float64(numbers.One()) / (1 << 32) }
	if k.noise == "uniform" {
		for i := range o {
			if i%(1<<12) == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			o[i] = float32(numbers.One()>>8) / (1 << 24)
		}
		return nil
	}
	batch, channels := images.Dim(0), images.Dim(3)
	if batch == 0 || channels == 0 {
		return nil
	}
	pixels, area := len(x)/batch/channels, len(o)/batch/channels
	for b := range batch {
		for c := range channels {
			if err := ctx.Err(); err != nil {
				return err
			}
			var sum, squares float64
			for p := range pixels {
				v := float64(x[(b*pixels+p)*channels+c])
				sum += v
				squares += v * v
			}
			mean := sum / float64(pixels)
			deviation := math.Sqrt(max(0, squares/float64(pixels)-mean*mean))
			for p := range area {
				normal := math.Sqrt(-2*math.Log(max(unit(), 1e-7))) * math.Cos(2*math.Pi*unit())
				o[(b*area+p)*channels+c] = float32(min(max(normal*deviation+mean, 0), 255))
			}
		}
	}
	return nil
}
