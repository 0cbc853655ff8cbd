package image

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, dt := range elementwise.Floats {
		kernel.ForType("RGBToHSV", "T", dt, func(*kernel.Construction) (kernel.Kernel, error) {
			return colors(dt, toHSV[float32], toHSV[float64]), nil
		})
		kernel.ForType("HSVToRGB", "T", dt, func(*kernel.Construction) (kernel.Kernel, error) {
			return colors(dt, toRGB[float32], toRGB[float64]), nil
		})
	}
	kernel.ForType("AdjustContrastv2", "T", tensor.Float, plain(adjustContrast))
	kernel.ForType("AdjustHue", "T", tensor.Float, plain(func(ctx *kernel.Context, in, out []tensor.Value) error {
		return adjust(ctx, in, out, "delta", func(h, s, v, delta float32) (float32, float32, float32) {
			h += delta
			return h - floor(h), s, v
		})
	}))
	kernel.ForType("AdjustSaturation", "T", tensor.Float, plain(func(ctx *kernel.Context, in, out []tensor.Value) error {
		return adjust(ctx, in, out, "scale", func(h, s, v, scale float32) (float32, float32, float32) {
			return h, min(max(s*scale, 0), 1), v
		})
	}))
}

func plain(f kernel.Func) kernel.Factory {
	return func(*kernel.Construction) (kernel.Kernel, error) { return f, nil }
}

func floor(x float32) float32 {
	f := float32(int64(x))
	if f > x {
		f--
	}
	return f
}

// toHSV turns red, green and blue into hue, saturation and value. A gray has no
// hue: it is 0.
func toHSV[T elementwise.Float](r, g, b T) (h, s, v T) {
	v = max(r, g, b)
	span := v - min(r, g, b)
	if v > 0 {
		s = span / v
	}
	if !(span > 0) {
		return 0, s, v
	}
	norm := 1 / (6 * span)
	switch v {
	case r:
		h = norm * (g - b)
	case g:
		h = norm*(b-r) + 2.0/6
	default:
		h = norm*(r-g) + 4.0/6
	}
	if h < 0 {
		h++
	}
	return h, s, v
}

// toRGB turns hue, saturation and value into red, green and blue.
func toRGB[T elementwise.Float](h, s, v T) (r, g, b T) {
	h *= 6
	part := func(x T) T { return (1 - s + s*min(max(x, 0), 1)) * v }
	return part(abs(h-3) - 1), part(2 - abs(h-2)), part(2 - abs(h-4))
}

func abs[T elementwise.Float](x T) T { return max(x, -x) }

// colors makes a kernel of a function on pixels of three components.
func colors(dt tensor.DType, narrow func(a, b, c float32) (float32, float32, float32), wide func(a, b, c float64) (float64, float64, float64)) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return pixelwise(narrow)
	case tensor.Double:
		return pixelwise(wide)
	}
	return elementwise.Widen(dt, pixelwise(narrow))
}

func pixelwise[T elementwise.Float](f func(a, b, c T) (T, T, T)) kernel.Kernel {
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		dims := in[0].Dims()
		if len(dims) < 1 {
			return status.Invalid("input must be at least 1D%s", tensor.FormatDims(dims))
		}
		if dims[len(dims)-1] != 3 {
			return status.Errorf(status.FailedPrecondition, "input must have 3 channels but input only has %d channels.", dims[len(dims)-1])
		}
		v, err := ctx.Alloc(in[0].DType(), dims)
		if err != nil {
			return err
		}
		out[0] = v
		pixels(ctx, tensor.Of[T](&out[0]), tensor.Of[T](&in[0]), f)
		return ctx.Err()
	})
}

func pixels[T elementwise.Float](ctx *kernel.Context, o, x []T, f func(a, b, c T) (T, T, T)) {
	ctx.Parallel(len(x)/3, grain/3, func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		for i := 3 * lo; i < 3*hi; i += 3 {
			o[i], o[i+1], o[i+2] = f(x[i], x[i+1], x[i+2])
		}
	})
}

// adjust changes hue, saturation and value of RGB images by f, which is also
// given the second input, a scalar.
func adjust(ctx *kernel.Context, in, out []tensor.Value, what string, f func(h, s, v, by float32) (float32, float32, float32)) error {
	dims := in[0].Dims()
	if len(dims) < 3 {
		return status.Invalid("input must be at least 3-D, got shape%s", tensor.FormatDims(dims))
	}
	if in[1].Rank() != 0 {
		return status.Invalid("%s must be scalar: %s", what, tensor.FormatDims(in[1].Dims()))
	}
	if dims[len(dims)-1] != 3 {
		return status.Invalid("input must have 3 channels but instead has %d channels.", dims[len(dims)-1])
	}
	v, err := ctx.Alloc(tensor.Float, dims)
	if err != nil {
		return err
	}
	out[0] = v
	by := tensor.At0[float32](&in[1])
	pixels(ctx, tensor.Of[float32](&out[0]), tensor.Of[float32](&in[0]), func(r, g, b float32) (float32, float32, float32) {
		h, s, v := toHSV(r, g, b)
		return toRGB(f(h, s, v, by))
	})
	return ctx.Err()
}

// adjustContrast scales each channel's distances from its mean.
func adjustContrast(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[0].Dims()
	if len(dims) < 3 {
		return status.Invalid("input must be at least 3-D, got shape%s", tensor.FormatDims(dims))
	}
	if in[1].Rank() != 0 {
		return status.Invalid("contrast_factor must be scalar: %s", tensor.FormatDims(in[1].Dims()))
	}
	v, err := ctx.Alloc(tensor.Float, dims)
	if err != nil {
		return err
	}
	out[0] = v
	x, o := tensor.Of[float32](&in[0]), tensor.Of[float32](&out[0])
	if len(x) == 0 {
		return nil
	}
	factor, n := tensor.At0[float32](&in[1]), len(dims)
	depth := int(dims[n-1])
	image := int(dims[n-3]*dims[n-2]) * depth
	piece := max(1, contrastPiece/depth) * depth // elements that are added up before their sums are
	pieces, images := (image+piece-1)/piece, len(x)/image
	defer ctx.UnreserveTo(ctx.Reserved())
	if err := ctx.Reserve(8 * depth * pieces * images); err != nil {
		return err
	}
	sums := make([]float64, depth*pieces*images)
	each := func(do func(image, piece int, from, to []float32)) error {
		ctx.Parallel(pieces*images, 1, func(lo, hi int) {
			for p := lo; p < hi && ctx.Err() == nil; p++ {
				i, j := p/pieces, p%pieces*piece
				n := min(piece, image-j)
				do(i, p, x[i*image+j:][:n], o[i*image+j:][:n])
			}
		})
		return ctx.Err()
	}
	if err := each(func(_, piece int, from, _ []float32) {
		sumChannels(sums[piece*depth:][:depth], from)
	}); err != nil {
		return err
	}
	means := make([]float32, depth*images)
	for i := range images {
		for c := range depth {
			sum := 0.0
			for p := range pieces {
				sum += sums[(i*pieces+p)*depth+c]
			}
			means[i*depth+c] = float32(sum / float64(image/depth))
		}
	}
	return each(func(image, _ int, from, to []float32) {
		var room [contrastRun]float32
		mean, run := means[image*depth:][:depth], room[:0]
		for len(run)+depth <= len(room) {
			run = append(run, mean...)
		}
		if len(run) == 0 {
			run = mean
		}
		for len(from) > 0 {
			n := min(len(run), len(from))
			vec.Sub(to[:n], from[:n], run[:n])
			vec.MulScalar(to[:n], to[:n], factor)
			vec.Add(to[:n], to[:n], run[:n])
			from, to = from[n:], to[n:]
		}
	})
}

const (
	contrastPiece = 1 << 14
	contrastRun   = 1 << 9 // means that are repeated for as many channels
)

// sumChannels adds to sums the pixels of x, which have as many channels.
func sumChannels(sums []float64, x []float32) {
	if len(sums) == 3 {
		var a, b, c float64
		for ; len(x) >= 3; x = x[3:] {
			a, b, c = a+float64(x[0]), b+float64(x[1]), c+float64(x[2])
		}
		sums[0], sums[1], sums[2] = a, b, c
		return
	}
	for ; len(x) > 0; x = x[len(sums):] {
		for c, v := range x[:len(sums)] {
			sums[c] += float64(v)
		}
	}
}
