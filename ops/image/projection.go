package image

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, op := range []string{"ImageProjectiveTransformV2", "ImageProjectiveTransformV3"} {
		kernel.ForType(op, "dtype", tensor.Uint8, newProjection[uint8])
		kernel.ForType(op, "dtype", tensor.Int32, newProjection[int32])
		kernel.ForType(op, "dtype", tensor.Int64, newProjection[int64])
		kernel.ForType(op, "dtype", tensor.Float, newProjection[float32])
		kernel.ForType(op, "dtype", tensor.Double, newProjection[float64])
		for _, dt := range []tensor.DType{tensor.Half, tensor.Bfloat16} {
			kernel.ForType(op, "dtype", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
				k, err := newProjection[float32](c)
				if err != nil {
					return nil, err
				}
				k.(*projection[float32]).dt = tensor.Float
				return elementwise.Widen(dt, k), nil
			})
		}
	}
}

// A projection is the kernel of ImageProjectiveTransform: pixel (x, y) of the
// result is that of the input at (a0·x + a1·y + a2)/k, (b0·x + b1·y + b2)/k,
// where k is c0·x + c1·y + 1.
type projection[T elementwise.Real] struct {
	bilinear bool
	place    func(at float32, size int) float32 // where a coordinate beyond the edge is taken from
	dt       tensor.DType
}

func newProjection[T elementwise.Real](c *kernel.Construction) (kernel.Kernel, error) {
	k := &projection[T]{dt: c.Type("dtype")}
	switch method := c.Str("interpolation"); method {
	case "NEAREST":
	case "BILINEAR":
		k.bilinear = true
	default:
		return nil, c.Errorf("Invalid interpolation %s. Supported types: NEAREST, BILINEAR", method)
	}
	switch mode := c.Str("fill_mode"); mode {
	case "REFLECT":
		k.place = reflected
	case "WRAP":
		k.place = wrapped
	case "CONSTANT":
		k.place = func(at float32, _ int) float32 { return at }
	case "NEAREST":
		k.place = within
	default:
		return nil, c.Errorf("Invalid mode %s. Supported types: REFLECT, WRAP, CONSTANT, NEAREST", mode)
	}
	return k, nil
}

// within returns the place of [0, size-1] nearest to at.
func within(at float32, size int) float32 { return min(max(at, 0), float32(size-1)) }

// reflected mirrors the image at its edges: dcba|abcd|dcba.
func reflected(at float32, size int) float32 {
	twice := float32(2 * size)
	switch {
	case size <= 1:
		at = 0
	case at < 0:
		if at < twice {
			at += twice * truncated(-at/twice)
		}
		if at < -float32(size) {
			at += twice
		} else {
			at = -at - 1
		}
	case at > float32(size-1):
		at -= twice * truncated(at/twice)
		if at >= float32(size) {
			at = twice - at - 1
		}
	}
	return within(at, size)
}

// wrapped repeats the image: abcd|abcd|abcd.
func wrapped(at float32, size int) float32 {
	span := float32(size - 1)
	switch {
	case size <= 1:
		at = 0
	case at < 0:
		at += float32(size) * (truncated(-at/span) + 1)
	case at > span:
		at -= float32(size) * truncated(at/span)
	}
	return within(at, size)
}

func truncated(x float32) float32 { return float32(math.Trunc(float64(x))) }

func (k *projection[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	from, err := batchOf(&in[0], "input images")
	if err != nil {
		return err
	}
	if t := in[1].Dims(); len(t) != 2 || t[0] != 1 && t[0] != int64(from.n) || t[1] != 8 {
		return status.Invalid("Input transform should be num_images x 8 or 1 x 8")
	}
	to := from
	if in[2].Rank() != 1 || in[2].NumElements() != 2 {
		return status.Invalid("output shape must be 1-dimensional with two elements%s", tensor.FormatDims(in[2].Dims()))
	}
	size := tensor.Of[int32](&in[2])
	if size[0] <= 0 || size[1] <= 0 {
		return status.Invalid("output dimensions must be positive")
	}
	to.height, to.width = int(size[0]), int(size[1])
	fill := T(0)
	if len(in) > 3 {
		if in[3].Rank() != 0 {
			return status.Invalid("fill_value must be a scalar%s", tensor.FormatDims(in[3].Dims()))
		}
		fill = T(tensor.At0[float32](&in[3]))
	}
	if out[0], err = ctx.Alloc(k.dt, to.dims()); err != nil {
		return err
	}
	x, o, transforms := tensor.Of[T](&in[0]), tensor.Of[T](&out[0]), tensor.Of[float32](&in[1])
	depth := from.depth
	return to.lines(ctx, func(n, y int) {
		t := transforms
		if in[1].Dim(0) > 1 {
			t = t[8*n:]
		}
		image := sampled[T]{x[n*from.height*from.width*depth:][:from.height*from.width*depth], from, fill}
		row := o[(n*to.height+y)*to.width*depth:]
		for i := range to.width {
			pixel := row[i*depth:][:depth]
			fx, fy := float32(i), float32(y)
			scale := t[6]*fx + t[7]*fy + 1
			if scale == 0 {
				for c := range pixel {
					pixel[c] = fill
				}
				continue
			}
			ix := k.place((t[0]*fx+t[1]*fy+t[2])/scale, from.width)
			iy := k.place((t[3]*fx+t[4]*fy+t[5])/scale, from.height)
			for c := range pixel {
				if k.bilinear {
					pixel[c] = image.blend(iy, ix, c)
				} else {
					pixel[c] = image.at(math.Round(float64(iy)), math.Round(float64(ix)), c)
				}
			}
		}
	})
}

// A sampled is an image that is fill beyond its edges.
type sampled[T elementwise.Real] struct {
	x []T
	batch
	fill T
}

func (s *sampled[T]) at(y, x float64, c int) T {
	if !(y >= 0 && y < float64(s.height) && x >= 0 && x < float64(s.width)) {
		return s.fill
	}
	return s.x[(int(y)*s.width+int(x))*s.depth+c]
}

// blend returns the mean of the four pixels around a place, weighted by nearness.
func (s *sampled[T]) blend(y, x float32, c int) T {
	top, left := math.Floor(float64(y)), math.Floor(float64(x))
	v, h := y-float32(top), x-float32(left)
	above := (1-h)*float32(s.at(top, left, c)) + h*float32(s.at(top, left+1, c))
	below := (1-h)*float32(s.at(top+1, left, c)) + h*float32(s.at(top+1, left+1, c))
	return T((1-v)*above + v*below)
}
