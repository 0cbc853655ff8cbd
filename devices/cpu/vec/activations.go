package vec

// Relu6 sets dst to 0 where x < 0, to 6 where x > 6 and to x elsewhere: NaN and -0 stay.
func Relu6(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		relu6AVX512(dst, x)
	case avx2:
		relu6AVX2(dst, x)
	default:
		relu6Portable(dst, x)
	}
}

// LeakyRelu sets dst to x where x > 0 and to x·s elsewhere.
func LeakyRelu(dst, x []float32, s float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		leakyReluScalarAVX512(dst, x, s)
	case avx2:
		leakyReluScalarAVX2(dst, x, s)
	default:
		leakyReluPortable(dst, x, s)
	}
}

// Sign sets dst to the sign of x: -1, 0, 1, or NaN.
func Sign(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		signAVX512(dst, x)
	case avx2:
		signAVX2(dst, x)
	default:
		signPortable(dst, x)
	}
}

// Elu sets dst to e^x-1 where x < 0, with an error below 2 ulp, and to x elsewhere.
func Elu(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		eluAVX512(dst, x)
	case avx2:
		eluAVX2(dst, x)
	default:
		eluPortable(dst, x)
	}
}

// Selu sets dst to s·a·(e^x-1) where x < 0, with an error below 3 ulp, and to s·x
// elsewhere, for the constants s and a of self-normalizing networks.
func Selu(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		seluAVX512(dst, x)
	case avx2:
		seluAVX2(dst, x)
	default:
		seluPortable(dst, x)
	}
}

// Softplus sets dst to log(1+e^x), with an error below 2.5 ulp.
func Softplus(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		softplusAVX512(dst, x)
	case avx2:
		softplusAVX2(dst, x)
	default:
		softplusPortable(dst, x)
	}
}

// ReluGrad sets dst to x times 1 where y > 0 and to x times 0 elsewhere.
func ReluGrad(dst, x, y []float32) {
	x, y = operand(dst, x), operand(dst, y)
	switch isa {
	case avx512:
		reluGradAVX512(dst, x, y)
	case avx2:
		reluGradAVX2(dst, x, y)
	default:
		reluGradPortable(dst, x, y)
	}
}

// Relu6Grad sets dst to x times 1 where 0 < y < 6 and to x times 0 elsewhere.
func Relu6Grad(dst, x, y []float32) {
	x, y = operand(dst, x), operand(dst, y)
	switch isa {
	case avx512:
		relu6GradAVX512(dst, x, y)
	case avx2:
		relu6GradAVX2(dst, x, y)
	default:
		relu6GradPortable(dst, x, y)
	}
}
