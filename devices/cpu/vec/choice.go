package vec

// Less says where x is less than y, which no NaN is.
func Less(dst []bool, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	n := whole(len(dst))
	switch isa {
	case avx512:
		lessAVX512(dst[:n], x, y)
	case avx2:
		lessAVX2(dst[:n], x, y)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] < y[i]
	}
}

// LessScalar says where x is less than s.
func LessScalar(dst []bool, x []float32, s float32) {
	x = x[:len(dst)]
	n := whole(len(dst))
	switch isa {
	case avx512:
		lessScalarAVX512(dst[:n], x, s)
	case avx2:
		lessScalarAVX2(dst[:n], x, s)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] < s
	}
}

// LessEqual says where x is at most y, which no NaN is.
func LessEqual(dst []bool, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	n := whole(len(dst))
	switch isa {
	case avx512:
		lessEqualAVX512(dst[:n], x, y)
	case avx2:
		lessEqualAVX2(dst[:n], x, y)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] <= y[i]
	}
}

// LessEqualScalar says where x is at most s.
func LessEqualScalar(dst []bool, x []float32, s float32) {
	x = x[:len(dst)]
	n := whole(len(dst))
	switch isa {
	case avx512:
		lessEqualScalarAVX512(dst[:n], x, s)
	case avx2:
		lessEqualScalarAVX2(dst[:n], x, s)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] <= s
	}
}

// Greater says where x is greater than y, which no NaN is.
func Greater(dst []bool, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	n := whole(len(dst))
	switch isa {
	case avx512:
		greaterAVX512(dst[:n], x, y)
	case avx2:
		greaterAVX2(dst[:n], x, y)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] > y[i]
	}
}

// GreaterScalar says where x is greater than s.
func GreaterScalar(dst []bool, x []float32, s float32) {
	x = x[:len(dst)]
	n := whole(len(dst))
	switch isa {
	case avx512:
		greaterScalarAVX512(dst[:n], x, s)
	case avx2:
		greaterScalarAVX2(dst[:n], x, s)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] > s
	}
}

// GreaterEqual says where x is at least y, which no NaN is.
func GreaterEqual(dst []bool, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	n := whole(len(dst))
	switch isa {
	case avx512:
		greaterEqualAVX512(dst[:n], x, y)
	case avx2:
		greaterEqualAVX2(dst[:n], x, y)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] >= y[i]
	}
}

// GreaterEqualScalar says where x is at least s.
func GreaterEqualScalar(dst []bool, x []float32, s float32) {
	x = x[:len(dst)]
	n := whole(len(dst))
	switch isa {
	case avx512:
		greaterEqualScalarAVX512(dst[:n], x, s)
	case avx2:
		greaterEqualScalarAVX2(dst[:n], x, s)
	}
	for i := n; i < len(dst); i++ {
		dst[i] = x[i] >= s
	}
}

// Choose sets dst to x where c is true, and to y elsewhere. The words may be of
// any kind.
func Choose(dst []float32, c []bool, x, y []float32) {
	c, x, y = c[:len(dst)], x[:len(dst)], y[:len(dst)]
	n := whole(len(dst))
	switch isa {
	case avx512:
		chooseAVX512(dst[:n], c, x, y)
	case avx2:
		chooseAVX2(dst[:n], c, x, y)
	}
	for i := n; i < len(dst); i++ {
		if c[i] {
			dst[i] = x[i]
		} else {
			dst[i] = y[i]
		}
	}
}
