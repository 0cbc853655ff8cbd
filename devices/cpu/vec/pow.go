package vec

import "math"

// x^y is 2^(y·log2 x), worked out in float64 with both functions from tables and short
// series: P. T. P. Tang, "Table-driven implementation of the logarithm function" and "… of
// the exponential function" (1990, 1989). With errors of 1e-11 in the logarithm, of which
// |y·log2 x| is at most 150 where the result is a number, the result is within .51 ulp.

const (
	logBits, expBits = 4, 5
	lowestMantissa   = 0x3f330000 // mantissas are taken from 0.699 to 1.398, so that 1 is in the middle of a piece
)

var (
	pieces [1 << logBits]struct{ inverse, log2 float64 } // of a number near the middle of each piece
	powers [1 << expBits]uint64                          // 2^(i/32) as bits
)

func init() {
	for i := range pieces {
		low := uint32(lowestMantissa + i<<(23-logBits))
		c := float64(math.Float32frombits(low)+math.Float32frombits(low+1<<(23-logBits))) / 2
		if math.Abs(c-1) < 1./64 {
			c = 1 // the logarithm of what is near 1 keeps all its digits
		}
		pieces[i].inverse, pieces[i].log2 = 1/c, math.Log2(c)
	}
	for i := range powers {
		powers[i] = math.Float64bits(math.Exp2(float64(i) / (1 << expBits)))
	}
}

// Pow sets dst to x to the power of y, with an error below .51 ulp.
func Pow(dst, x, y []float32) {
	x, y = operand(dst, x), operand(dst, y)
	for i, v := range x {
		dst[i] = pow(v, y[i])
	}
}

// PowScalar is Pow with one exponent.
func PowScalar(dst, x []float32, y float32) {
	x = operand(dst, x)
	for i, v := range x {
		dst[i] = pow(v, y)
	}
}

func pow(x, y float32) float32 {
	bits := math.Float32bits(x)
	if bits-0x00800000 >= 0x7f800000-0x00800000 || math.Float32bits(y)&0x7f800000 == 0x7f800000 {
		return float32(math.Pow(float64(x), float64(y))) // of x that are not normal and positive
	}
	bits -= lowestMantissa
	k := int32(bits) >> 23
	piece := &pieces[bits>>(23-logBits)%(1<<logBits)]
	z := float64(math.Float32frombits(bits&(1<<23-1) + lowestMantissa))
	r := z*piece.inverse - 1
	// log2(1+r) by its series, as |r| < 1/30.
	s := r * r
	p := 1./5 - r*(1./6) + s*(1./7)
	p = 1./3 - r*(1./4) + s*p
	p = r - s*(0.5-r*p)
	t := float64(y) * (p*math.Log2E + (piece.log2 + float64(k)))
	if !(math.Abs(t) < 200) {
		t = math.Copysign(200, t)
	}
	// 2^t: the whole 32nds from the table, the rest by its series.
	const shift = 0x1.8p52 / (1 << expBits)
	n := t + shift
	i := math.Float64bits(n)
	u := (t - (n - shift)) * math.Ln2
	q := u * u
	e := 1 + u + q*(0.5+u*(1./6)+q*(1./24))
	return float32(math.Float64frombits(powers[i%(1<<expBits)]+i>>expBits<<52) * e)
}
