package layers

import (
	"github.com/troupe-go/troupe/op"
	_ "github.com/troupe-go/troupe/ops/image" // resizing
	tf "github.com/troupe-go/troupe/session"
)

// ZeroPadding1D adds steps of zeros; the input is [examples, time, channels].
type ZeroPadding1D struct {
	Name        string
	Left, Right int32
}

// Label is the layer's name or kind.
func (l *ZeroPadding1D) Label() (name, kind string) { return l.Name, "zero_padding1d" }

// Call adds the layer.
func (l *ZeroPadding1D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok || !c.rank(x, 3) || !c.notNegative(l.Left, l.Right) {
		return x
	}
	return op.Pad(c.Scope, x, op.Const(c.Scope, [][]int32{{0, 0}, {l.Left, l.Right}, {0, 0}}))
}

// ZeroPadding2D adds rows and columns of zeros.
type ZeroPadding2D struct {
	Name                     string
	Top, Bottom, Left, Right int32
}

// Label is the layer's name or kind.
func (l *ZeroPadding2D) Label() (name, kind string) { return l.Name, "zero_padding2d" }

// Call adds the layer.
func (l *ZeroPadding2D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok || !c.rank(x, 4) || !c.notNegative(l.Top, l.Bottom, l.Left, l.Right) {
		return x
	}
	return op.Pad(c.Scope, x, op.Const(c.Scope, [][]int32{{0, 0}, {l.Top, l.Bottom}, {l.Left, l.Right}, {0, 0}}))
}

func (c *Context) notNegative(list ...int32) bool {
	for _, n := range list {
		if n < 0 && c.Scope.Err() == nil {
			c.Fail("the edges are %v, but must not be negative", list)
		}
	}
	return c.Scope.Err() == nil
}

// Cropping1D removes steps at both ends; the input is [examples, time, channels].
type Cropping1D struct {
	Name        string
	Left, Right int32
}

// Label is the layer's name or kind.
func (l *Cropping1D) Label() (name, kind string) { return l.Name, "cropping1d" }

// Call adds the layer.
func (l *Cropping1D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok || !c.rank(x, 3) || !c.notNegative(l.Left, l.Right) {
		return x
	}
	return c.crop(x, []int32{0, l.Left, 0}, []int32{0, l.Right, 0})
}

// Cropping2D removes rows and columns at the edges.
type Cropping2D struct {
	Name                     string
	Top, Bottom, Left, Right int32
}

// Label is the layer's name or kind.
func (l *Cropping2D) Label() (name, kind string) { return l.Name, "cropping2d" }

// Call adds the layer.
func (l *Cropping2D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok || !c.rank(x, 4) || !c.notNegative(l.Top, l.Bottom, l.Left, l.Right) {
		return x
	}
	return c.crop(x, []int32{0, l.Top, l.Left, 0}, []int32{0, l.Bottom, l.Right, 0})
}

// crop removes so many elements at the beginning and at the end of each dimension.
func (c *Context) crop(x tf.Output, before, after []int32) tf.Output {
	end, open := make([]int32, len(after)), int64(0)
	for i, n := range after {
		if d := dim(x, i); d >= 0 && int64(before[i])+int64(n) >= max(d, 1) {
			c.Fail("nothing is left of an input of shape %v without %d elements at the beginning and %d at the end of dimension %d", x.Shape(), before[i], n, i)
			return x
		}
		if end[i] = -n; n == 0 {
			open |= 1 << i
		}
	}
	s := c.Scope
	return op.StridedSlice(s, x, integers(s, before...), integers(s, end...), op.OnesLike(s, integers(s, end...)), op.StridedSliceEndMask(open))
}

// An Interpolation says how an image gets another size; pixels are squares whose values are
// those of their centers.
type Interpolation int

const (
	// Nearest is the value of the nearest pixel.
	Nearest Interpolation = iota + 1
	// Bilinear is linear between four pixels.
	Bilinear
	// Bicubic is cubic between sixteen pixels.
	Bicubic
)

// resizeTo is images x in another size.
func (c *Context) resizeTo(x, size tf.Output, by Interpolation) tf.Output {
	s := c.Scope
	switch {
	case s.Err() != nil:
		return x
	case by == Nearest:
		return op.ResizeNearestNeighbor(s, x, size, op.ResizeNearestNeighborHalfPixelCenters(true))
	case by == Bilinear:
		return op.ResizeBilinear(s, x, size, op.ResizeBilinearHalfPixelCenters(true))
	case by == Bicubic:
		return op.ResizeBicubic(s, x, size, op.ResizeBicubicHalfPixelCenters(true))
	}
	c.Fail("there is no interpolation %d", int(by))
	return x
}

// UpSampling1D repeats steps; the input is [examples, time, channels].
type UpSampling1D struct {
	Name string
	Size int64 // 2
}

// Label is the layer's name or kind.
func (l *UpSampling1D) Label() (name, kind string) { return l.Name, "up_sampling1d" }

// Call adds the layer.
func (l *UpSampling1D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	times := or(l.Size, 2)
	if !ok || !c.rank(x, 3) || !c.positive("Size", times) {
		return x
	}
	return asSeries(c.Scope, c.repeat(asImage(c.Scope, x), across(times)))
}

// UpSampling2D makes images greater by whole factors.
type UpSampling2D struct {
	Name          string
	Size          Size          // 2×2
	Interpolation Interpolation // Nearest: rows and columns are repeated
}

// Label is the layer's name or kind.
func (l *UpSampling2D) Label() (name, kind string) { return l.Name, "up_sampling2d" }

// Call adds the layer.
func (l *UpSampling2D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	times := l.Size.or(Square(2))
	if !ok || !c.rank(x, 4) || !c.checkWindow(times, times, Square(1), Valid, false) {
		return x
	}
	if or(l.Interpolation, Nearest) == Nearest {
		return c.repeat(x, times)
	}
	s := c.Scope
	size := op.Pack(s, []tf.Output{
		op.Mul(s, dimension(s, x, 1), op.Const(s, int32(times.H))),
		op.Mul(s, dimension(s, x, 2), op.Const(s, int32(times.W))),
	})
	y := c.resizeTo(x, size, l.Interpolation)
	return shaped(s, y, -1, product(dim(x, 1), times.H), product(dim(x, 2), times.W), dim(x, 3))
}

// product is -1 if the dimension is unknown.
func product(d, times int64) int64 {
	if d < 0 {
		return -1
	}
	return d * times
}

// repeat repeats rows and columns.
func (c *Context) repeat(x tf.Output, times Size) tf.Output {
	s := c.Scope
	if s.Err() != nil {
		return x
	}
	h, w, n := dimension(s, x, 1), dimension(s, x, 2), dimension(s, x, 3)
	one, all := op.Const(s, int32(1)), op.Const(s, int32(-1))
	split := op.Pack(s, []tf.Output{all, h, one, w, one, n})
	y := op.Tile(s, op.Reshape(s, x, split), integers(s, 1, 1, int32(times.H), 1, int32(times.W), 1))
	size := op.Pack(s, []tf.Output{all, op.Mul(s, h, op.Const(s, int32(times.H))), op.Mul(s, w, op.Const(s, int32(times.W))), n})
	return shaped(s, op.Reshape(s, y, size), -1, product(dim(x, 1), times.H), product(dim(x, 2), times.W), dim(x, 3))
}

// Resizing gives images a size; those of a batch have any other one.
type Resizing struct {
	Name          string
	Height, Width int64
	Interpolation Interpolation // Bilinear
}

// Label is the layer's name or kind.
func (l *Resizing) Label() (name, kind string) { return l.Name, "resizing" }

// Call adds the layer.
func (l *Resizing) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok || !c.rank(x, 4) || !c.positive("Height", l.Height) || !c.positive("Width", l.Width) {
		return x
	}
	return c.resizeTo(asFloat(c.Scope, x), integers(c.Scope, int32(l.Height), int32(l.Width)), or(l.Interpolation, Bilinear))
}

// CenterCrop is the middle of images, which must be at least as large.
type CenterCrop struct {
	Name          string
	Height, Width int64
}

// Label is the layer's name or kind.
func (l *CenterCrop) Label() (name, kind string) { return l.Name, "center_crop" }

// Call adds the layer.
func (l *CenterCrop) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok || !c.rank(x, 4) || !c.positive("Height", l.Height) || !c.positive("Width", l.Width) {
		return x
	}
	h, w := dim(x, 1), dim(x, 2)
	if h < l.Height || w < l.Width {
		c.Fail("the input has shape %v, but the layer takes images of known sizes, at least %d×%d", x.Shape(), l.Height, l.Width)
		return x
	}
	top, left := (h-l.Height)/2, (w-l.Width)/2
	s := c.Scope
	return op.Slice(s, asFloat(s, x), integers(s, 0, int32(top), int32(left), 0), integers(s, -1, int32(l.Height), int32(l.Width), -1))
}

func asFloat(s *op.Scope, x tf.Output) tf.Output {
	if s.Err() == nil && x.DataType() != tf.Float {
		return op.Cast(s, x, tf.Float)
	}
	return x
}
