package elementwise

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Map is the kernel of an operation that applies F to every element.
type Map[T, R tensor.Element] struct {
	In, Out tensor.DType
	F       func(x T) R
	// Vector, if it is not nil, does the work of F on vectors.
	Vector func(o []R, x []T)
	Slow   bool // see [Zip]
}

// Run applies F.
func (m *Map[T, R]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Inside(m.In) && fits(m.Out) {
		tensor.SetScalar(&out[0], m.Out, m.F(tensor.Inner[T](&in[0])))
		return nil
	}
	return Unary(ctx, in, out, m.Out, m)
}

// V is the inner loop.
func (m *Map[T, R]) V(o []R, x []T) {
	if m.Vector != nil {
		m.Vector(o, x)
	} else {
		m.each(o, x)
	}
}

// Each is the inner loop on elements of whatever types.
func (m *Map[T, R]) Each(o, x tensor.Memory, to, from, n int) {
	m.V(tensor.Elements[R](o)[to:to+n], tensor.Elements[T](x)[from:from+n])
}

func (m *Map[T, R]) each(o []R, x []T) {
	f := m.F
	for i, x := range x[:len(o)] {
		o[i] = f(x)
	}
}

func (m *Map[T, R]) grain() int {
	switch {
	case m.Slow:
		return slowGrain
	case m.Vector != nil:
		return Grain
	}
	return Grain / 8 // a call for each element
}

func (m *Map[T, R]) slow() bool { return m.Slow }

// A Zip is the kernel of an operation that applies F to the pairs of elements
// of two operands, with broadcasting.
type Zip[T, R tensor.Element] struct {
	In, Out tensor.DType
	F       func(x, y T) R
	// Check, if it is not nil, refuses second operands that F must not see.
	Check func(y []T) error
	// Loops, if they are not nil, do the work of F on vectors.
	Loops Loops[T, R]
	// Slow functions take tens of nanoseconds or more: a thousand elements are worth sharing out.
	Slow bool
}

// Run applies F.
func (z *Zip[T, R]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Inside(z.In) && in[1].Inside(z.In) && fits(z.Out) {
		if z.Check != nil {
			if err := z.Check(tensor.Of[T](&in[1])); err != nil {
				return err
			}
		}
		tensor.SetScalar(&out[0], z.Out, z.F(tensor.Inner[T](&in[0]), tensor.Inner[T](&in[1])))
		return nil
	}
	if z.Check != nil {
		return Binary(ctx, in, out, z.Out, z, z.check)
	}
	return Binary(ctx, in, out, z.Out, z, nil)
}

func (z *Zip[T, R]) check(y tensor.Memory) error { return z.Check(tensor.Elements[T](y)) }

// Pairs computes a stretch by the inner loops.
func (z *Zip[T, R]) Pairs(o, x, y tensor.Memory, s Stretch) { Pairs[T, R](z, o, x, y, s) }

// VV is the inner loop on two vectors.
func (z *Zip[T, R]) VV(o []R, x, y []T) {
	if z.Loops != nil {
		z.Loops.VV(o, x, y)
		return
	}
	f := z.F
	x, y = x[:len(o)], y[:len(o)]
	for i := range o {
		o[i] = f(x[i], y[i])
	}
}

// VS is the inner loop on a vector and a scalar.
func (z *Zip[T, R]) VS(o []R, x []T, y T) {
	if z.Loops != nil {
		z.Loops.VS(o, x, y)
		return
	}
	f := z.F
	for i, x := range x[:len(o)] {
		o[i] = f(x, y)
	}
}

// SV is the inner loop on a scalar and a vector.
func (z *Zip[T, R]) SV(o []R, x T, y []T) {
	if z.Loops != nil {
		z.Loops.SV(o, x, y)
		return
	}
	f := z.F
	for i, y := range y[:len(o)] {
		o[i] = f(x, y)
	}
}

func (z *Zip[T, R]) grain() int {
	if z.Loops != nil && !z.Slow {
		return Grain
	}
	return slowGrain
}

func (z *Zip[T, R]) slow() bool { return z.Slow }

// fits reports whether scalars of dt live inside values.
func fits(dt tensor.DType) bool { n := dt.Size(); return n > 0 && n <= 8 }

// OfOneShape makes a kernel that refuses operands of different shapes of one
// that broadcasts them; op names it in the error.
func OfOneShape(op string, k kernel.Kernel) kernel.Kernel { return ofOneShape{op, k} }

type ofOneShape struct {
	op string
	kernel.Kernel
}

func (k ofOneShape) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	for i := range in {
		if !tensor.SameShape(in[0], in[i]) {
			return status.Invalid("Inputs to operation %s must have the same size and shape.  Input 0: %s != input %d: %s",
				k.op, tensor.FormatDims(in[0].Dims()), i, tensor.FormatDims(in[i].Dims()))
		}
	}
	return k.Kernel.Run(ctx, in, out)
}

// OfOneSize makes a kernel that takes operands of any shapes of one size, as
// having the first one's shape, of one that broadcasts them.
func OfOneSize(k kernel.Kernel) kernel.Kernel {
	if p, ok := k.(kernel.Preparer); ok {
		return preparedOfOneSize{ofOneSize{k}, p}
	}
	return ofOneSize{k}
}

type ofOneSize struct{ kernel.Kernel }

// withoutShapes returns a kernel without its rule for operands of different shapes, and
// whether it has one.
func withoutShapes(k kernel.Kernel) (loops kernel.Kernel, had bool) {
	switch k := k.(type) {
	case ofOneShape:
		return k.Kernel, true
	case ofOneSize:
		return k.Kernel, true
	case preparedOfOneSize:
		return k.Kernel, true
	}
	return k, false
}

func (k ofOneSize) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	for i := 1; i < len(in); i++ {
		if tensor.SameShape(in[0], in[i]) {
			continue
		}
		if n, m := in[0].NumElements(), in[i].NumElements(); n != m {
			return status.Invalid("The two arguments to a cwise op must have same number of elements, got %d and %d", n, m)
		}
		v, err := ctx.View(in[i], 0, in[i].NumElements(), in[0].Dims())
		if err != nil {
			return err
		}
		keep := ctx.Keep
		ctx.Keep |= 1 << uint(i) // the view is no buffer for the result
		defer func() {
			ctx.Keep = keep
			ctx.Free(v)
		}()
		like := slices.Clone(in)
		like[i] = v
		return k.Run(ctx, like, out)
	}
	return k.Kernel.Run(ctx, in, out)
}
