package gradient

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/shape"
)

// SumTo undoes broadcasting: if a tensor of the shape of x was spread out to the
// shape of dz, it is the sum over the elements of dz that each of x was spread to,
// in the shape of x.
//
//go:noinline
func (a Algebra) SumTo(dz, x graph.Output) graph.Output { return a.SumAs(dz, dz, x) }

// SumAs is [Algebra.SumTo] of a dz that has the shape of z, of which more may be known.
func (a Algebra) SumAs(dz, z, x graph.Output) graph.Output {
	if dz.Op == nil || x.Op == nil {
		return graph.Output{}
	}
	axes, ok := spread(a.StaticShape(x), a.StaticShape(z))
	switch {
	case ok && len(axes) == 0:
		return dz
	case ok:
		return a.ReshapeLike(a.Apply("Sum", dz, a.Int32s(axes...)), x)
	}
	shape := a.Shape(x)
	over := a.Outputs("BroadcastGradientArgs", nil, shape, a.Shape(dz))
	if over == nil {
		return graph.Output{}
	}
	return a.Reshape(a.Apply("Sum", dz, over[0]), shape)
}

// spread returns the axes of a result along which an operand of shape x was spread, if
// that is known.
func spread(x, z shape.Shape) (axes []int32, ok bool) {
	if !x.Known() || !z.Known() {
		return nil, false
	}
	more := z.Rank() - x.Rank()
	if more < 0 {
		return nil, false
	}
	for i := range z.Rank() {
		switch {
		case i < more:
			axes = append(axes, int32(i))
		case z.Dim(i) == 1:
		case x.Dim(i-more) == 1 && z.Dim(i) != shape.Unknown:
			axes = append(axes, int32(i))
		case x.Dim(i-more) == 1 || x.Dim(i-more) == shape.Unknown:
			return nil, false
		}
	}
	return axes, true
}

// Unary registers the gradient of operations of one input and one output: f is the
// gradient of x given y, the output, and dy, its gradient.
//
//go:noinline
func Unary(f func(c *Context, x, y, dy graph.Output) graph.Output, ops ...string) {
	Register(func(c *Context) {
		if c.Has(0) {
			c.Set(0, f(c, c.Input(0), c.Output(0), c.Dy(0)))
		}
	}, ops...)
}

// A Partial is the gradient of one operand of z given dz, the gradient of z, before
// what was broadcast is summed up.
type Partial func(c *Context, x, y, z, dz graph.Output) graph.Output

// Binary registers the gradients of operations that combine two operands, x and y,
// with broadcasting. An operand whose partial is nil has none.
//
//go:noinline
func Binary(dx, dy Partial, ops ...string) {
	Register(func(c *Context) {
		if !c.Has(0) {
			return
		}
		for i, f := range []Partial{dx, dy} {
			if f != nil && c.Wants(i) {
				c.Set(i, c.SumAs(f(c, c.Input(0), c.Input(1), c.Output(0), c.Dy(0)), c.Output(0), c.Input(i)))
			}
		}
	}, ops...)
}

// Map registers the gradient of functions of single elements: f is the derivative
// at x, where the function is y.
//
//go:noinline
func Map(f func(c *Context, x, y graph.Output) graph.Output, ops ...string) {
	Unary(func(c *Context, x, y, dy graph.Output) graph.Output { return c.Mul(dy, c.Conj(f(c, x, y))) }, ops...)
}
