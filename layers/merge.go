package layers

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// Add is the sum of its inputs: n.Apply(&layers.Add{}, x, y).
type Add struct{ Name string }

// Label is the layer's name or kind.
func (l *Add) Label() (name, kind string) { return l.Name, "add" }

// Call adds the layer.
func (l *Add) Call(c *Context, in []tf.Output) tf.Output { return fold(c, in, op.AddV2) }

// Subtract is its first input less its second.
type Subtract struct{ Name string }

// Label is the layer's name or kind.
func (l *Subtract) Label() (name, kind string) { return l.Name, "subtract" }

// Call adds the layer.
func (l *Subtract) Call(c *Context, in []tf.Output) tf.Output { return fold(c, in, op.Sub) }

// Multiply is the product of its inputs, element by element.
type Multiply struct{ Name string }

// Label is the layer's name or kind.
func (l *Multiply) Label() (name, kind string) { return l.Name, "multiply" }

// Call adds the layer.
func (l *Multiply) Call(c *Context, in []tf.Output) tf.Output { return fold(c, in, op.Mul) }

// Maximum is the greatest of its inputs, element by element.
type Maximum struct{ Name string }

// Label is the layer's name or kind.
func (l *Maximum) Label() (name, kind string) { return l.Name, "maximum" }

// Call adds the layer.
func (l *Maximum) Call(c *Context, in []tf.Output) tf.Output { return fold(c, in, op.Maximum) }

// Minimum is the least of its inputs, element by element.
type Minimum struct{ Name string }

// Label is the layer's name or kind.
func (l *Minimum) Label() (name, kind string) { return l.Name, "minimum" }

// Call adds the layer.
func (l *Minimum) Call(c *Context, in []tf.Output) tf.Output { return fold(c, in, op.Minimum) }

// Average is the mean of its inputs, element by element.
type Average struct{ Name string }

// Label is the layer's name or kind.
func (l *Average) Label() (name, kind string) { return l.Name, "average" }

// Call adds the layer.
func (l *Average) Call(c *Context, in []tf.Output) tf.Output {
	return op.Mul(c.Scope, fold(c, in, op.AddV2), number(c.Scope, 1/float64(len(in))))
}

func fold(c *Context, in []tf.Output, f func(s *op.Scope, x, y tf.Output) tf.Output) tf.Output {
	if len(in) < 2 {
		c.Fail("the layer takes at least two inputs, not %d", len(in))
		return in[0]
	}
	c.eitherMask()
	x := in[0]
	for _, y := range in[1:] {
		x = f(c.Scope, x, y)
	}
	return x
}

// Concatenate joins its inputs along the dimension Axis; 0 is the last one.
type Concatenate struct {
	Name string
	Axis int
}

// Label is the layer's name or kind.
func (l *Concatenate) Label() (name, kind string) { return l.Name, "concatenate" }

// Call adds the layer.
func (l *Concatenate) Call(c *Context, in []tf.Output) tf.Output {
	if len(in) < 2 {
		c.Fail("the layer takes at least two inputs, not %d", len(in))
		return in[0]
	}
	c.joinMasks(in, or(l.Axis, -1))
	return op.ConcatV2(c.Scope, in, op.Const(c.Scope, int32(or(l.Axis, -1))))
}

// Dot is the sum of products of two inputs along a dimension of each: of vectors
// [examples, n] it is [examples, 1], and the other dimensions of the first input precede
// those of the second one.
type Dot struct {
	Name      string
	Axes      [2]int // of the inputs, from 1; 0 and -1 are the last dimension
	Normalize bool   // vectors have length 1 before: the result is the cosine of their angle
}

// Label is the layer's name or kind.
func (l *Dot) Label() (name, kind string) { return l.Name, "dot" }

// Call adds the layer.
func (l *Dot) Call(c *Context, in []tf.Output) tf.Output {
	s := c.Scope
	if s.Err() != nil {
		return tf.Output{}
	}
	if len(in) != 2 {
		c.Fail("the layer takes two inputs, not %d", len(in))
		return in[0]
	}
	names, result := [2]string{}, "b"
	var list [2]tf.Output
	for i, x := range in {
		rank := x.Shape().NumDimensions()
		at := or(l.Axes[i], -1)
		if at < 0 {
			at += rank
		}
		if rank < 2 || rank > 8 || at < 1 || at >= rank {
			c.Fail("input %d has shape %v, but is multiplied along dimension %d", i, x.Shape(), l.Axes[i])
			return x
		}
		letters := []byte("bcdefghi"[:rank])
		if i == 1 {
			letters = []byte("bnopqrst"[:rank])
		}
		letters[at] = 'z'
		names[i] = string(letters)
		result += string(letters[1:at]) + string(letters[at+1:])
		if list[i] = x; l.Normalize {
			square := op.Sum(s, op.Square(s, x), integers(s, int32(at)), op.SumKeepDims(true))
			list[i] = op.Mul(s, x, op.Rsqrt(s, op.Maximum(s, square, number(s, 1e-12))))
		}
	}
	y := op.Einsum(s, list[:], names[0]+","+names[1]+"->"+result)
	if result == "b" {
		y = op.ExpandDims(s, y, op.Const(s, int32(1)))
	}
	return y
}

// Residual is x plus what the layers make of it, which must have the same shape.
func (t *Tensor) Residual(layers ...Layer) *Tensor { return t.net.Apply(&Add{}, t, t.Then(layers...)) }
