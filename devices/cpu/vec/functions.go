package vec

// Exp sets dst to e to the power of x, with an error below 1.1 ulp.
func Exp(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		expAVX512(dst, x)
	case avx2:
		expAVX2(dst, x)
	default:
		expPortable(dst, x)
	}
}

// Tanh sets dst to the hyperbolic tangent of x, with an error below 2.6 ulp.
func Tanh(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		tanhAVX512(dst, x)
	case avx2:
		tanhAVX2(dst, x)
	default:
		tanhPortable(dst, x)
	}
}

// Sigmoid sets dst to 1/(1 + e to the power of -x), with an error below 2.5
// ulp.
func Sigmoid(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		sigmoidAVX512(dst, x)
	case avx2:
		sigmoidAVX2(dst, x)
	default:
		sigmoidPortable(dst, x)
	}
}

// ExpSub sets dst to e to the power of x-s, of which the difference is rounded.
func ExpSub(dst, x []float32, s float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		expSubScalarAVX512(dst, x, s)
	case avx2:
		expSubScalarAVX2(dst, x, s)
	default:
		addScalarPortable(dst, x, -s)
		expPortable(dst, dst)
	}
}

// Erf sets dst to the error function of x, with an error below 1.1 ulp.
func Erf(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		erfAVX512(dst, x)
	case avx2:
		erfAVX2(dst, x)
	default:
		erfPortable(dst, x)
	}
}

// Sqrt sets dst to the square root of x, correctly rounded; NaN where x < 0.
func Sqrt(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		sqrtAVX512(dst, x)
	case avx2:
		sqrtAVX2(dst, x)
	default:
		sqrtPortable(dst, x)
	}
}

// Rsqrt sets dst to 1 over the square root of x, both rounded: an error below
// 1.5 ulp. It is an infinity of x's sign where x is a zero, NaN where x < 0.
func Rsqrt(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		rsqrtAVX512(dst, x)
	case avx2:
		rsqrtAVX2(dst, x)
	default:
		rsqrtPortable(dst, x)
	}
}

// Erfc sets dst to 1 less the error function of x, with an error below 3.5 ulp.
func Erfc(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		erfcAVX512(dst, x)
	case avx2:
		erfcAVX2(dst, x)
	default:
		erfcPortable(dst, x)
	}
}

// Expm1 sets dst to e^x-1, with an error below 2 ulp.
func Expm1(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		expm1AVX512(dst, x)
	case avx2:
		expm1AVX2(dst, x)
	default:
		expm1Portable(dst, x)
	}
}

// Log sets dst to the natural logarithm of x, with an error below 1 ulp: -∞ of 0, NaN
// where x < 0.
func Log(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		logAVX512(dst, x)
	case avx2:
		logAVX2(dst, x)
	default:
		logPortable(dst, x)
	}
}

// Log1p sets dst to the natural logarithm of 1+x, with an error below 2 ulp.
func Log1p(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		log1pAVX512(dst, x)
	case avx2:
		log1pAVX2(dst, x)
	default:
		log1pPortable(dst, x)
	}
}
