package vec

import "math"

// The functions on float64 return the same bits on every machine, of a slice and of one
// number: neither they nor their assembly fuse products with sums, which is what the
// conversions are for.

// ExpFloat64s sets dst to e to the power of x, with an error below 1.1 ulp.
func ExpFloat64s(dst, x []float64) {
	x = x[:len(dst):len(x)]
	switch isa {
	case avx512:
		expFloat64sAVX512(dst, x)
	case avx2:
		expFloat64sAVX2(dst, x)
	default:
		eachFloat64(dst, x, ExpFloat64)
	}
}

// TanhFloat64s sets dst to the hyperbolic tangent of x, with an error below 2.5 ulp.
func TanhFloat64s(dst, x []float64) {
	x = x[:len(dst):len(x)]
	switch isa {
	case avx512:
		tanhFloat64sAVX512(dst, x)
	case avx2:
		tanhFloat64sAVX2(dst, x)
	default:
		eachFloat64(dst, x, TanhFloat64)
	}
}

// SigmoidFloat64s sets dst to 1/(1 + e to the power of -x), with an error below 2.5 ulp, and to
// 0 where that is not a normal number.
func SigmoidFloat64s(dst, x []float64) {
	x = x[:len(dst):len(x)]
	switch isa {
	case avx512:
		sigmoidFloat64sAVX512(dst, x)
	case avx2:
		sigmoidFloat64sAVX2(dst, x)
	default:
		eachFloat64(dst, x, SigmoidFloat64)
	}
}

// LogFloat64s sets dst to the natural logarithm of x, with an error below 1 ulp: -∞ of 0, NaN
// where x < 0.
func LogFloat64s(dst, x []float64) {
	x = x[:len(dst):len(x)]
	switch isa {
	case avx512:
		logFloat64sAVX512(dst, x)
	case avx2:
		logFloat64sAVX2(dst, x)
	default:
		eachFloat64(dst, x, LogFloat64)
	}
}

func eachFloat64(dst, x []float64, f func(float64) float64) {
	for i, v := range x {
		dst[i] = f(v)
	}
}

// ln 2 in two parts, of which a multiple of the first by n up to 2^20 is exact.
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// expPartsFloat64 splits e^x into 2^n and e^r, as the assembly does, and returns n and e^r-1,
// with an error of 2e-18·e^r.
func expPartsFloat64(x float64) (n, less float64) {
	const shift = 3 << 51 // adding it leaves a whole number
	n = float64(x*math.Log2E) + shift - shift
	r := x - float64(n*ln2High) - float64(n*ln2Low)
	q := 2.5100375832840034e-08
	q = float64(q*r) + 2.762007588034591e-07
	q = float64(q*r) + 2.755726848030944e-06
	q = float64(q*r) + 2.480152132236793e-05
	q = float64(q*r) + 0.00019841269863040545
	q = float64(q*r) + 0.0013888888917196719
	q = float64(q*r) + 0.008333333333330065
	q = float64(q*r) + 0.041666666666624164
	q = float64(q*r) + 0.16666666666666669
	q = float64(q*r) + 0.5000000000000001
	return n, r + float64(float64(r*r)*q)
}

// ExpFloat64 is [ExpFloat64s] of one number.
func ExpFloat64(x float64) float64 {
	switch {
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	case x != x:
		return x
	}
	n, less := expPartsFloat64(x)
	half := float64(int64(n) >> 1) // a product with the first power is exact
	return float64((1+less)*powerOfTwo(half)) * powerOfTwo(n-half)
}

// TanhFloat64 is [TanhFloat64s] of one number.
func TanhFloat64(x float64) float64 {
	if x != x {
		return x
	}
	n, less := expPartsFloat64(-2 * min(math.Abs(x), 20))
	power := powerOfTwo(n)
	t := float64(power*less) + (power - 1)
	return math.Copysign(t/(t+2), x)
}

// SigmoidFloat64 is [SigmoidFloat64s] of one number.
func SigmoidFloat64(x float64) float64 { return 1 / (1 + ExpFloat64(-x)) }

// LogFloat64 is [LogFloat64s] of one number. It is computed as by FreeBSD's e_log.c: with x =
// 2^k·(1+f), between the square roots of 1/2 and 2, and s = f/(2+f), log(1+f) is f - f²/2 +
// s·(f²/2 + R(s²)).
func LogFloat64(x float64) float64 {
	switch {
	case !(x <= math.MaxFloat64): // NaN too
		return x
	case x == 0:
		return math.Inf(-1)
	case x < 0:
		return math.NaN()
	}
	k := -1022.
	if x < 0x1p-1022 {
		x *= 0x1p52
		k -= 52
	}
	bits := math.Float64bits(x)
	k += float64(bits >> 52)
	f := math.Float64frombits(bits&(1<<52-1) | math.Float64bits(0.5))
	if f <= math.Sqrt2/2 {
		k--
		f *= 2
	}
	f--
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	odd := float64(s4*1.479819860511658591e-01) + 1.818357216161805012e-01
	odd = float64(s4*odd) + 2.857142874366239149e-01
	odd = float64(s4*odd) + 6.666666666666735130e-01
	even := float64(s4*1.531383769920937332e-01) + 2.222219843214978396e-01
	even = float64(s4*even) + 3.999999999940941908e-01
	rest := float64(s2*odd) + float64(s4*even)
	half := float64(float64(0.5*f) * f)
	return float64(k*ln2High) - ((half - (float64(s*(half+rest)) + float64(k*ln2Low))) - f)
}
