package elementwise

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// An Update is how a value that is kept, such as a variable's, changes.
type Update uint8

// The updates.
const (
	UpdateAdd Update = iota
	UpdateSub
	UpdateMul
	UpdateDiv
	UpdateMin
	UpdateMax
)

// A Combine sets o[i] to x[i] ∘ y[j] for n elements: i counts from at on, j
// from the given place. o may be x itself. Integers divided by zero are an
// error, before which all elements up to there have been set.
type Combine func(o, x *tensor.Value, at int, y *tensor.Value, j, n int) error

// Combiner is the Combine of an update for elements of type dt; nil for a type
// on which it makes no sense.
func Combiner(u Update, dt tensor.DType) Combine {
	switch dt {
	case tensor.Float:
		return combineReal[float32](u)
	case tensor.Double:
		return combineReal[float64](u)
	case tensor.Int8:
		return combineInteger[int8](u)
	case tensor.Int16:
		return combineInteger[int16](u)
	case tensor.Int32:
		return combineInteger[int32](u)
	case tensor.Int64:
		return combineInteger[int64](u)
	case tensor.Uint8:
		return combineInteger[uint8](u)
	case tensor.Uint16:
		return combineInteger[uint16](u)
	case tensor.Uint32:
		return combineInteger[uint32](u)
	case tensor.Uint64:
		return combineInteger[uint64](u)
	case tensor.Complex64:
		return combineField[complex64](u)
	case tensor.Complex128:
		return combineField[complex128](u)
	case tensor.Half:
		return combineEach(Half2(narrowUpdate(u)))
	case tensor.Bfloat16:
		return combineEach(Bfloat2(narrowUpdate(u)))
	}
	return nil
}

// combineWith applies a loop to the ranges.
func combineWith[T tensor.Element](loop func(o, x, y []T)) Combine {
	return func(o, x *tensor.Value, at int, y *tensor.Value, j, n int) error {
		loop(tensor.Of[T](o)[at:at+n], tensor.Of[T](x)[at:at+n], tensor.Of[T](y)[j:j+n])
		return nil
	}
}

func combineEach[T tensor.Element](f func(x, y T) T) Combine {
	return combineWith(func(o, x, y []T) {
		for i := range o {
			o[i] = f(x[i], y[i])
		}
	})
}

// combineRing is for the updates that every number has; nil for the others.
func combineRing[T Number](u Update) Combine {
	switch u {
	case UpdateAdd:
		return combineWith(func(o, x, y []T) {
			x, y = x[:len(o)], y[:len(o)]
			for i := range o {
				o[i] = x[i] + y[i]
			}
		})
	case UpdateSub:
		return combineWith(func(o, x, y []T) {
			x, y = x[:len(o)], y[:len(o)]
			for i := range o {
				o[i] = x[i] - y[i]
			}
		})
	case UpdateMul:
		return combineEach(func(x, y T) T { return x * y })
	}
	return nil
}

func combineField[T Field](u Update) Combine {
	if u == UpdateDiv {
		return combineEach(func(x, y T) T { return x / y })
	}
	return combineRing[T](u)
}

// combineReal is for floats. Of a number and a NaN, the lesser and the greater
// are NaN.
func combineReal[T Float](u Update) Combine {
	switch u {
	case UpdateMin:
		return combineEach(func(x, y T) T { return min(x, y) })
	case UpdateMax:
		return combineEach(func(x, y T) T { return max(x, y) })
	}
	return combineField[T](u)
}

func combineInteger[T Integer](u Update) Combine {
	switch u {
	case UpdateMin:
		return combineEach(func(x, y T) T { return min(x, y) })
	case UpdateMax:
		return combineEach(func(x, y T) T { return max(x, y) })
	case UpdateDiv:
		return func(o, x *tensor.Value, at int, y *tensor.Value, j, n int) error {
			to, by := tensor.Of[T](o)[at:at+n], tensor.Of[T](y)[j:j+n]
			for i, v := range tensor.Of[T](x)[at : at+n] {
				if by[i] == 0 {
					return status.Invalid("Integer division by zero")
				}
				to[i] = v / by[i]
			}
			return nil
		}
	}
	return combineRing[T](u)
}

// narrowUpdate is an update on the 16-bit floats, which compute in float32.
func narrowUpdate(u Update) func(x, y float32) float32 {
	switch u {
	case UpdateAdd:
		return func(x, y float32) float32 { return x + y }
	case UpdateSub:
		return func(x, y float32) float32 { return x - y }
	case UpdateMul:
		return func(x, y float32) float32 { return x * y }
	case UpdateDiv:
		return func(x, y float32) float32 { return x / y }
	case UpdateMin:
		return func(x, y float32) float32 { return min(x, y) }
	default:
		return func(x, y float32) float32 { return max(x, y) }
	}
}
