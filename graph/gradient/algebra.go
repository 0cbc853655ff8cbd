package gradient

import (
	"strconv"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
)

// An Algebra is a builder with short forms of what gradients are made of. The forms
// do not look at outputs that are zero because of an earlier error. They are not inlined,
// which would compile them hundreds of times for code that runs seldom.
type Algebra struct {
	*graph.Builder
	besideOf func(graph.Output) *graph.Builder // nil: where everything else is
	known    func(graph.Output) (shape.Shape, bool)
}

// Build returns the algebra of a builder.
func Build(b *graph.Builder) Algebra { return Algebra{Builder: b} }

// BuildBeside returns the algebra of a builder, of which beside says where a tensor is
// computed, and known what is known of shapes; see [Setting].
func BuildBeside(b *graph.Builder, beside func(graph.Output) *graph.Builder, known func(graph.Output) (shape.Shape, bool)) Algebra {
	return Algebra{b, beside, known}
}

// Outputs adds a node and is all of its outputs, none after an error.
func (a Algebra) Outputs(op string, attrs graph.Attrs, inputs ...graph.Input) []graph.Output {
	n := a.Builder.Add(graph.OpSpec{Type: op, Attrs: attrs, Input: inputs})
	if n == nil {
		return nil
	}
	list := make([]graph.Output, n.NumOutputs())
	for i := range list {
		list[i] = n.Output(i)
	}
	return list
}

// Add is x + y.
//
//go:noinline
func (a Algebra) Add(x, y graph.Output) graph.Output { return a.Apply("AddV2", x, y) }

// Sub is x - y.
//
//go:noinline
func (a Algebra) Sub(x, y graph.Output) graph.Output { return a.Apply("Sub", x, y) }

// Mul is x·y.
//
//go:noinline
func (a Algebra) Mul(x, y graph.Output) graph.Output { return a.Apply("Mul", x, y) }

// Div is x/y, of integers rounded towards zero.
//
//go:noinline
func (a Algebra) Div(x, y graph.Output) graph.Output {
	if x.Op != nil && integer(x.DataType()) {
		return a.Apply("TruncateDiv", x, y)
	}
	return a.Apply("RealDiv", x, y)
}

// Neg is -x.
//
//go:noinline
func (a Algebra) Neg(x graph.Output) graph.Output { return a.Apply("Neg", x) }

// Square is x².
//
//go:noinline
func (a Algebra) Square(x graph.Output) graph.Output { return a.Apply("Square", x) }

// Sqrt returns the square root of x.
//
//go:noinline
func (a Algebra) Sqrt(x graph.Output) graph.Output { return a.Apply("Sqrt", x) }

// Exp is e to the power of x.
//
//go:noinline
func (a Algebra) Exp(x graph.Output) graph.Output { return a.Apply("Exp", x) }

// Log returns the natural logarithm of x.
//
//go:noinline
func (a Algebra) Log(x graph.Output) graph.Output { return a.Apply("Log", x) }

// Reciprocal is 1/x.
//
//go:noinline
func (a Algebra) Reciprocal(x graph.Output) graph.Output { return a.Apply("Reciprocal", x) }

// Pow is x to the power of y.
//
//go:noinline
func (a Algebra) Pow(x, y graph.Output) graph.Output { return a.Apply("Pow", x, y) }

// Conj returns the complex conjugate of x; x itself if it is real.
//
//go:noinline
func (a Algebra) Conj(x graph.Output) graph.Output {
	if x.Op != nil && complexType(x.DataType()) {
		return a.Apply("Conj", x)
	}
	return x
}

// Select is x where the condition holds and y elsewhere, with broadcasting.
//
//go:noinline
func (a Algebra) Select(condition, x, y graph.Output) graph.Output {
	return a.Apply("SelectV2", condition, x, y)
}

// Cast is x of another type; x itself if it has it.
//
//go:noinline
func (a Algebra) Cast(x graph.Output, to tensor.DType) graph.Output {
	if x.Op == nil || x.DataType().Base() == to {
		return x
	}
	return a.Op("Cast", graph.Attrs{"DstT": to}, x)
}

// Scalar returns a number as a constant of the type of another tensor.
//
//go:noinline
func (a Algebra) Scalar(like graph.Output, v float64) graph.Output {
	if like.Op == nil {
		return like
	}
	return number(a.Builder, like.DataType().Base(), v)
}

// number returns a constant scalar of any type of numbers.
func number(b *graph.Builder, dt tensor.DType, v float64) graph.Output {
	t, err := literal.Parse(strconv.FormatFloat(v, 'g', -1, 64), dt)
	if err != nil {
		b.Fail(err)
		return graph.Output{}
	}
	return b.Const(t)
}

// Zeros is zeros of the type and shape of x. Of a resource they are those of the
// variable.
func (a Algebra) Zeros(x graph.Output) graph.Output {
	if x.Op == nil {
		return x
	}
	dt := x.DataType().Base()
	if h, ok := handleOf(x); ok {
		dt = h.Type
	}
	switch dt {
	case tensor.Variant, tensor.Invalid:
		return a.Apply("ZerosLike", x)
	case tensor.Bool:
		return a.Apply("Fill", a.Shape(x), a.Const(false))
	case tensor.String:
		return a.Apply("Fill", a.Shape(x), a.Const(""))
	}
	zero := number(a.Builder, dt, 0)
	if s := a.StaticShape(x); s.Known() && s.Rank() == 0 && dt == x.DataType().Base() {
		return zero
	}
	return a.Apply("Fill", a.Shape(x), zero)
}

// ZerosLike is zeros of the type and shape of x, there if x is: dead where x is
// dead, and of variants what adds nothing to them. Of a resource they are those of
// the variable.
func (a Algebra) ZerosLike(x graph.Output) graph.Output {
	if x.Op == nil {
		return x
	}
	if h, ok := handleOf(x); ok && h.Type != tensor.Invalid {
		return a.Apply("Fill", a.Apply("VariableShape", x), number(a.Builder, h.Type, 0))
	}
	return a.Apply("ZerosLike", x)
}

// OnesLike is ones of the type and shape of x.
func (a Algebra) OnesLike(x graph.Output) graph.Output {
	if x.Op == nil {
		return x
	}
	return a.Apply("Fill", a.Shape(x), number(a.Builder, x.DataType().Base(), 1))
}

func complexType(dt tensor.DType) bool {
	return dt.Base() == tensor.Complex64 || dt.Base() == tensor.Complex128
}

func integer(dt tensor.DType) bool {
	switch dt.Base() {
	case tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64,
		tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64:
		return true
	}
	return false
}
