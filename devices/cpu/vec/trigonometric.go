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
