package layers

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// Conv1D is a convolution over time; the input is [examples, time, channels].
//
// Variables: kernel [Kernel, in, Filters], bias [Filters].
type Conv1D struct {
	Name              string
	Filters           int64
	Kernel            int64
	Strides           int64 // 1
	Padding           Padding
	Dilation          int64 // 1
	Activation        Activation
	NoBias            bool
	KernelInitializer train.Initializer // train.GlorotUniform
	BiasInitializer   train.Initializer // train.Zeros
	KernelRegularizer Regularizer
}

// Label is the layer's name or kind.
func (l *Conv1D) Label() (name, kind string) { return l.Name, "conv1d" }

// Call adds the layer.
func (l *Conv1D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	strides, dilation := or(l.Strides, 1), or(l.Dilation, 1)
	if !ok || !c.rank(x, 3) || !c.checkWindow(Square(l.Kernel), Square(strides), Square(dilation), l.Padding, true) || !c.positive("Filters", l.Filters) {
		return x
	}
	s := c.Scope
	v := c.Variable("kernel", initializer(l.KernelInitializer, train.GlorotUniform), l.Kernel, dim(x, -1), l.Filters)
	regularize(c, l.KernelRegularizer, v)
	if l.Padding == Causal {
		x = op.Pad(s, x, op.Const(s, [][]int32{{0, 0}, {int32((l.Kernel - 1) * dilation), 0}, {0, 0}}))
	}
	y := op.Conv2D(s, asImage(s, x), asKernel(s, v.Value), across(strides).list(), l.Padding.String(), op.Conv2DDilations(across(dilation).list()))
	return c.finish(asSeries(s, y), l.Filters, l.NoBias, l.BiasInitializer, l.Activation)
}

// A series [examples, time, channels] is convolved as an image of one line, with kernels
// of one row.

func asImage(s *op.Scope, x tf.Output) tf.Output { return op.ExpandDims(s, x, op.Const(s, int32(1))) }

func asSeries(s *op.Scope, x tf.Output) tf.Output {
	return op.Squeeze(s, x, op.SqueezeAxis([]int64{1}))
}

func asKernel(s *op.Scope, v tf.Output) tf.Output { return op.ExpandDims(s, v, op.Const(s, int32(0))) }

func across(n int64) Size { return Size{1, n} }

// DepthwiseConv1D is a convolution over time of each channel by itself; the input is
// [examples, time, channels].
//
// Variables: kernel [Kernel, in, DepthMultiplier], bias [in·DepthMultiplier].
type DepthwiseConv1D struct {
	Name                 string
	Kernel               int64
	Strides              int64 // 1
	Padding              Padding
	DepthMultiplier      int64 // 1
	Dilation             int64 // 1
	Activation           Activation
	NoBias               bool
	DepthwiseInitializer train.Initializer // train.GlorotUniform
	BiasInitializer      train.Initializer // train.Zeros
}

// Label is the layer's name or kind.
func (l *DepthwiseConv1D) Label() (name, kind string) { return l.Name, "depthwise_conv1d" }

// Call adds the layer.
func (l *DepthwiseConv1D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	strides, dilation, depth := or(l.Strides, 1), or(l.Dilation, 1), or(l.DepthMultiplier, 1)
	if !ok || !c.rank(x, 3) || !c.checkWindow(Square(l.Kernel), Square(strides), Square(dilation), l.Padding, false) || !c.positive("DepthMultiplier", depth) {
		return x
	}
	v := c.Variable("kernel", initializer(l.DepthwiseInitializer, train.GlorotUniform), l.Kernel, dim(x, -1), depth)
	y := depthwiseLine(c.Scope, x, v.Value, strides, dilation, l.Padding)
	return c.finish(asSeries(c.Scope, y), dim(x, -1)*depth, l.NoBias, l.BiasInitializer, l.Activation)
}

// depthwiseLine is an image of one line. The operation takes equal strides only.
func depthwiseLine(s *op.Scope, x, v tf.Output, strides, dilation int64, p Padding) tf.Output {
	return op.DepthwiseConv2dNative(s, asImage(s, x), asKernel(s, v), Square(strides).list(), p.String(), op.DepthwiseConv2dNativeDilations(across(dilation).list()))
}

// SeparableConv1D is a convolution over time of each channel by itself, then one of size 1
// over all channels; the input is [examples, time, channels].
//
// Variables: depthwise_kernel [Kernel, in, DepthMultiplier], pointwise_kernel [1,
// in·DepthMultiplier, Filters], bias [Filters].
type SeparableConv1D struct {
	Name                                       string
	Filters                                    int64
	Kernel                                     int64
	Strides                                    int64 // 1
	Padding                                    Padding
	DepthMultiplier                            int64 // 1
	Dilation                                   int64 // 1
	Activation                                 Activation
	NoBias                                     bool
	DepthwiseInitializer, PointwiseInitializer train.Initializer // train.GlorotUniform
	BiasInitializer                            train.Initializer // train.Zeros
}

// Label is the layer's name or kind.
func (l *SeparableConv1D) Label() (name, kind string) { return l.Name, "separable_conv1d" }

// Call adds the layer.
func (l *SeparableConv1D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	strides, dilation, depth := or(l.Strides, 1), or(l.Dilation, 1), or(l.DepthMultiplier, 1)
	if !ok || !c.rank(x, 3) || !c.checkWindow(Square(l.Kernel), Square(strides), Square(dilation), l.Padding, false) ||
		!c.positive("DepthMultiplier", depth) || !c.positive("Filters", l.Filters) {
		return x
	}
	s := c.Scope
	channels := dim(x, -1)
	deep := c.Variable("depthwise_kernel", initializer(l.DepthwiseInitializer, train.GlorotUniform), l.Kernel, channels, depth)
	point := c.Variable("pointwise_kernel", initializer(l.PointwiseInitializer, train.GlorotUniform), 1, channels*depth, l.Filters)
	y := depthwiseLine(s, x, deep.Value, strides, dilation, l.Padding)
	y = op.Conv2D(s, y, asKernel(s, point.Value), Square(1).list(), "VALID")
	return c.finish(asSeries(s, y), l.Filters, l.NoBias, l.BiasInitializer, l.Activation)
}

// Conv1DTranspose is the transposed convolution over time: what a [Conv1D] with the same
// strides would have as input. The input is [examples, time, channels].
//
// Variables: kernel [Kernel, Filters, in], bias [Filters].
type Conv1DTranspose struct {
	Name              string
	Filters           int64
	Kernel            int64
	Strides           int64 // 1
	Padding           Padding
	Activation        Activation
	NoBias            bool
	KernelInitializer train.Initializer // train.GlorotUniform
	BiasInitializer   train.Initializer // train.Zeros
}

// Label is the layer's name or kind.
func (l *Conv1DTranspose) Label() (name, kind string) { return l.Name, "conv1d_transpose" }

// Call adds the layer.
func (l *Conv1DTranspose) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	strides := or(l.Strides, 1)
	if !ok || !c.rank(x, 3) || !c.checkWindow(Square(l.Kernel), Square(strides), Square(1), l.Padding, false) || !c.positive("Filters", l.Filters) {
		return x
	}
	s := c.Scope
	v := c.Variable("kernel", initializer(l.KernelInitializer, train.GlorotUniform), l.Kernel, l.Filters, dim(x, -1))
	y := transposed(s, asImage(s, x), asKernel(s, v.Value), across(l.Kernel), across(strides), l.Padding, l.Filters)
	return c.finish(asSeries(s, y), l.Filters, l.NoBias, l.BiasInitializer, l.Activation)
}
