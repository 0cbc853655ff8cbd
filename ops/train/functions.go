package train

import (
	"math"
	"math/cmplx"

	"github.com/troupe-go/troupe/kernel/elementwise"
)

// root returns the square root of a type.
func root[T elementwise.Field]() func(T) T {
	var f any
	switch any(*new(T)).(type) {
	case float32:
		f = func(x float32) float32 { return float32(math.Sqrt(float64(x))) }
	case float64:
		f = math.Sqrt
	case complex64:
		f = func(x complex64) complex64 { return complex64(cmplx.Sqrt(complex128(x))) }
	case complex128:
		f = cmplx.Sqrt
	}
	return f.(func(T) T)
}

// sign is -1, 0 or 1; of a NaN it is the NaN.
func sign[T elementwise.Float](x T) T {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x + 0
}

// proximal returns what a step to x becomes by regularization of weights l1 and l2
// at some learning rate.
func proximal[T elementwise.Float](x, rate, l1, l2 T) T {
	if l1 > 0 {
		x = sign(x) * max(T(math.Abs(float64(x)))-rate*l1, 0)
	}
	return x / (1 + rate*l2)
}
