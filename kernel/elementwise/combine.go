package elementwise

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// An Update is how a value that is kept, such as a variable's, changes.
type Update uint8

// The updates. Of a number and a NaN, the lesser and the greater are NaN.
const (
	UpdateAdd Update = iota
	UpdateSub
	UpdateMul
	UpdateDiv
	UpdateMin
	UpdateMax
)

// A Combination is an update on elements of one type.
type Combination struct {
	// Range sets o[i] to x[i] ∘ y[j] for n elements: i counts from at on, j
	// from the given place. o may be x itself. Integers divided by zero are an
	// error, before which all elements up to there have been set.
	Range func(o, x *tensor.Value, at int, y *tensor.Value, j, n int) error
	// Scalar is x ∘ y for two scalars that are inside their Values.
	Scalar func(x, y tensor.Value) (tensor.Value, error)
}

// Combine returns the Combination of an update for elements of type dt; nil for a
// type on which it makes no sense.
func Combine(u Update, dt tensor.DType) *Combination {
	switch dt {
	case tensor.Float:
		return combineFloats[float32](u)
	case tensor.Double:
		return combineFloats[float64](u)
	case tensor.Int8:
		return combineIntegers[int8](u)
	case tensor.Int16:
		return combineIntegers[int16](u)
	case tensor.Int32:
		return combineIntegers[int32](u)
	case tensor.Int64:
		return combineIntegers[int64](u)
	case tensor.Uint8:
		return combineIntegers[uint8](u)
	case tensor.Uint16:
		return combineIntegers[uint16](u)
	case tensor.Uint32:
		return combineIntegers[uint32](u)
	case tensor.Uint64:
		return combineIntegers[uint64](u)
	case tensor.Complex64:
		return combineField[complex64](u)
	case tensor.Complex128:
		return combineField[complex128](u)
	case tensor.Half:
		return combination(Half2(update[float32](u)))
	case tensor.Bfloat16:
		return combination(Bfloat2(update[float32](u)))
	}
	return nil
}

// CombineBools adds and subtracts bools as numbers of which all but 0 are true;
// it is nil for other updates. Few operations sum bools, which Combine does not.
func CombineBools(u Update) *Combination {
	switch u {
	case UpdateAdd:
		return combination(func(x, y bool) bool { return x || y })
	case UpdateSub:
		return combination(func(x, y bool) bool { return x != y })
	}
	return nil
}

// combination makes a Combination of a function that cannot fail, and that is called for
// each element.
//
//go:noinline
func combination[T tensor.Element](f func(x, y T) T) *Combination {
	return &Combination{
		Range: func(o, x *tensor.Value, at int, y *tensor.Value, j, n int) error {
			to, by := tensor.Of[T](o)[at:at+n], tensor.Of[T](y)[j:j+n]
			for i, v := range tensor.Of[T](x)[at : at+n] {
				to[i] = f(v, by[i])
			}
			return nil
		},
		Scalar: ofScalars(f),
	}
}

//go:noinline
func ofScalars[T tensor.Element](f func(x, y T) T) func(x, y tensor.Value) (tensor.Value, error) {
	return func(x, y tensor.Value) (tensor.Value, error) {
		return tensor.Scalar(f(tensor.Inner[T](&x), tensor.Inner[T](&y))), nil
	}
}

func combineFloats[T Float](u Update) *Combination {
	switch u {
	case UpdateMin, UpdateMax:
		return combination(update[T](u))
	}
	return combineField[T](u)
}

func combineIntegers[T Integer](u Update) *Combination {
	switch u {
	case UpdateMin, UpdateMax:
		return combination(update[T](u))
	case UpdateDiv:
		return divideIntegers[T]()
	}
	return combineRing[T](u)
}

// update returns an update on ordered numbers.
//
//go:noinline
func update[T Real](u Update) func(x, y T) T {
	switch u {
	case UpdateAdd:
		return func(x, y T) T { return x + y }
	case UpdateSub:
		return func(x, y T) T { return x - y }
	case UpdateMul:
		return func(x, y T) T { return x * y }
	case UpdateDiv:
		return func(x, y T) T { return x / y }
	case UpdateMin:
		return func(x, y T) T { return min(x, y) }
	default:
		return func(x, y T) T { return max(x, y) }
	}
}

//go:noinline
func combineField[T Field](u Update) *Combination {
	if u == UpdateDiv {
		return combination(func(x, y T) T { return x / y })
	}
	return combineRing[T](u)
}

// combineRing is for the updates that every number has, with loops of their own.
//
//go:noinline
func combineRing[T Number](u Update) *Combination {
	switch u {
	case UpdateAdd:
		return &Combination{func(o, x *tensor.Value, at int, y *tensor.Value, j, n int) error {
			to, from, by := tensor.Of[T](o)[at:at+n], tensor.Of[T](x)[at:at+n], tensor.Of[T](y)[j:j+n]
			for i := range to {
				to[i] = from[i] + by[i]
			}
			return nil
		}, ofScalars(func(x, y T) T { return x + y })}
	case UpdateSub:
		return &Combination{func(o, x *tensor.Value, at int, y *tensor.Value, j, n int) error {
			to, from, by := tensor.Of[T](o)[at:at+n], tensor.Of[T](x)[at:at+n], tensor.Of[T](y)[j:j+n]
			for i := range to {
				to[i] = from[i] - by[i]
			}
			return nil
		}, ofScalars(func(x, y T) T { return x - y })}
	case UpdateMul:
		return &Combination{func(o, x *tensor.Value, at int, y *tensor.Value, j, n int) error {
			to, from, by := tensor.Of[T](o)[at:at+n], tensor.Of[T](x)[at:at+n], tensor.Of[T](y)[j:j+n]
			for i := range to {
				to[i] = from[i] * by[i]
			}
			return nil
		}, ofScalars(func(x, y T) T { return x * y })}
	}
	return nil
}

//go:noinline
func divideIntegers[T Integer]() *Combination {
	return &Combination{
		Range: func(o, x *tensor.Value, at int, y *tensor.Value, j, n int) error {
			to, by := tensor.Of[T](o)[at:at+n], tensor.Of[T](y)[j:j+n]
			for i, v := range tensor.Of[T](x)[at : at+n] {
				if by[i] == 0 {
					return status.Invalid("Integer division by zero")
				}
				to[i] = v / by[i]
			}
			return nil
		},
		Scalar: func(x, y tensor.Value) (tensor.Value, error) {
			by := tensor.Inner[T](&y)
			if by == 0 {
				return tensor.Value{}, status.Invalid("Integer division by zero")
			}
			return tensor.Scalar(tensor.Inner[T](&x) / by), nil
		},
	}
}
