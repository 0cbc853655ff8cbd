package vec

// AtMost sets dst to y where it is less than x, and to x elsewhere: a NaN of x stays, and
// one of y is no limit.
func AtMost(dst, x, y []float32) {
	x, y = operand(dst, x), operand(dst, y)
	switch isa {
	case avx512:
		atMostAVX512(dst, x, y)
	case avx2:
		atMostAVX2(dst, x, y)
	default:
		for i, v := range x {
			dst[i] = bitsIf(y[i] < v, y[i], v)
		}
	}
}

// AtMostScalar is AtMost with one limit for all.
func AtMostScalar(dst, x []float32, s float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		atMostScalarAVX512(dst, x, s)
	case avx2:
		atMostScalarAVX2(dst, x, s)
	default:
		for i, v := range x {
			dst[i] = bitsIf(s < v, s, v)
		}
	}
}

// AtLeast sets dst to y where it is greater than x, and to x elsewhere: a NaN of x stays, and
// one of y is no limit.
func AtLeast(dst, x, y []float32) {
	x, y = operand(dst, x), operand(dst, y)
	switch isa {
	case avx512:
		atLeastAVX512(dst, x, y)
	case avx2:
		atLeastAVX2(dst, x, y)
	default:
		for i, v := range x {
			dst[i] = bitsIf(y[i] > v, y[i], v)
		}
	}
}

// AtLeastScalar is AtLeast with one limit for all.
func AtLeastScalar(dst, x []float32, s float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		atLeastScalarAVX512(dst, x, s)
	case avx2:
		atLeastScalarAVX2(dst, x, s)
	default:
		for i, v := range x {
			dst[i] = bitsIf(s > v, s, v)
		}
	}
}
