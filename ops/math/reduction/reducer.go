package reduction

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/tensor"
)

// A reducer is the arithmetic of a reduction.
type reducer[T tensor.Element] struct {
	empty  T                  // what no elements give
	of     func(x []T) T      // what a run of elements gives
	into   func(o, x []T)     // takes x[i] into the partial result o[i]
	all    func(o, x []T)     // empty results, and into for each row of x; nil: that
	with   func(x, y T) T     // combines partial results
	finish func(x T, n int) T // the result, of the partial result of n elements; nil: the same
	always bool               // see [reduce]
}

// A reduction names a reducer.
type reduction uint8

const (
	total reduction = iota
	product
	mean
	norm
	largest
	smallest
)

// newReduce returns the kernel of a reduction of dt. Integers of fewer than 32 bits, and
// those of 32 bits without a sign, are reduced as longer ones.
func newReduce(dt tensor.DType, kind reduction, keep bool) kernel.Kernel {
	if kind == mean {
		if k := newWideMean(dt, keep); k != nil {
			return k
		}
	}
	switch dt {
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, newReduce(tensor.Float, kind, keep))
	case tensor.Float:
		return newReduction(floatReducer(kind), keep)
	case tensor.Double:
		return newReduction(realReducer[float64](kind), keep)
	case tensor.Int8:
		return newNarrowReduce[int32](dt, kind, keep, math.MinInt8, math.MaxInt8)
	case tensor.Int16:
		return newNarrowReduce[int32](dt, kind, keep, math.MinInt16, math.MaxInt16)
	case tensor.Int32:
		return newReduction(realReducer[int32](kind), keep)
	case tensor.Int64:
		return newReduction(realReducer[int64](kind), keep)
	case tensor.Uint8:
		return newNarrowReduce[int32](dt, kind, keep, 0, math.MaxUint8)
	case tensor.Uint16:
		return newNarrowReduce[int32](dt, kind, keep, 0, math.MaxUint16)
	case tensor.Uint32:
		return newNarrowReduce[int64](dt, kind, keep, 0, math.MaxUint32)
	case tensor.Uint64:
		return newReduction(realReducer[uint64](kind), keep)
	case tensor.Complex64:
		return newReduction(complexReducer(kind, func(n int) complex64 { return complex(float32(n), 0) }), keep)
	case tensor.Complex128:
		return newReduction(complexReducer(kind, func(n int) complex128 { return complex(float64(n), 0) }), keep)
	}
	return nil
}

// newNarrowReduce returns the kernel of a reduction of integers of dt, from least to
// greatest, as integers of type W. Sums and products have the bits that dt has room
// for.
func newNarrowReduce[W int32 | int64](dt tensor.DType, kind reduction, keep bool, least, greatest W) kernel.Kernel {
	r := realReducer[W](kind)
	switch kind {
	case largest:
		r.empty = least
	case smallest:
		r.empty = greatest
	case norm:
		span := greatest - least + 1
		r.finish = func(x W, _ int) W {
			if x %= span; x > greatest { // the sum of dt
				x -= span
			} else if x < least {
				x += span
			}
			return W(math.Sqrt(float64(x)))
		}
	}
	return elementwise.WidenIntegers(dt, newReduction(r, keep), 0)
}

//go:noinline
func realReducer[T elementwise.Real](kind reduction) reducer[T] {
	switch kind {
	case mean:
		return reducer[T]{of: sum[T], into: addInto[T], with: plus[T], finish: func(x T, n int) T {
			if n == 0 && !isFloat[T]() {
				return 0
			}
			return x / T(n)
		}}
	case norm:
		return reducer[T]{of: sumOfSquares[T], into: squaresInto[T], with: plus[T],
			finish: func(x T, _ int) T { return T(math.Sqrt(float64(x))) }, always: true}
	case largest:
		return reducer[T]{empty: least[T](), with: func(x, y T) T { return max(x, y) }, into: maxInto[T], of: largestOf[T]}
	case smallest:
		return reducer[T]{empty: greatest[T](), with: func(x, y T) T { return min(x, y) }, into: minInto[T], of: smallestOf[T]}
	}
	return numberReducer[T](kind)
}

//go:noinline
func complexReducer[T complex64 | complex128](kind reduction, count func(n int) T) reducer[T] {
	switch kind {
	case mean:
		return reducer[T]{of: sum[T], into: addInto[T], with: plus[T], finish: func(x T, n int) T {
			if n == 0 {
				return 0
			}
			return x / count(n)
		}}
	case norm:
		return complexNorm[T]()
	}
	return numberReducer[T](kind)
}

//go:noinline
func numberReducer[T elementwise.Number](kind reduction) reducer[T] {
	if kind == product {
		return reducer[T]{empty: 1, of: productOf[T], into: multiplyInto[T], with: times[T]}
	}
	return reducer[T]{of: sum[T], into: addInto[T], with: plus[T]}
}

func plus[T elementwise.Number](x, y T) T  { return x + y }
func times[T elementwise.Number](x, y T) T { return x * y }

func isFloat[T elementwise.Real]() bool { return T(1)/2 != 0 }

// least returns the smallest value of a type, or -Inf.
func least[T elementwise.Real]() T {
	if isFloat[T]() {
		return T(math.Inf(-1))
	}
	if ones := T(0) - 1; ones > 0 {
		return 0
	}
	x := T(0) - 1
	for x*2 < x { // until it overflows
		x *= 2
	}
	return x
}

// greatest returns the largest value of a type, or +Inf.
func greatest[T elementwise.Real]() T {
	if isFloat[T]() {
		return T(math.Inf(1))
	}
	return least[T]() - 1
}

// leaf is the number of elements that are added one by one.
const leaf = 256

// sum adds pairwise: its rounding error grows with the logarithm of the number
// of elements (N. Higham, "The accuracy of floating point summation", 1993).
// Eight sums side by side keep the processor's adders busy.
func sum[T elementwise.Number](x []T) T {
	if len(x) > leaf {
		half := (len(x)/2 + leaf - 1) / leaf * leaf
		return sum(x[:half]) + sum(x[half:])
	}
	var a, b, c, d, e, f, g, h T
	for ; len(x) >= 8; x = x[8:] {
		a += x[0]
		b += x[1]
		c += x[2]
		d += x[3]
		e += x[4]
		f += x[5]
		g += x[6]
		h += x[7]
	}
	for _, x := range x {
		a += x
	}
	return ((a + b) + (c + d)) + ((e + f) + (g + h))
}

func sumOfSquares[T elementwise.Real](x []T) T {
	if len(x) > leaf {
		half := (len(x)/2 + leaf - 1) / leaf * leaf
		return sumOfSquares(x[:half]) + sumOfSquares(x[half:])
	}
	var a, b T
	for ; len(x) >= 2; x = x[2:] {
		a += x[0] * x[0]
		b += x[1] * x[1]
	}
	for _, x := range x {
		a += x * x
	}
	return a + b
}

func productOf[T elementwise.Number](x []T) T {
	var a, b, c, d T = 1, 1, 1, 1
	for ; len(x) >= 4; x = x[4:] {
		a *= x[0]
		b *= x[1]
		c *= x[2]
		d *= x[3]
	}
	for _, x := range x {
		a *= x
	}
	return (a * b) * (c * d)
}

func largestOf[T elementwise.Real](x []T) T {
	a := least[T]()
	b, c, d := a, a, a
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d = max(a, x[0]), max(b, x[1]), max(c, x[2]), max(d, x[3])
	}
	for _, x := range x {
		a = max(a, x)
	}
	return max(max(a, b), max(c, d))
}

func smallestOf[T elementwise.Real](x []T) T {
	a := greatest[T]()
	b, c, d := a, a, a
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d = min(a, x[0]), min(b, x[1]), min(c, x[2]), min(d, x[3])
	}
	for _, x := range x {
		a = min(a, x)
	}
	return min(min(a, b), min(c, d))
}

func addInto[T elementwise.Number](o, x []T) {
	o = o[:len(x)]
	for i, x := range x {
		o[i] += x
	}
}

func multiplyInto[T elementwise.Number](o, x []T) {
	o = o[:len(x)]
	for i, x := range x {
		o[i] *= x
	}
}

func squaresInto[T elementwise.Real](o, x []T) {
	o = o[:len(x)]
	for i, x := range x {
		o[i] += x * x
	}
}

func maxInto[T elementwise.Real](o, x []T) {
	o = o[:len(x)]
	for i, x := range x {
		o[i] = max(o[i], x)
	}
}

func minInto[T elementwise.Real](o, x []T) {
	o = o[:len(x)]
	for i, x := range x {
		o[i] = min(o[i], x)
	}
}

func complexNorm[T complex64 | complex128]() reducer[T] {
	square := func(x T) T {
		c := complex128(x)
		return T(complex(real(c)*real(c)+imag(c)*imag(c), 0))
	}
	return reducer[T]{
		of: func(x []T) (t T) {
			for _, x := range x {
				t += square(x)
			}
			return t
		},
		into: func(o, x []T) {
			for i, x := range x {
				o[i] += square(x)
			}
		},
		with:   plus[T],
		finish: func(x T, _ int) T { return T(complex(math.Sqrt(real(complex128(x))), 0)) },
		always: true,
	}
}

var conjunction = reducer[bool]{
	empty: true,
	of: func(x []bool) bool {
		for _, x := range x {
			if !x {
				return false
			}
		}
		return true
	},
	into: func(o, x []bool) {
		for i, x := range x {
			o[i] = o[i] && x
		}
	},
	with: func(x, y bool) bool { return x && y },
}

var disjunction = reducer[bool]{
	of: func(x []bool) bool {
		for _, x := range x {
			if x {
				return true
			}
		}
		return false
	},
	into: func(o, x []bool) {
		for i, x := range x {
			o[i] = o[i] || x
		}
	},
	with: func(x, y bool) bool { return x || y },
}
