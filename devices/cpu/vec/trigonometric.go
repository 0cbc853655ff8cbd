package vec

import "math"

// mostReduced is the magnitude up to which the assembly takes quarters of a turn away
// without losing digits.
const mostReduced = 1 << 16

// reduced calls f on blocks of dst and x, and exact for elements that are larger than
// mostReduced, or no numbers.
func reduced(dst, x []float32, f func(dst, x []float32), exact func(float64) float64) {
	var block [256]float32
	x = operand(dst, x)
	for len(x) > 0 {
		n := min(len(x), len(block))
		most := uint32(0)
		for _, v := range x[:n] {
			most = max(most, math.Float32bits(v)&^(1<<31))
		}
		if most < math.Float32bits(mostReduced) {
			f(dst[:n], x[:n])
		} else {
			copy(block[:n], x)
			f(dst[:n], x[:n])
			for i, v := range block[:n] {
				if !(math.Abs(float64(v)) < mostReduced) {
					dst[i] = float32(exact(float64(v)))
				}
			}
		}
		dst, x = dst[n:], x[n:]
	}
}

// Sin sets dst to the sine of x, with an error below 1.5 ulp.
func Sin(dst, x []float32) { wave(dst, x, sinAVX512, sinAVX2, math.Sin) }

// Cos sets dst to the cosine of x, with an error below 1.5 ulp.
func Cos(dst, x []float32) { wave(dst, x, cosAVX512, cosAVX2, math.Cos) }

func wave(dst, x []float32, wide, narrow func(dst, x []float32), exact func(float64) float64) {
	switch isa {
	case avx512:
		reduced(dst, x, wide, exact)
	case avx2:
		reduced(dst, x, narrow, exact)
	default:
		x = operand(dst, x)
		for i, v := range x {
			dst[i] = float32(exact(float64(v)))
		}
	}
}

// Atan sets dst to the arc tangent of x, with an error below 2 ulp.
func Atan(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		atanAVX512(dst, x)
	case avx2:
		atanAVX2(dst, x)
	default:
		for i, v := range x {
			dst[i] = float32(math.Atan(float64(v)))
		}
	}
}

// Asin sets dst to the arc sine of x, with an error below 4 ulp.
func Asin(dst, x []float32) {
	choose(asinAVX512, asinAVX2, asinPortable)(dst, operand(dst, x))
}

// Acos sets dst to the arc cosine of x, with an error below 4 ulp.
func Acos(dst, x []float32) {
	choose(acosAVX512, acosAVX2, acosPortable)(dst, operand(dst, x))
}

// Atan2 sets dst to the angle between the first axis and (x, y), with an error below 4
// ulp; zeros and infinities are as in [math.Atan2].
func Atan2(dst, y, x []float32) {
	choose(atan2AVX512, atan2AVX2, atan2Portable)(dst, operand(dst, y), operand(dst, x))
}

// Atanh sets dst to the inverse hyperbolic tangent of x, with an error below 4 ulp.
func Atanh(dst, x []float32) {
	choose(atanhAVX512, atanhAVX2, atanhPortable)(dst, operand(dst, x))
}

// Cosh sets dst to the hyperbolic cosine of x, with an error below 4 ulp.
func Cosh(dst, x []float32) {
	choose(coshAVX512, coshAVX2, coshPortable)(dst, operand(dst, x))
}

var (
	asinPortable  = portable1(math.Asin)
	acosPortable  = portable1(math.Acos)
	atan2Portable = portable2(math.Atan2)
	atanhPortable = portable1(math.Atanh)
	coshPortable  = portable1(math.Cosh)
)
