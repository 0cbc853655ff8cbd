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
