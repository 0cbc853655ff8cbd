package tensor

import "math"

// A float8 format: sign, exponent and mantissa bits, and what is not finite.
// See Micikevicius et al., "FP8 Formats for Deep Learning" (2022), and for the
// formats without negative zero Noune et al., "8-bit Numerical Formats for
// Deep Neural Networks" (2022).
type float8 struct {
	mantissa int // bits
	bias     int
	inf      bool // the largest exponent is for infinity and NaN, as in IEEE 754
	unsigned bool // one zero, whose negative is the one NaN
}

var float8s = map[DType]float8{
	Float8e5m2:        {mantissa: 2, bias: 15, inf: true},
	Float8e4m3fn:      {mantissa: 3, bias: 7},
	Float8e4m3fnuz:    {mantissa: 3, bias: 8, unsigned: true},
	Float8e4m3b11fnuz: {mantissa: 3, bias: 11, unsigned: true},
	Float8e5m2fnuz:    {mantissa: 2, bias: 16, unsigned: true},
}

// value returns what the bit pattern b stands for.
func (f float8) value(b uint8) float32 {
	abs := b & 0x7f
	exp, man := int(abs>>f.mantissa), int(abs)&(1<<f.mantissa-1)
	var v float64
	switch {
	case f.unsigned && b == 0x80, !f.unsigned && !f.inf && abs == 0x7f:
		return float32(math.NaN())
	case f.inf && exp == 1<<(7-f.mantissa)-1:
		if man != 0 {
			return float32(math.NaN())
		}
		v = math.Inf(1)
	case exp == 0:
		v = math.Ldexp(float64(man), 1-f.bias-f.mantissa)
	default:
		v = math.Ldexp(float64(man+1<<f.mantissa), exp-f.bias-f.mantissa)
	}
	if b >= 0x80 {
		v = -v
	}
	return float32(v)
}

// round returns the bit pattern nearest to x, ties to even. What is too large
// becomes an infinity, or a NaN in a format without.
func (f float8) round(x float32) uint8 {
	sign := uint8(math.Float32bits(x) >> 24 & 0x80)
	nan, largest := sign|0x7f, uint8(0x7e)
	switch {
	case f.unsigned:
		nan, largest = 0x80, 0x7f
	case f.inf:
		nan, largest = sign|0x7e, 0x7b
	}
	if x != x {
		return nan
	}
	abs := math.Abs(float64(x))
	// One unit in the last place: of x's binade, or of the subnormals.
	ulp := 1 - f.bias - f.mantissa
	if _, e := math.Frexp(abs); abs > 0 {
		ulp = max(ulp, e-1-f.mantissa)
	}
	units := math.RoundToEven(math.Ldexp(abs, -ulp))
	if units > math.Ldexp(1, f.mantissa+2) { // infinity
		units = math.Ldexp(1, 9)
	}
	// Bit patterns count the values up from zero; a carry passes into the exponent.
	pattern := int(units) + (ulp+f.mantissa+f.bias-1)<<f.mantissa
	switch {
	case pattern > int(largest) && f.inf:
		return sign | 0x7c
	case pattern > int(largest):
		return nan
	case pattern == 0 && f.unsigned:
		return 0
	}
	return sign | uint8(pattern)
}

// Float8Value returns the value of the bit pattern b of one of the 8-bit floating
// point dtypes. It panics for another dtype.
func Float8Value(dt DType, b uint8) float32 {
	f, ok := float8s[dt]
	if !ok {
		panic("tensor: Float8Value of " + dt.String())
	}
	return f.value(b)
}

// ToFloat8 returns the bit pattern of dt, one of the 8-bit floating point dtypes,
// nearest to x, ties to even. What is too large becomes an infinity, or a NaN
// where the format has no infinity. It panics for another dtype.
func ToFloat8(dt DType, x float32) uint8 {
	f, ok := float8s[dt]
	if !ok {
		panic("tensor: ToFloat8 of " + dt.String())
	}
	return f.round(x)
}
