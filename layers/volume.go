package layers

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// A Volume is a depth, a height and a width.
type Volume struct{ D, H, W int64 }

// Cube is a Volume of equal sides.
func Cube(n int64) Volume { return Volume{n, n, n} }

func (v Volume) list() []int64 { return []int64{1, v.D, v.H, v.W, 1} }

// checkVolume fails if a field of a layer of windows is out of range.
func (c *Context) checkVolume(window, strides Volume, p Padding) bool {
	return c.checkWindow(Size{min(window.D, window.H), window.W}, Size{min(strides.D, strides.H), strides.W}, Square(1), p, false)
}

// Conv3D is a convolution over depth, height and width; the input is [examples, depth,
// height, width, channels].
//
// Variables: kernel [depth, height, width, in, Filters], bias [Filters].
type Conv3D struct {
	Name              string
	Filters           int64
	Kernel            Volume
	Strides           Volume // 1×1×1
	Padding           Padding
	Activation        Activation
	NoBias            bool
	KernelInitializer train.Initializer // train.GlorotUniform
	BiasInitializer   train.Initializer // train.Zeros
	KernelRegularizer Regularizer
}

// Label is the layer's name or kind.
func (l *Conv3D) Label() (name, kind string) { return l.Name, "conv3d" }

// Call adds the layer.
func (l *Conv3D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	strides := or(l.Strides, Cube(1))
	if !ok || !c.rank(x, 5) || !c.checkVolume(l.Kernel, strides, l.Padding) || !c.positive("Filters", l.Filters) {
		return x
	}
	v := c.Variable("kernel", initializer(l.KernelInitializer, train.GlorotUniform), l.Kernel.D, l.Kernel.H, l.Kernel.W, dim(x, -1), l.Filters)
	regularize(c, l.KernelRegularizer, v)
	y := op.Conv3D(c.Scope, x, v.Value, strides.list(), l.Padding.String())
	return c.finish(y, l.Filters, l.NoBias, l.BiasInitializer, l.Activation)
}

// MaxPooling3D is the maximum of each channel in windows of depth, height and width.
type MaxPooling3D struct {
	Name    string
	Pool    Volume // 2×2×2
	Strides Volume // Pool
	Padding Padding
}

// Label is the layer's name or kind.
func (l *MaxPooling3D) Label() (name, kind string) { return l.Name, "max_pooling3d" }

// Call adds the layer.
func (l *MaxPooling3D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	window := or(l.Pool, Cube(2))
	strides := or(l.Strides, window)
	if !ok || !c.rank(x, 5) || !c.checkVolume(window, strides, l.Padding) {
		return x
	}
	return op.MaxPool3D(c.Scope, x, window.list(), strides.list(), l.Padding.String())
}

// AveragePooling3D is the mean of each channel in windows of depth, height and width, of
// elements within the input.
type AveragePooling3D struct {
	Name    string
	Pool    Volume // 2×2×2
	Strides Volume // Pool
	Padding Padding
}

// Label is the layer's name or kind.
func (l *AveragePooling3D) Label() (name, kind string) { return l.Name, "average_pooling3d" }

// Call adds the layer.
func (l *AveragePooling3D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	window := or(l.Pool, Cube(2))
	strides := or(l.Strides, window)
	if !ok || !c.rank(x, 5) || !c.checkVolume(window, strides, l.Padding) {
		return x
	}
	return op.AvgPool3D(c.Scope, x, window.list(), strides.list(), l.Padding.String())
}

// GlobalAveragePooling3D is the mean of each channel.
type GlobalAveragePooling3D struct {
	Name     string
	KeepDims bool
}

// Label is the layer's name or kind.
func (l *GlobalAveragePooling3D) Label() (name, kind string) {
	return l.Name, "global_average_pooling3d"
}

// Call adds the layer.
func (l *GlobalAveragePooling3D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok || !c.rank(x, 5) {
		return x
	}
	return op.Mean(c.Scope, x, integers(c.Scope, 1, 2, 3), op.MeanKeepDims(l.KeepDims))
}

// GlobalMaxPooling3D is the maximum of each channel.
type GlobalMaxPooling3D struct {
	Name     string
	KeepDims bool
}

// Label is the layer's name or kind.
func (l *GlobalMaxPooling3D) Label() (name, kind string) { return l.Name, "global_max_pooling3d" }

// Call adds the layer.
func (l *GlobalMaxPooling3D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok || !c.rank(x, 5) {
		return x
	}
	return op.Max(c.Scope, x, integers(c.Scope, 1, 2, 3), op.MaxKeepDims(l.KeepDims))
}
