package image

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	scaleFor[int8](tensor.Int8)
	scaleFor[uint8](tensor.Uint8)
	scaleFor[int16](tensor.Int16)
	scaleFor[uint16](tensor.Uint16)
	scaleFor[int32](tensor.Int32)
	scaleFor[int64](tensor.Int64)
	scaleFor[float32](tensor.Float)
	scaleFor[float64](tensor.Double)
	for _, dt := range []tensor.DType{tensor.Half, tensor.Bfloat16} {
		kernel.ForType("ScaleAndTranslate", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			s, err := newScaling(c)
			return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
				wide, err := ctx.Alloc(tensor.Float, in[0].Dims())
				if err != nil {
					return err
				}
				defer ctx.Free(wide)
				elementwise.FromNarrow(tensor.Of[float32](&wide), &in[0], 0)
				return scaleAndTranslate(ctx, s, mixRows[float32], append([]tensor.Value{wide}, in[1:]...), out)
			}), err
		})
	}
}

func scaleFor[T elementwise.Real](dt tensor.DType) { registerScale(dt, mixRows[T]) }

func registerScale(dt tensor.DType, mix mixing) {
	kernel.ForType("ScaleAndTranslate", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
		s, err := newScaling(c)
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			return scaleAndTranslate(ctx, s, mix, in, out)
		}), err
	})
}

// A scaling is how ScaleAndTranslate samples: the weight of a pixel at a distance,
// and the distance from which on it is 0.
type scaling struct {
	weight    func(x float32) float32
	radius    float32
	antialias bool
}

func newScaling(c *kernel.Construction) (scaling, error) {
	s := scaling{antialias: c.Bool("antialias")}
	switch kind := c.Str("kernel_type"); kind {
	case "lanczos1":
		s.radius, s.weight = 1, lanczos(1)
	case "lanczos3":
		s.radius, s.weight = 3, lanczos(3)
	case "lanczos5":
		s.radius, s.weight = 5, lanczos(5)
	case "gaussian":
		s.radius, s.weight = 1.5, gaussian
	case "box":
		s.radius, s.weight = 0.5, box
	case "triangle":
		s.radius, s.weight = 1, func(x float32) float32 { return max(0, 1-x) }
	case "keyscubic":
		s.radius, s.weight = 2, keysCubic
	case "mitchellcubic":
		s.radius, s.weight = 2, mitchellCubic
	default:
		return s, c.Errorf("Unrecognized kernel type: %s", kind)
	}
	return s, nil
}

// The weights below are those of distances that are not negative.

func lanczos(radius float32) func(x float32) float32 {
	return func(x float32) float32 {
		switch {
		case x > radius:
			return 0
		case x <= 1e-3: // the limit
			return 1
		}
		sin := func(x float32) float32 { return float32(math.Sin(float64(x))) }
		return radius * sin(math.Pi*x) * sin(math.Pi*x/radius) / (math.Pi * math.Pi * x * x)
	}
}

// gaussian has a third of its radius as deviation.
func gaussian(x float32) float32 {
	if x >= 1.5 {
		return 0
	}
	const deviation = 0.5
	return float32(math.Exp(float64(-x * x / (2 * deviation * deviation))))
}

func box(x float32) float32 {
	switch {
	case x < 0.5:
		return 1
	case x == 0.5:
		return 0.5
	}
	return 0
}

// keysCubic returns the cubic of R. Keys, "Cubic convolution interpolation for digital
// image processing", 1981.
func keysCubic(x float32) float32 {
	switch {
	case x >= 2:
		return 0
	case x >= 1:
		return ((-0.5*x+2.5)*x-4)*x + 2
	}
	return (1.5*x-2.5)*x*x + 1
}

// mitchellCubic returns the cubic of D. Mitchell and A. Netravali, "Reconstruction
// filters in computer graphics", 1988, with B = C = 1/3.
func mitchellCubic(x float32) float32 {
	switch {
	case x >= 2:
		return 0
	case x >= 1:
		return ((-7.0/18*x+2)*x-10.0/3)*x + 16.0/9
	}
	return (7.0/6*x-2)*x*x + 8.0/9
}

// Spans are which pixels along a dimension make each one of the result, and with
// which weights: width of them for each, of which those behind the edge are 0.
type spans struct {
	first   []int64
	weights []float32
	width   int
}

// spansOf makes the spans of a dimension, in memory of the step that free gives
// back.
func (s scaling) spansOf(ctx *kernel.Context, to, from int, scale, shift float32) (sp spans, free func(), err error) {
	inverse := float32(1 / float64(scale))
	offset := float32(-float64(inverse) * float64(shift))
	wide := float32(1)
	if s.antialias {
		wide = max(inverse, 1)
	}
	reach := s.radius * wide
	sp.width = from
	if span := 2*math.Ceil(float64(reach)) + 1; span < float64(from) {
		sp.width = int(span)
	}
	first, err := ctx.AllocZeroed(tensor.Int64, []int64{int64(to)})
	if err != nil {
		return sp, nil, err
	}
	weights, err := ctx.AllocZeroed(tensor.Float, []int64{int64(to), int64(sp.width)})
	if err != nil {
		return sp, nil, err
	}
	sp.first, sp.weights = tensor.Of[int64](&first), tensor.Of[float32](&weights)
	free = func() {
		ctx.Free(first)
		ctx.Free(weights)
	}
	var credit kernel.Credit
	for i := range to {
		if !credit.Spend(ctx, pixelWork+sp.width) {
			break
		}
		at := (float32(i)+0.5)*inverse + offset
		if !(at >= 0 && at <= float32(from)) {
			continue // nothing is sampled outside of the image
		}
		lo := clamp(math.Ceil(float64(at-reach-0.5)), from)
		hi := clamp(math.Floor(float64(at+reach-0.5)), from) + 1
		row, total := sp.weights[i*sp.width:][:sp.width], float32(0)
		for j := lo; j < min(hi, lo+sp.width); j++ {
			w := s.weight(float32(math.Abs(float64((float32(j) + 0.5 - at) * (1 / wide)))))
			row[j-lo] = w
			total += w
		}
		if math.Abs(float64(total)) >= 1000*0x1p-126 {
			for j := range row {
				row[j] *= 1 / total
			}
		}
		sp.first[i] = int64(lo)
	}
	return sp, free, ctx.Err()
}

// clamp is x as a place among n.
func clamp(x float64, n int) int { return int(min(max(x, 0), float64(n-1))) }

// scaleAndTranslate returns the kernel of ScaleAndTranslate: rows are mixed first,
// then columns.
func scaleAndTranslate(ctx *kernel.Context, s scaling, mix mixing, in, out []tensor.Value) error {
	images, size := &in[0], &in[1]
	if images.Rank() != 4 {
		return status.Invalid("input must be 4-dimensional%s", tensor.FormatDims(images.Dims()))
	}
	if size.Rank() != 1 {
		return status.Invalid("output_shape_t must be 1-dimensional%s", tensor.FormatDims(size.Dims()))
	}
	if size.NumElements() != 2 {
		return status.Invalid("output_shape_t must have two elements%s", tensor.FormatDims(size.Dims()))
	}
	wanted := tensor.Of[int32](size)
	if wanted[0] <= 0 || wanted[1] <= 0 {
		return status.Invalid("output dimensions must be positive")
	}
	scale, shift, err := scaleAndShift(&in[2], &in[3])
	if err != nil {
		return err
	}
	batch, h, w, channels := images.Dim(0), images.Dim(1), images.Dim(2), images.Dim(3)
	if channels == 0 {
		return status.Invalid("image must have at least one channel")
	}
	if h == 0 || w == 0 {
		return status.Invalid("input image must be of non-zero size")
	}
	if out[0], err = ctx.Alloc(tensor.Float, []int64{int64(batch), int64(wanted[0]), int64(wanted[1]), int64(channels)}); err != nil {
		return err
	}
	if batch == 0 {
		return nil
	}
	rows, free, err := s.spansOf(ctx, int(wanted[0]), h, scale[0], shift[0])
	if err != nil {
		return err
	}
	defer free()
	columns, free2, err := s.spansOf(ctx, int(wanted[1]), w, scale[1], shift[1])
	if err != nil {
		return err
	}
	defer free2()
	x, o := images.Memory(), tensor.Of[float32](&out[0])
	line, result := w*channels, int(wanted[1])*channels
	height := int(wanted[0])
	desk, err := kernel.NewDesk[float32](ctx, tensor.Float, min(batch*height, ctx.Step.Pool.Workers()), line)
	if err != nil {
		return err
	}
	defer desk.Free(ctx)
	ctx.Parallel(batch*height, max(1, grain/(line+result)), func(lo, hi int) {
		mixed := desk.Take()
		defer desk.GiveBack(mixed)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			b, y := i/height, i%height
			clear(mixed)
			mix(ctx, &rows, y, x, b*h, mixed, h)
			columns.mixPixels(ctx, mixed, o[i*result:][:result], channels, w)
		}
	})
	return ctx.Err()
}

// scaleAndShift returns the factors and the shifts of height and width.
func scaleAndShift(scales, shifts *tensor.Value) (scale, shift []float32, err error) {
	for _, v := range []*tensor.Value{scales, shifts} {
		switch {
		case v.Rank() != 1:
			return nil, nil, status.Invalid("t must be 1-dimensional%s", tensor.FormatDims(v.Dims()))
		case v.NumElements() != 2:
			return nil, nil, status.Invalid("t must have two elements%s", tensor.FormatDims(v.Dims()))
		}
	}
	scale, shift = tensor.Of[float32](scales), tensor.Of[float32](shifts)
	if !(scale[0] > 0) || !(scale[1] > 0) {
		return nil, nil, status.Invalid("Scale must be greater than zero.")
	}
	return scale, shift, nil
}

// A mixing adds up the rows of an image that make row y. The image has h rows, from row top
// of its batch on.
type mixing func(ctx *kernel.Context, sp *spans, y int, batch tensor.Memory, top int, mixed []float32, h int)

func mixRows[T elementwise.Real](ctx *kernel.Context, sp *spans, y int, batch tensor.Memory, top int, mixed []float32, h int) {
	line, first := len(mixed), int(sp.first[y])
	image := tensor.Elements[T](batch)[top*line:][:h*line]
	for j, weight := range sp.weights[y*sp.width:][:min(sp.width, h-first)] {
		if weight == 0 {
			continue
		}
		row := image[(first+j)*line:][:line]
		for lo, hi := range ctx.Ranges(line, linePart) {
			for i := lo; i < hi; i++ {
				mixed[i] += float32(row[i]) * weight
			}
		}
	}
}

// mixPixels adds up the pixels of a row of w that make each pixel of the result.
func (sp *spans) mixPixels(ctx *kernel.Context, row, to []float32, channels, w int) {
	var credit kernel.Credit
	for x, first := range sp.first {
		if !credit.Spend(ctx, sp.width*channels) {
			ctx.Ask()
		}
		pixel := to[x*channels:][:channels]
		clear(pixel)
		for j, weight := range sp.weights[x*sp.width:][:min(sp.width, w-int(first))] {
			for c, v := range row[(int(first)+j)*channels:][:channels] {
				pixel[c] += v * weight
			}
		}
	}
}
