package vec

// ToFloat64 sets dst to x, exactly.
func ToFloat64(dst []float64, x []float32) {
	x = x[:len(dst)]
	switch isa {
	case avx512:
		widenAVX512(dst, x)
	case avx2:
		widenAVX2(dst, x)
	default:
		for i, v := range x {
			dst[i] = float64(v)
		}
	}
}

// ToInt32 sets dst to x, rounded toward zero. What is out of range, NaN
// included, becomes what the processor's own conversion makes of it.
func ToInt32(dst []int32, x []float32) {
	x = x[:len(dst)]
	switch isa {
	case avx512:
		truncateAVX512(dst, x)
	case avx2:
		truncateAVX2(dst, x)
	default:
		for i, v := range x {
			dst[i] = int32(v)
		}
	}
}
