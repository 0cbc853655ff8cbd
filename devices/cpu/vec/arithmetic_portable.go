package vec

import "math"

func addPortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

func addScalarPortable(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + s
	}
}

func subPortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

func scalarSubPortable(dst []float32, s float32, y []float32) {
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = s - y[i]
	}
}

func mulPortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func mulScalarPortable(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * s
	}
}

func divPortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

func divScalarPortable(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / s
	}
}

func scalarDivPortable(dst []float32, s float32, y []float32) {
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = s / y[i]
	}
}

func maxPortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = max(x[i], y[i])
	}
}

func maxScalarPortable(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = max(x[i], s)
	}
}

func minPortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = min(x[i], y[i])
	}
}

func minScalarPortable(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = min(x[i], s)
	}
}

func absPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = math.Float32frombits(math.Float32bits(x[i]) &^ (1 << 31))
	}
}

func negPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = -x[i]
	}
}

func floorPortable(dst, x []float32)       { eachRounded(dst, x, math.Floor) }
func ceilPortable(dst, x []float32)        { eachRounded(dst, x, math.Ceil) }
func roundToEvenPortable(dst, x []float32) { eachRounded(dst, x, math.RoundToEven) }
func roundPortable(dst, x []float32)       { eachRounded(dst, x, math.Round) }

func eachRounded(dst, x []float32, round func(float64) float64) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = float32(round(float64(x[i])))
	}
}

func reluPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		v := x[i]
		if v <= 0 {
			v = 0
		}
		dst[i] = v
	}
}

func abovePortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		if x, y := x[i], y[i]; x > y {
			dst[i] = x
		} else {
			dst[i] = y
		}
	}
}

func aboveScalarPortable(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		if x := x[i]; x > s {
			dst[i] = x
		} else {
			dst[i] = s
		}
	}
}

// Conversions keep the compiler from fusing products and sums.

func mulAddPortable(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] += float32(x[i] * y[i])
	}
}

func normalizePortable(dst, x, mean, factor, offset []float32) {
	x, mean, factor, offset = x[:len(dst)], mean[:len(dst)], factor[:len(dst)], offset[:len(dst)]
	for i := range dst {
		dst[i] = float32((x[i]-mean[i])*factor[i]) + offset[i]
	}
}

// What is rounded from float64 are the products and quotients of float32, to the bit.
var (
	mulNoNanPortable = portable2(func(x, y float64) float64 { return unlessZero(y, x*y) })
	divNoNanPortable = portable2(func(x, y float64) float64 { return unlessZero(y, x/y) })
	xdivyPortable    = portable2(func(x, y float64) float64 { return unlessZero(x, x/y) })
)

func unlessZero(z, x float64) float64 {
	if z == 0 {
		return 0
	}
	return x
}
