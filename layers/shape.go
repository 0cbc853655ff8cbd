package layers

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// Flatten makes a vector of each example.
type Flatten struct{ Name string }

// Label is the layer's name or kind.
func (l *Flatten) Label() (name, kind string) { return l.Name, "flatten" }

// Call adds the layer.
func (l *Flatten) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok {
		return x
	}
	n := int64(1)
	for i := 1; i < x.Shape().NumDimensions(); i++ {
		d := dim(x, i)
		if d < 0 {
			c.Fail("the input has shape %v: all dimensions but the first must be known", x.Shape())
			return x
		}
		n *= d
	}
	return op.Reshape(c.Scope, x, integers(c.Scope, -1, int32(n)))
}

// Reshape gives each example the shape Target, of which one dimension may be -1.
type Reshape struct {
	Name   string
	Target []int64
}

// Label is the layer's name or kind.
func (l *Reshape) Label() (name, kind string) { return l.Name, "reshape" }

// Call adds the layer.
func (l *Reshape) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok {
		return x
	}
	n, known, open := int64(1), int64(1), -1
	for i := 1; i < x.Shape().NumDimensions(); i++ {
		if d := dim(x, i); d < 0 {
			n = -1
		} else if n >= 0 {
			n *= d
		}
	}
	shape := append([]int64{-1}, l.Target...)
	for i, d := range l.Target {
		switch {
		case d >= 0:
			known *= d
		case open >= 0:
			c.Fail("Target is %v, but may have one -1", l.Target)
			return x
		default:
			open = i + 1
		}
	}
	switch {
	case n < 0 && open >= 0:
		c.Fail("the input has shape %v: with -1 in Target, all dimensions but the first must be known", x.Shape())
		return x
	case open >= 0 && (known == 0 || n%known != 0), open < 0 && n >= 0 && n != known:
		c.Fail("an example of shape %v cannot have shape %v", x.Shape(), l.Target)
		return x
	case open >= 0:
		shape[open] = n / known
	}
	return op.Reshape(c.Scope, x, op.Const(c.Scope, shape))
}

// Permute exchanges the dimensions of an example: Dims[i] is the one, counted from 1,
// that becomes dimension i+1.
type Permute struct {
	Name string
	Dims []int32
}

// Label is the layer's name or kind.
func (l *Permute) Label() (name, kind string) { return l.Name, "permute" }

// Call adds the layer.
func (l *Permute) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok {
		return x
	}
	return op.Transpose(c.Scope, x, integers(c.Scope, append([]int32{0}, l.Dims...)...))
}

// RepeatVector makes a series [examples, N, channels] of vectors [examples, channels].
type RepeatVector struct {
	Name string
	N    int64
}

// Label is the layer's name or kind.
func (l *RepeatVector) Label() (name, kind string) { return l.Name, "repeat_vector" }

// Call adds the layer.
func (l *RepeatVector) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok || !c.rank(x, 2) || !c.positive("N", l.N) {
		return x
	}
	return op.Tile(c.Scope, asImage(c.Scope, x), integers(c.Scope, 1, int32(l.N), 1))
}

// Rescaling is x·Scale + Offset.
type Rescaling struct {
	Name          string
	Scale, Offset float64
}

// Label is the layer's name or kind.
func (l *Rescaling) Label() (name, kind string) { return l.Name, "rescaling" }

// Call adds the layer.
func (l *Rescaling) Call(c *Context, in []tf.Output) tf.Output {
	c.KeepMask()
	x, ok := c.one(in)
	if !ok {
		return x
	}
	s := c.Scope
	return op.AddV2(s, op.Mul(s, asFloat(s, x), number(s, l.Scale)), number(s, l.Offset))
}

// Lambda is a function without variables as a layer.
type Lambda struct {
	Name     string
	Function func(s *op.Scope, in ...tf.Output) tf.Output
}

// Label is the layer's name or kind.
func (l *Lambda) Label() (name, kind string) { return l.Name, "lambda" }

// Call adds the layer.
func (l *Lambda) Call(c *Context, in []tf.Output) tf.Output {
	if c.Scope.Err() != nil {
		return tf.Output{}
	}
	return l.Function(c.Scope, in...)
}
