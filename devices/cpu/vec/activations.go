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

// LeakyReluGrad sets dst to x where y > 0, and to x·s elsewhere.
func LeakyReluGrad(dst, x, y []float32, s float32) {
	choose(leakyReluGradAVX512, leakyReluGradAVX2, leakyReluGradPortable)(dst, operand(dst, x), operand(dst, y), s)
}

// EluGrad sets dst to x·(y+1) where y < 0, and to x elsewhere.
func EluGrad(dst, x, y []float32) {
	choose(eluGradAVX512, eluGradAVX2, eluGradPortable)(dst, operand(dst, x), operand(dst, y))
}

// SeluGrad sets dst to x·(y+s·a) where y < 0, and to x·s elsewhere; see [Selu].
func SeluGrad(dst, x, y []float32) {
	choose(seluGradAVX512, seluGradAVX2, seluGradPortable)(dst, operand(dst, x), operand(dst, y))
}

// SoftplusGrad sets dst to x/(1+e^-y), with an error below 3.5 ulp where e^y is
// a normal number.
func SoftplusGrad(dst, x, y []float32) {
	choose(softplusGradAVX512, softplusGradAVX2, softplusGradPortable)(dst, operand(dst, x), operand(dst, y))
}

// Softsign sets dst to x/(1+|x|), with an error below 1.5 ulp.
func Softsign(dst, x []float32) {
	choose(softsignAVX512, softsignAVX2, softsignPortable)(dst, operand(dst, x))
}

// SoftsignGrad sets dst to x/(1+|y|)², with an error below 3.5 ulp.
func SoftsignGrad(dst, x, y []float32) {
	choose(softsignGradAVX512, softsignGradAVX2, softsignGradPortable)(dst, operand(dst, x), operand(dst, y))
}
