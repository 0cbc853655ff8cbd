package vec

// operand is x, as long as dst. It panics if x is shorter.
func operand(dst, x []float32) []float32 { return x[:len(dst):len(x)] }

// Add sets dst to x + y.
func Add(dst, x, y []float32) {
	x, y = operand(dst, x), operand(dst, y)
	switch isa {
	case avx512:
		addAVX512(dst, x, y)
	case avx2:
		addAVX2(dst, x, y)
	default:
		addPortable(dst, x, y)
	}
}

// AddScalar sets dst to x + s.
func AddScalar(dst, x []float32, s float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		addScalarAVX512(dst, x, s)
	case avx2:
		addScalarAVX2(dst, x, s)
	default:
		addScalarPortable(dst, x, s)
	}
}

// Sub sets dst to x - y.
func Sub(dst, x, y []float32) {
	x, y = operand(dst, x), operand(dst, y)
	switch isa {
	case avx512:
		subAVX512(dst, x, y)
	case avx2:
		subAVX2(dst, x, y)
	default:
		subPortable(dst, x, y)
	}
}

// SubScalar sets dst to x - s.
func SubScalar(dst, x []float32, s float32) { AddScalar(dst, x, -s) }

// ScalarSub sets dst to s - y.
func ScalarSub(dst []float32, s float32, y []float32) {
	y = operand(dst, y)
	switch isa {
	case avx512:
		scalarSubAVX512(dst, s, y)
	case avx2:
		scalarSubAVX2(dst, s, y)
	default:
		scalarSubPortable(dst, s, y)
	}
}

// Mul sets dst to x * y.
func Mul(dst, x, y []float32) {
	x, y = operand(dst, x), operand(dst, y)
	switch isa {
	case avx512:
		mulAVX512(dst, x, y)
	case avx2:
		mulAVX2(dst, x, y)
	default:
		mulPortable(dst, x, y)
	}
}

// MulScalar sets dst to x * s.
func MulScalar(dst, x []float32, s float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		mulScalarAVX512(dst, x, s)
	case avx2:
		mulScalarAVX2(dst, x, s)
	default:
		mulScalarPortable(dst, x, s)
	}
}

// Div sets dst to x / y.
func Div(dst, x, y []float32) {
	x, y = operand(dst, x), operand(dst, y)
	switch isa {
	case avx512:
		divAVX512(dst, x, y)
	case avx2:
		divAVX2(dst, x, y)
	default:
		divPortable(dst, x, y)
	}
}

// DivScalar sets dst to x / s.
func DivScalar(dst, x []float32, s float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		divScalarAVX512(dst, x, s)
	case avx2:
		divScalarAVX2(dst, x, s)
	default:
		divScalarPortable(dst, x, s)
	}
}

// ScalarDiv sets dst to s / y.
func ScalarDiv(dst []float32, s float32, y []float32) {
	y = operand(dst, y)
	switch isa {
	case avx512:
		scalarDivAVX512(dst, s, y)
	case avx2:
		scalarDivAVX2(dst, s, y)
	default:
		scalarDivPortable(dst, s, y)
	}
}

// Max sets dst to the larger of x and y: NaN if either is, and +0 is larger
// than -0, as for Go's max.
func Max(dst, x, y []float32) {
	x, y = operand(dst, x), operand(dst, y)
	switch isa {
	case avx512:
		maxAVX512(dst, x, y)
	case avx2:
		maxAVX2(dst, x, y)
	default:
		maxPortable(dst, x, y)
	}
}

// MaxScalar sets dst to the larger of x and s, as [Max] does.
func MaxScalar(dst, x []float32, s float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		maxScalarAVX512(dst, x, s)
	case avx2:
		maxScalarAVX2(dst, x, s)
	default:
		maxScalarPortable(dst, x, s)
	}
}

// Min sets dst to the smaller of x and y: NaN if either is, and -0 is smaller
// than +0, as for Go's min.
func Min(dst, x, y []float32) {
	x, y = operand(dst, x), operand(dst, y)
	switch isa {
	case avx512:
		minAVX512(dst, x, y)
	case avx2:
		minAVX2(dst, x, y)
	default:
		minPortable(dst, x, y)
	}
}

// MinScalar sets dst to the smaller of x and s, as [Min] does.
func MinScalar(dst, x []float32, s float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		minScalarAVX512(dst, x, s)
	case avx2:
		minScalarAVX2(dst, x, s)
	default:
		minScalarPortable(dst, x, s)
	}
}

// Relu sets dst to +0 where x <= 0, which holds for -0, and to x elsewhere: NaN
// stays.
func Relu(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		reluAVX512(dst, x)
	case avx2:
		reluAVX2(dst, x)
	default:
		reluPortable(dst, x)
	}
}

// Abs sets dst to the magnitudes of x.
func Abs(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		absAVX512(dst, x)
	case avx2:
		absAVX2(dst, x)
	default:
		absPortable(dst, x)
	}
}

// Neg sets dst to -x.
func Neg(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		negAVX512(dst, x)
	case avx2:
		negAVX2(dst, x)
	default:
		negPortable(dst, x)
	}
}

// Floor sets dst to x rounded down.
func Floor(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		floorAVX512(dst, x)
	case avx2:
		floorAVX2(dst, x)
	default:
		floorPortable(dst, x)
	}
}

// Ceil sets dst to x rounded up.
func Ceil(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		ceilAVX512(dst, x)
	case avx2:
		ceilAVX2(dst, x)
	default:
		ceilPortable(dst, x)
	}
}

// RoundToEven sets dst to x rounded to the nearest whole numbers, halves to the even ones.
func RoundToEven(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		roundToEvenAVX512(dst, x)
	case avx2:
		roundToEvenAVX2(dst, x)
	default:
		roundToEvenPortable(dst, x)
	}
}

// Round sets dst to x rounded to the nearest whole numbers, halves away from zero.
func Round(dst, x []float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		roundAVX512(dst, x)
	case avx2:
		roundAVX2(dst, x)
	default:
		roundPortable(dst, x)
	}
}

// Above sets dst to x where x is greater than y, and to y elsewhere: so a NaN of
// x is passed over, and one of y stays. Of zeros it is y's.
func Above(dst, x, y []float32) {
	x, y = operand(dst, x), operand(dst, y)
	switch isa {
	case avx512:
		aboveAVX512(dst, x, y)
	case avx2:
		aboveAVX2(dst, x, y)
	default:
		abovePortable(dst, x, y)
	}
}

// AboveScalar sets dst to x where x is greater than s, and to s elsewhere.
func AboveScalar(dst, x []float32, s float32) {
	x = operand(dst, x)
	switch isa {
	case avx512:
		aboveScalarAVX512(dst, x, s)
	case avx2:
		aboveScalarAVX2(dst, x, s)
	default:
		aboveScalarPortable(dst, x, s)
	}
}

// MulAdd adds x * y to dst; the product is rounded before it is added.
func MulAdd(dst, x, y []float32) {
	x, y = operand(dst, x), operand(dst, y)
	switch isa {
	case avx512:
		mulAddAVX512(dst, x, y)
	case avx2:
		mulAddAVX2(dst, x, y)
	default:
		mulAddPortable(dst, x, y)
	}
}

// Normalize sets dst to (x - mean) * factor + offset, each rounded.
func Normalize(dst, x, mean, factor, offset []float32) {
	x, mean, factor, offset = operand(dst, x), operand(dst, mean), operand(dst, factor), operand(dst, offset)
	switch isa {
	case avx512:
		normalizeAVX512(dst, x, mean, factor, offset)
	case avx2:
		normalizeAVX2(dst, x, mean, factor, offset)
	default:
		normalizePortable(dst, x, mean, factor, offset)
	}
}

// MulNoNan sets dst to x·y, and to 0 where y is 0.
func MulNoNan(dst, x, y []float32) {
	choose(mulNoNanAVX512, mulNoNanAVX2, mulNoNanPortable)(dst, operand(dst, x), operand(dst, y))
}

// DivNoNan sets dst to x/y, and to 0 where y is 0.
func DivNoNan(dst, x, y []float32) {
	choose(divNoNanAVX512, divNoNanAVX2, divNoNanPortable)(dst, operand(dst, x), operand(dst, y))
}

// Xdivy sets dst to x/y, and to 0 where x is 0.
func Xdivy(dst, x, y []float32) {
	choose(xdivyAVX512, xdivyAVX2, xdivyPortable)(dst, operand(dst, x), operand(dst, y))
}
