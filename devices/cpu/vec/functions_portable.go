package vec

import "math"

// The portable functions compute in float64, by the formulas of the assembly,
// and round once. Conversions keep products from being fused with sums, so that
// every architecture gives the same bits.

// expParts splits e^x into 2^n and e^r, and answers n and e^r-1, for
// |x| < 1000. The coefficients were found as the assembly's were; the error is
// 5.2e-11·e^r.
func expParts(x float64) (n, less float64) {
	const shift = 3 << 51 // adding it leaves a whole number
	n = float64(x*math.Log2E) + shift - shift
	r := x - float64(n*math.Ln2)
	q := 0.0001979029809329017
	q = float64(q*r) + 0.001394470364801664
	q = float64(q*r) + 0.008333497341293126
	q = float64(q*r) + 0.04166629436360009
	q = float64(q*r) + 0.1666666586700532
	q = float64(q*r) + 0.5000000067839939
	return n, r + float64(float64(r*r)*q)
}

// powerOfTwo is 2^n, for whole n.
func powerOfTwo(n float64) float64 { return math.Float64frombits(uint64(int64(n)+1023) << 52) }

func exp(x float64) float64 {
	n, less := expParts(min(max(x, -200), 200))
	return float64((1 + less) * powerOfTwo(n))
}

func expPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		if v != v {
			dst[i] = v
			continue
		}
		dst[i] = float32(exp(float64(v)))
	}
}

func tanhPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		if v != v {
			dst[i] = v
			continue
		}
		n, less := expParts(-2 * min(math.Abs(float64(v)), 10))
		power := powerOfTwo(n)
		t := float64(power*less) + (power - 1)
		dst[i] = float32(math.Copysign(t/(t+2), float64(v)))
	}
}

func sigmoidPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		if v != v {
			dst[i] = v
			continue
		}
		dst[i] = float32(1 / (1 + exp(-float64(v))))
	}
}

func erfPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = float32(math.Erf(float64(v)))
	}
}

func sqrtPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = float32(math.Sqrt(float64(v)))
	}
}

func rsqrtPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = 1 / float32(math.Sqrt(float64(v)))
	}
}

func erfcPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = float32(math.Erfc(float64(v)))
	}
}

func expm1Portable(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = float32(math.Expm1(float64(v)))
	}
}

func logPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = float32(math.Log(float64(v)))
	}
}

func log1pPortable(dst, x []float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = float32(math.Log1p(float64(v)))
	}
}

// portable1 returns a function of slices by one of numbers.
func portable1(f func(x float64) float64) func(dst, x []float32) {
	return func(dst, x []float32) {
		x = x[:len(dst)]
		for i, v := range x {
			dst[i] = float32(f(float64(v)))
		}
	}
}

// portable2 is portable1 of two operands.
func portable2(f func(x, y float64) float64) func(dst, x, y []float32) {
	return func(dst, x, y []float32) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i, v := range x {
			dst[i] = float32(f(float64(v), float64(y[i])))
		}
	}
}
