package layers

import (
	"math"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// Layers that change images at random, in training only: each image of a batch by itself,
// and otherwise at each update.

// A Range is what a number is drawn from: [Lo, Hi).
type Range struct{ Lo, Hi float64 }

// Around is the range from -x to x.
func Around(x float64) Range { return Range{-x, x} }

// checkRange fails unless the range is within another one.
func (c *Context) checkRange(field string, r, within Range) bool {
	if c.Scope.Err() == nil && !(r.Lo >= within.Lo && r.Lo <= r.Hi && r.Hi <= within.Hi) {
		c.Fail("%s is from %v to %v, but must be a range within [%v, %v]", field, r.Lo, r.Hi, within.Lo, within.Hi)
	}
	return c.Scope.Err() == nil
}

// images is the only input of a layer, images; changed says whether they are changed.
func (c *Context) images(in []tf.Output) (x tf.Output, changed bool) {
	x, ok := c.one(in)
	if !ok || !c.rank(x, 4) {
		return x, false
	}
	return asFloat(c.Scope, x), c.Training
}

// each is a number in r for each image of x: [examples, 1, …], with that many dimensions.
func (c *Context) each(x tf.Output, r Range, rank int) tf.Output {
	s := c.Scope
	shape := []tf.Output{dimension(s, x, 0)}
	for range rank - 1 {
		shape = append(shape, op.Const(s, int32(1)))
	}
	return c.uniform(r, shape...)
}

// A Flip is a direction in which images are mirrored.
type Flip int

const (
	// FlipBoth exchanges left and right, and top and bottom.
	FlipBoth Flip = iota
	// FlipHorizontal exchanges left and right.
	FlipHorizontal
	// FlipVertical exchanges top and bottom.
	FlipVertical
)

// RandomFlip mirrors half of the images.
type RandomFlip struct {
	Name string
	Mode Flip // FlipBoth: left and right, top and bottom independently
}

// Label is the layer's name or kind.
func (l *RandomFlip) Label() (name, kind string) { return l.Name, "random_flip" }

// Call adds the layer.
func (l *RandomFlip) Call(c *Context, in []tf.Output) tf.Output {
	x, changed := c.images(in)
	if l.Mode < FlipBoth || l.Mode > FlipVertical {
		c.Fail("there is no mode %d", int(l.Mode))
	}
	if !changed {
		return x
	}
	s := c.Scope
	for _, way := range []struct {
		not  Flip
		axis int32
	}{{FlipVertical, 2}, {FlipHorizontal, 1}} {
		if l.Mode != way.not {
			chosen := op.Less(s, c.each(x, Range{0, 1}, 4), number(s, 0.5))
			x = op.SelectV2(s, chosen, op.ReverseV2(s, x, integers(s, way.axis)), x)
		}
	}
	return x
}

// A Fill says what is beyond the edges of an image that is moved.
type Fill int

const (
	// FillReflect is the image mirrored at its edge: c b a | a b c | c b a.
	FillReflect Fill = iota
	// FillWrap is the image again: a b c | a b c | a b c.
	FillWrap
	// FillConstant is zeros.
	FillConstant
	// FillNearest is the pixels at the edge: a a a | a b c | c c c.
	FillNearest
)

// checkFill fails unless there is such a Fill.
func (c *Context) checkFill(f Fill) bool {
	if c.Scope.Err() == nil && (f < FillReflect || f > FillNearest) {
		c.Fail("there is no Fill %d", int(f))
	}
	return c.Scope.Err() == nil
}

// moved is the images x, each of which takes the pixel (i, j) from where its row of
// [a0, a1, a2, b0, b1, b2, 0, 0] says: (a0·i+a1·j+a2, b0·i+b1·j+b2), with columns before
// rows.
func (c *Context) moved(x tf.Output, by []tf.Output, beyond Fill, nearest bool) tf.Output {
	s := c.Scope
	zero := op.ZerosLike(s, by[0])
	by = append(by, zero, zero)
	mode := "BILINEAR"
	if nearest {
		mode = "NEAREST"
	}
	size := op.Pack(s, []tf.Output{dimension(s, x, 1), dimension(s, x, 2)})
	y := op.ImageProjectiveTransformV3(s, x, op.ConcatV2(s, by, op.Const(s, int32(1))), size, number(s, 0), mode,
		op.ImageProjectiveTransformV3FillMode([]string{"REFLECT", "WRAP", "CONSTANT", "NEAREST"}[beyond]))
	return shaped(s, y, dim(x, 0), dim(x, 1), dim(x, 2), dim(x, 3))
}

// center is the place of the middle of images in dimension i.
func center(s *op.Scope, x tf.Output, i int) tf.Output {
	size := op.Cast(s, dimension(s, x, i), tf.Float)
	return op.Mul(s, op.Sub(s, size, number(s, 1)), number(s, 0.5))
}

// RandomRotation turns images about their center.
type RandomRotation struct {
	Name    string
	Factor  Range // in turns: Around(0.1) is from -36° to 36°
	Fill    Fill
	Nearest bool // takes the nearest pixel, rather than to interpolate between four
}

// Label is the layer's name or kind.
func (l *RandomRotation) Label() (name, kind string) { return l.Name, "random_rotation" }

// Call adds the layer.
func (l *RandomRotation) Call(c *Context, in []tf.Output) tf.Output {
	x, changed := c.images(in)
	if !c.checkRange("Factor", l.Factor, Around(1)) || !c.checkFill(l.Fill) || !changed {
		return x
	}
	s := c.Scope
	angle := c.each(x, Range{l.Factor.Lo * 2 * math.Pi, l.Factor.Hi * 2 * math.Pi}, 2)
	cos, sin := op.Cos(s, angle), op.Sin(s, angle)
	w, h := center(s, x, 2), center(s, x, 1)
	left := op.AddV2(s, op.Sub(s, w, op.Mul(s, w, cos)), op.Mul(s, h, sin))
	top := op.Sub(s, op.Sub(s, h, op.Mul(s, w, sin)), op.Mul(s, h, cos))
	return c.moved(x, []tf.Output{cos, op.Neg(s, sin), left, sin, cos, top}, l.Fill, l.Nearest)
}

// RandomZoom makes what is in images smaller, for a positive number, or greater.
type RandomZoom struct {
	Name    string
	Height  Range // as a share of the height: Around(0.2) shows 80% to 120% of it
	Width   Range // drawn by itself; without it, the width changes as the height does
	Fill    Fill
	Nearest bool // takes the nearest pixel, rather than to interpolate between four
}

// Label is the layer's name or kind.
func (l *RandomZoom) Label() (name, kind string) { return l.Name, "random_zoom" }

// Call adds the layer.
func (l *RandomZoom) Call(c *Context, in []tf.Output) tf.Output {
	x, changed := c.images(in)
	if !c.checkRange("Height", l.Height, Around(1)) || !c.checkRange("Width", l.Width, Around(1)) || !c.checkFill(l.Fill) || !changed {
		return x
	}
	s := c.Scope
	one := number(s, 1)
	tall := op.AddV2(s, c.each(x, l.Height, 2), one)
	wide := tall
	if l.Width != (Range{}) {
		wide = op.AddV2(s, c.each(x, l.Width, 2), one)
	}
	zero := op.ZerosLike(s, tall)
	left := op.Mul(s, center(s, x, 2), op.Sub(s, one, wide))
	top := op.Mul(s, center(s, x, 1), op.Sub(s, one, tall))
	return c.moved(x, []tf.Output{wide, zero, left, zero, tall, top}, l.Fill, l.Nearest)
}

// RandomTranslation moves images down and to the right, for positive numbers.
type RandomTranslation struct {
	Name          string
	Height, Width Range // as shares of the height and the width
	Fill          Fill
	Nearest       bool // takes the nearest pixel, rather than to interpolate between four
}

// Label is the layer's name or kind.
func (l *RandomTranslation) Label() (name, kind string) { return l.Name, "random_translation" }

// Call adds the layer.
func (l *RandomTranslation) Call(c *Context, in []tf.Output) tf.Output {
	x, changed := c.images(in)
	if !c.checkRange("Height", l.Height, Around(1)) || !c.checkRange("Width", l.Width, Around(1)) || !c.checkFill(l.Fill) || !changed {
		return x
	}
	s := c.Scope
	size := func(i int) tf.Output { return op.Cast(s, dimension(s, x, i), tf.Float) }
	down := op.Mul(s, c.each(x, l.Height, 2), size(1))
	right := op.Mul(s, c.each(x, l.Width, 2), size(2))
	zero, one := op.ZerosLike(s, down), op.OnesLike(s, down)
	return c.moved(x, []tf.Output{one, zero, op.Neg(s, right), zero, one, op.Neg(s, down)}, l.Fill, l.Nearest)
}

// RandomBrightness adds a number to images, and keeps them within Values.
type RandomBrightness struct {
	Name   string
	Factor Range // as a share of the range of values
	Values Range // 0 to 255
}

// Label is the layer's name or kind.
func (l *RandomBrightness) Label() (name, kind string) { return l.Name, "random_brightness" }

// Call adds the layer.
func (l *RandomBrightness) Call(c *Context, in []tf.Output) tf.Output {
	x, changed := c.images(in)
	if !c.checkRange("Factor", l.Factor, Around(1)) || !changed {
		return x
	}
	s := c.Scope
	v := or(l.Values, Range{0, 255})
	more := op.Mul(s, c.each(x, l.Factor, 4), number(s, v.Hi-v.Lo))
	return op.ClipByValue(s, op.AddV2(s, x, more), number(s, v.Lo), number(s, v.Hi))
}

// RandomContrast multiplies the differences of images from the mean of each channel, and
// keeps them within Values.
type RandomContrast struct {
	Name   string
	Factor Range // Around(0.2) multiplies by 0.8 to 1.2
	Values Range // 0 to 255
}

// Label is the layer's name or kind.
func (l *RandomContrast) Label() (name, kind string) { return l.Name, "random_contrast" }

// Call adds the layer.
func (l *RandomContrast) Call(c *Context, in []tf.Output) tf.Output {
	x, changed := c.images(in)
	if !c.checkRange("Factor", l.Factor, Around(1)) || !changed {
		return x
	}
	s := c.Scope
	v := or(l.Values, Range{0, 255})
	mean := op.Mean(s, x, integers(s, 1, 2), op.MeanKeepDims(true))
	times := op.AddV2(s, c.each(x, l.Factor, 4), number(s, 1))
	y := op.AddV2(s, op.Mul(s, op.Sub(s, x, mean), times), mean)
	return op.ClipByValue(s, y, number(s, v.Lo), number(s, v.Hi))
}
