package state

import (
	"slices"

	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// An arithmetic is how an update joins what a variable holds.
type arithmetic uint8

const (
	add arithmetic = iota
	sub
	mul
	div
	least
	greatest
)

// A fold joins elements of a variable's type with those of an update.
type fold interface {
	// check refuses an update that the others cannot take.
	check(y *tensor.Value) error
	// scalar is x ∘ y, of inside scalars.
	scalar(x, y tensor.Value) tensor.Value
	// apply sets o[i] = x[i] ∘ y[i]; o may be x.
	apply(o, x, y *tensor.Value)
	// scatter joins row i of y, or y itself if it is a scalar, into row at[i]
	// of o, one after the other. Rows have width elements.
	scatter(o *tensor.Value, at []int64, y *tensor.Value, width int)
}

// newFold is the fold of an arithmetic for a dtype; nil if it has none.
func newFold(a arithmetic, dt tensor.DType) fold {
	switch dt {
	case tensor.Int8:
		return integers[int8](a)
	case tensor.Int16:
		return integers[int16](a)
	case tensor.Int32:
		return integers[int32](a)
	case tensor.Int64:
		return integers[int64](a)
	case tensor.Uint8:
		return integers[uint8](a)
	case tensor.Uint16:
		return integers[uint16](a)
	case tensor.Uint32:
		return integers[uint32](a)
	case tensor.Uint64:
		return integers[uint64](a)
	case tensor.Float:
		return reals[float32](a)
	case tensor.Double:
		return reals[float64](a)
	case tensor.Half:
		return each(elementwise.Half2(reals[float32](a).one))
	case tensor.Bfloat16:
		return each(elementwise.Bfloat2(reals[float32](a).one))
	case tensor.Complex64:
		return numbers[complex64](a)
	case tensor.Complex128:
		return numbers[complex128](a)
	}
	return nil
}

// A rows is a fold of elements of type T.
type rows[T tensor.Element] struct {
	one    func(x, y T) T
	join   func(o, x, y []T) // o[i] = x[i] ∘ y[i]
	refuse func(y []T) error // nil: takes anything
}

func (r rows[T]) check(y *tensor.Value) error {
	if r.refuse == nil {
		return nil
	}
	return r.refuse(tensor.Of[T](y))
}

func (r rows[T]) scalar(x, y tensor.Value) tensor.Value {
	tensor.SetScalar(&x, x.DType(), r.one(tensor.At0[T](&x), tensor.At0[T](&y)))
	return x
}

func (r rows[T]) apply(o, x, y *tensor.Value) {
	r.join(tensor.Of[T](o), tensor.Of[T](x), tensor.Of[T](y))
}

func (r rows[T]) scatter(o *tensor.Value, at []int64, y *tensor.Value, width int) {
	into, from := tensor.Of[T](o), tensor.Of[T](y)
	step := width
	if y.IsScalar() {
		from, step = slices.Repeat(from, width), 0
	}
	for i, k := range at {
		row := into[int(k)*width:][:width]
		r.join(row, row, from[i*step:][:width])
	}
}

// integers refuses to divide by zero.
func integers[T elementwise.Integer](a arithmetic) rows[T] {
	r := reals[T](a)
	if a == div {
		r.refuse = func(y []T) error {
			if slices.Contains(y, 0) {
				return status.Invalid("Integer division by zero")
			}
			return nil
		}
	}
	return r
}

func reals[T elementwise.Real](a arithmetic) rows[T] {
	switch a {
	case least:
		return each(func(x, y T) T { return min(x, y) })
	case greatest:
		return each(func(x, y T) T { return max(x, y) })
	}
	return numbers[T](a)
}

// numbers has loops of its own for the operations that training is made of.
func numbers[T elementwise.Number](a arithmetic) rows[T] {
	switch a {
	case add:
		return rows[T]{one: func(x, y T) T { return x + y }, join: func(o, x, y []T) {
			x, y = x[:len(o)], y[:len(o)]
			for i := range o {
				o[i] = x[i] + y[i]
			}
		}}
	case sub:
		return rows[T]{one: func(x, y T) T { return x - y }, join: func(o, x, y []T) {
			x, y = x[:len(o)], y[:len(o)]
			for i := range o {
				o[i] = x[i] - y[i]
			}
		}}
	case mul:
		return each(func(x, y T) T { return x * y })
	}
	return each(func(x, y T) T { return x / y })
}

func each[T tensor.Element](f func(x, y T) T) rows[T] {
	return rows[T]{one: f, join: func(o, x, y []T) {
		for i := range o {
			o[i] = f(x[i], y[i])
		}
	}}
}
