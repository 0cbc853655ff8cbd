package layers

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// MaxPooling2D is the maximum of each channel in windows.
type MaxPooling2D struct {
	Name    string
	Pool    Size // 2×2
	Strides Size // Pool
	Padding Padding
}

// Label is the layer's name or kind.
func (l *MaxPooling2D) Label() (name, kind string) { return l.Name, "max_pooling2d" }

// Call adds the layer.
func (l *MaxPooling2D) Call(c *Context, in []tf.Output) tf.Output {
	return pool2D(c, in, l.Pool, l.Strides, l.Padding, maxPool)
}

// AveragePooling2D is the mean of each channel in windows, of elements within the input.
type AveragePooling2D struct {
	Name    string
	Pool    Size // 2×2
	Strides Size // Pool
	Padding Padding
}

// Label is the layer's name or kind.
func (l *AveragePooling2D) Label() (name, kind string) { return l.Name, "average_pooling2d" }

// Call adds the layer.
func (l *AveragePooling2D) Call(c *Context, in []tf.Output) tf.Output {
	return pool2D(c, in, l.Pool, l.Strides, l.Padding, averagePool)
}

// MaxPooling1D is the maximum of each channel in windows of time.
type MaxPooling1D struct {
	Name    string
	Pool    int64 // 2
	Strides int64 // Pool
	Padding Padding
}

// Label is the layer's name or kind.
func (l *MaxPooling1D) Label() (name, kind string) { return l.Name, "max_pooling1d" }

// Call adds the layer.
func (l *MaxPooling1D) Call(c *Context, in []tf.Output) tf.Output {
	return pool1D(c, in, l.Pool, l.Strides, l.Padding, maxPool)
}

// AveragePooling1D is the mean of each channel in windows of time, of elements within the
// input.
type AveragePooling1D struct {
	Name    string
	Pool    int64 // 2
	Strides int64 // Pool
	Padding Padding
}

// Label is the layer's name or kind.
func (l *AveragePooling1D) Label() (name, kind string) { return l.Name, "average_pooling1d" }

// Call adds the layer.
func (l *AveragePooling1D) Call(c *Context, in []tf.Output) tf.Output {
	return pool1D(c, in, l.Pool, l.Strides, l.Padding, averagePool)
}

// A pool is a pooling operation over windows of height and width.
type pool func(s *op.Scope, x tf.Output, window, strides []int64, padding string) tf.Output

func maxPool(s *op.Scope, x tf.Output, window, strides []int64, padding string) tf.Output {
	return op.MaxPool(s, x, window, strides, padding)
}

func averagePool(s *op.Scope, x tf.Output, window, strides []int64, padding string) tf.Output {
	return op.AvgPool(s, x, window, strides, padding)
}

func pool2D(c *Context, in []tf.Output, window, strides Size, p Padding, f pool) tf.Output {
	x, ok := c.one(in)
	window = window.or(Square(2))
	strides = strides.or(window)
	if !ok || !c.rank(x, 4) || !c.checkWindow(window, strides, Square(1), p, false) {
		return x
	}
	return f(c.Scope, x, window.list(), strides.list(), p.String())
}

func pool1D(c *Context, in []tf.Output, window, strides int64, p Padding, f pool) tf.Output {
	x, ok := c.one(in)
	window = or(window, 2)
	strides = or(strides, window)
	if !ok || !c.rank(x, 3) || !c.checkWindow(Square(window), Square(strides), Square(1), p, false) {
		return x
	}
	s := c.Scope
	y := f(s, op.ExpandDims(s, x, op.Const(s, int32(1))), []int64{1, 1, window, 1}, []int64{1, 1, strides, 1}, p.String())
	return op.Squeeze(s, y, op.SqueezeAxis([]int64{1}))
}

// GlobalAveragePooling2D is the mean of each channel.
type GlobalAveragePooling2D struct {
	Name     string
	KeepDims bool
}

// Label is the layer's name or kind.
func (l *GlobalAveragePooling2D) Label() (name, kind string) {
	return l.Name, "global_average_pooling2d"
}

// Call adds the layer.
func (l *GlobalAveragePooling2D) Call(c *Context, in []tf.Output) tf.Output {
	if x, ok := c.one(in); !ok || !c.rank(x, 4) {
		return x
	}
	return op.Mean(c.Scope, in[0], integers(c.Scope, 1, 2), op.MeanKeepDims(l.KeepDims))
}

// GlobalMaxPooling2D is the maximum of each channel.
type GlobalMaxPooling2D struct {
	Name     string
	KeepDims bool
}

// Label is the layer's name or kind.
func (l *GlobalMaxPooling2D) Label() (name, kind string) { return l.Name, "global_max_pooling2d" }

// Call adds the layer.
func (l *GlobalMaxPooling2D) Call(c *Context, in []tf.Output) tf.Output {
	if x, ok := c.one(in); !ok || !c.rank(x, 4) {
		return x
	}
	return op.Max(c.Scope, in[0], integers(c.Scope, 1, 2), op.MaxKeepDims(l.KeepDims))
}

// GlobalAveragePooling1D is the mean of each channel over time, of the steps that count if
// the input has a mask.
type GlobalAveragePooling1D struct {
	Name     string
	KeepDims bool
}

// Label is the layer's name or kind.
func (l *GlobalAveragePooling1D) Label() (name, kind string) {
	return l.Name, "global_average_pooling1d"
}

// Call adds the layer.
func (l *GlobalAveragePooling1D) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok || !c.rank(x, 3) {
		return x
	}
	s := c.Scope
	if mask, ok := c.Mask(0); ok {
		counts := op.Cast(s, steps(s, mask), tf.Float)
		sum := op.Sum(s, op.Mul(s, x, counts), integers(s, 1), op.SumKeepDims(l.KeepDims))
		return op.Div(s, sum, op.Sum(s, counts, integers(s, 1), op.SumKeepDims(l.KeepDims)))
	}
	return op.Mean(s, x, integers(s, 1), op.MeanKeepDims(l.KeepDims))
}

// GlobalMaxPooling1D is the maximum of each channel over time.
type GlobalMaxPooling1D struct {
	Name     string
	KeepDims bool
}

// Label is the layer's name or kind.
func (l *GlobalMaxPooling1D) Label() (name, kind string) { return l.Name, "global_max_pooling1d" }

// Call adds the layer.
func (l *GlobalMaxPooling1D) Call(c *Context, in []tf.Output) tf.Output {
	if x, ok := c.one(in); !ok || !c.rank(x, 3) {
		return x
	}
	return op.Max(c.Scope, in[0], integers(c.Scope, 1), op.MaxKeepDims(l.KeepDims))
}
