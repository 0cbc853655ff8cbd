package layers

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// A Padding says what windows do at the edges.
type Padding int

const (
	// Valid windows lie within the input.
	Valid Padding = iota
	// Same pads with zeros so that with a stride of 1 the output has the input's size.
	Same
	// Causal pads at the beginning alone, so that no output depends on later inputs. It is
	// for Conv1D.
	Causal
)

// String is the padding as operations name it.
func (p Padding) String() string {
	switch p {
	case Same:
		return "SAME"
	case Valid, Causal:
		return "VALID"
	}
	return fmt.Sprintf("Padding(%d)", int(p))
}

// A Size is a height and a width; a width of 0 is the same as the height.
type Size struct{ H, W int64 }

// Square is a Size of as many rows as columns.
func Square(n int64) Size { return Size{n, n} }

// or is the size, of which missing parts are those of another one.
func (z Size) or(other Size) Size {
	if z.H == 0 {
		z.H = other.H
		if z.W == 0 {
			z.W = other.W
		}
	}
	if z.W == 0 {
		z.W = z.H
	}
	return z
}

func (z Size) list() []int64 { return []int64{1, z.H, z.W, 1} }

// checkWindow fails if a field of a layer of windows is out of range.
func (c *Context) checkWindow(kernel, strides, dilation Size, p Padding, causal bool) bool {
	switch {
	case c.Scope.Err() != nil:
		return false
	case kernel.H < 1 || kernel.W < 1:
		c.Fail("the window has size %d×%d, but must have at least one element", kernel.H, kernel.W)
	case strides.H < 1 || strides.W < 1 || dilation.H < 1 || dilation.W < 1:
		c.Fail("strides are %v and dilation %v, but must be positive", strides, dilation)
	case p < Valid || p > Causal || p == Causal && !causal:
		c.Fail("the layer has no padding %d", int(p))
	}
	return c.Scope.Err() == nil
}

// Conv2D is a convolution over height and width; the input is [examples, height, width,
// channels].
//
// Variables: kernel [height, width, in/Groups, Filters], bias [Filters].
type Conv2D struct {
	Name              string
	Filters           int64
	Kernel            Size
	Strides           Size // 1×1
	Padding           Padding
	Dilation          Size  // 1×1
	Groups            int64 // 1
	Activation        Activation
	NoBias            bool
	KernelInitializer train.Initializer // train.GlorotUniform
	BiasInitializer   train.Initializer // train.Zeros
	KernelRegularizer Regularizer
}

// Label is the layer's name or kind.
func (l *Conv2D) Label() (name, kind string) { return l.Name, "conv2d" }

// Call adds the layer.
func (l *Conv2D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	kernel, strides, dilation := l.Kernel.or(Size{}), l.Strides.or(Square(1)), l.Dilation.or(Square(1))
	if !ok || !c.rank(x, 4) || !c.checkWindow(kernel, strides, dilation, l.Padding, false) || !c.positive("Filters", l.Filters) {
		return x
	}
	groups := or(l.Groups, 1)
	if d := dim(x, -1); groups < 0 || d >= 0 && (d%groups != 0 || l.Filters%groups != 0) {
		c.Fail("%d channels and %d filters cannot be divided into %d groups", d, l.Filters, groups)
		return x
	}
	v := c.Variable("kernel", initializer(l.KernelInitializer, train.GlorotUniform), kernel.H, kernel.W, dim(x, -1)/groups, l.Filters)
	regularize(c, l.KernelRegularizer, v)
	y := op.Conv2D(c.Scope, x, v.Value, strides.list(), l.Padding.String(), op.Conv2DDilations(dilation.list()))
	return c.finish(y, l.Filters, l.NoBias, l.BiasInitializer, l.Activation)
}

// positive fails if a field of a layer is not positive.
func (c *Context) positive(field string, x int64) bool {
	if c.Scope.Err() == nil && x <= 0 {
		c.Fail("%s is %d, but must be positive", field, x)
	}
	return c.Scope.Err() == nil
}

// finish adds a bias and an activation.
func (c *Context) finish(y tf.Output, n int64, noBias bool, bias train.Initializer, f Activation) tf.Output {
	if !noBias {
		y = op.BiasAdd(c.Scope, y, c.Variable("bias", initializer(bias, train.Zeros), n).Value)
	}
	return apply(c.Scope, f, nil, y)
}

// DepthwiseConv2D is a convolution of each channel by itself.
//
// Variables: kernel [height, width, in, DepthMultiplier], bias [in·DepthMultiplier].
type DepthwiseConv2D struct {
	Name                 string
	Kernel               Size
	Strides              Size // 1×1
	Padding              Padding
	DepthMultiplier      int64 // 1
	Dilation             Size  // 1×1
	Activation           Activation
	NoBias               bool
	DepthwiseInitializer train.Initializer // train.GlorotUniform
	BiasInitializer      train.Initializer // train.Zeros
}

// Label is the layer's name or kind.
func (l *DepthwiseConv2D) Label() (name, kind string) { return l.Name, "depthwise_conv2d" }

// Call adds the layer.
func (l *DepthwiseConv2D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	kernel, strides, dilation := l.Kernel.or(Size{}), l.Strides.or(Square(1)), l.Dilation.or(Square(1))
	depth := or(l.DepthMultiplier, 1)
	if !ok || !c.rank(x, 4) || !c.checkWindow(kernel, strides, dilation, l.Padding, false) || !c.positive("DepthMultiplier", depth) {
		return x
	}
	v := c.Variable("kernel", initializer(l.DepthwiseInitializer, train.GlorotUniform), kernel.H, kernel.W, dim(x, -1), depth)
	y := op.DepthwiseConv2dNative(c.Scope, x, v.Value, strides.list(), l.Padding.String(), op.DepthwiseConv2dNativeDilations(dilation.list()))
	return c.finish(y, dim(x, -1)*depth, l.NoBias, l.BiasInitializer, l.Activation)
}

// SeparableConv2D is a convolution of each channel by itself, then one of 1×1 over all
// channels.
//
// Variables: depthwise_kernel [height, width, in, DepthMultiplier], pointwise_kernel
// [1, 1, in·DepthMultiplier, Filters], bias [Filters].
type SeparableConv2D struct {
	Name                                       string
	Filters                                    int64
	Kernel                                     Size
	Strides                                    Size // 1×1
	Padding                                    Padding
	DepthMultiplier                            int64 // 1
	Dilation                                   Size  // 1×1
	Activation                                 Activation
	NoBias                                     bool
	DepthwiseInitializer, PointwiseInitializer train.Initializer // train.GlorotUniform
	BiasInitializer                            train.Initializer // train.Zeros
}

// Label is the layer's name or kind.
func (l *SeparableConv2D) Label() (name, kind string) { return l.Name, "separable_conv2d" }

// Call adds the layer.
func (l *SeparableConv2D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	kernel, strides, dilation := l.Kernel.or(Size{}), l.Strides.or(Square(1)), l.Dilation.or(Square(1))
	depth := or(l.DepthMultiplier, 1)
	if !ok || !c.rank(x, 4) || !c.checkWindow(kernel, strides, dilation, l.Padding, false) ||
		!c.positive("DepthMultiplier", depth) || !c.positive("Filters", l.Filters) {
		return x
	}
	channels := dim(x, -1)
	deep := c.Variable("depthwise_kernel", initializer(l.DepthwiseInitializer, train.GlorotUniform), kernel.H, kernel.W, channels, depth)
	point := c.Variable("pointwise_kernel", initializer(l.PointwiseInitializer, train.GlorotUniform), 1, 1, channels*depth, l.Filters)
	y := op.DepthwiseConv2dNative(c.Scope, x, deep.Value, strides.list(), l.Padding.String(), op.DepthwiseConv2dNativeDilations(dilation.list()))
	y = op.Conv2D(c.Scope, y, point.Value, []int64{1, 1, 1, 1}, "VALID")
	return c.finish(y, l.Filters, l.NoBias, l.BiasInitializer, l.Activation)
}

// Conv2DTranspose is the transposed convolution: what a [Conv2D] with the same strides
// would have as input.
//
// Variables: kernel [height, width, Filters, in], bias [Filters].
type Conv2DTranspose struct {
	Name              string
	Filters           int64
	Kernel            Size
	Strides           Size // 1×1
	Padding           Padding
	Activation        Activation
	NoBias            bool
	KernelInitializer train.Initializer // train.GlorotUniform
	BiasInitializer   train.Initializer // train.Zeros
}

// Label is the layer's name or kind.
func (l *Conv2DTranspose) Label() (name, kind string) { return l.Name, "conv2d_transpose" }

// Call adds the layer.
func (l *Conv2DTranspose) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	kernel, strides := l.Kernel.or(Size{}), l.Strides.or(Square(1))
	if !ok || !c.rank(x, 4) || !c.checkWindow(kernel, strides, Square(1), l.Padding, false) || !c.positive("Filters", l.Filters) {
		return x
	}
	v := c.Variable("kernel", initializer(l.KernelInitializer, train.GlorotUniform), kernel.H, kernel.W, l.Filters, dim(x, -1))
	return c.finish(transposed(c.Scope, x, v.Value, kernel, strides, l.Padding, l.Filters), l.Filters, l.NoBias, l.BiasInitializer, l.Activation)
}

// transposed is the transposed convolution of an image x with a kernel [height, width,
// filters, in].
func transposed(s *op.Scope, x, v tf.Output, kernel, strides Size, p Padding, filters int64) tf.Output {
	if s.Err() != nil {
		return x
	}
	size := func(i int, stride, kernel int64) tf.Output {
		extra := int64(0)
		if p == Valid {
			extra = max(kernel-stride, 0)
		}
		if d := dim(x, i); d >= 0 {
			return op.Const(s, int32(d*stride+extra))
		}
		return op.AddV2(s, op.Mul(s, dimension(s, x, i), op.Const(s, int32(stride))), op.Const(s, int32(extra)))
	}
	sizes := op.Pack(s, []tf.Output{dimension(s, x, 0), size(1, strides.H, kernel.H), size(2, strides.W, kernel.W), op.Const(s, int32(filters))})
	return op.Conv2DBackpropInput(s, sizes, v, x, strides.list(), p.String())
}
