package tensor

import "math"

// The conversions follow Fabian Giesen's: exponents are moved by integer or
// floating-point arithmetic, and the floating-point unit does the rounding.

// ToFloat16 rounds f to the nearest half, ties to even. What is too large
// becomes an infinity; a NaN stays a NaN, quiet, with the upper bits of its
// payload.
func ToFloat16(f float32) Float16 {
	bits := math.Float32bits(f)
	sign := uint16(bits>>16) & 0x8000
	bits &^= 1 << 31
	switch {
	case bits > 0x7f800000: // NaN
		return Float16(sign | 0x7e00 | uint16(bits>>13)&0x3ff)
	case bits >= 0x47800000: // 65536 and more
		return Float16(sign | 0x7c00)
	case bits < 0x38800000: // less than the smallest normal half, 2^-14
		// Adding 0.5 aligns the result's bits with the end of the mantissa.
		sum := math.Float32frombits(bits) + 0.5
		return Float16(sign | uint16(math.Float32bits(sum)-0x3f000000))
	}
	odd := bits >> 13 & 1
	bits += 0xc8000fff + odd // exponent bias 127 to 15, and round
	return Float16(sign | uint16(bits>>13))
}

// Float32 returns the value of h, exactly; a NaN becomes a quiet one.
func (h Float16) Float32() float32 {
	bits := uint32(h&0x7fff) << 13
	exp := bits & (0x7c00 << 13)
	bits += (127 - 15) << 23
	switch exp {
	case 0x7c00 << 13: // infinity and NaN
		bits += (128 - 16) << 23
		if bits&(1<<23-1) != 0 {
			bits |= 1 << 22
		}
	case 0: // zero and subnormals: let the subtraction normalize
		bits += 1 << 23
		bits = math.Float32bits(math.Float32frombits(bits) - math.Float32frombits(113<<23))
	}
	return math.Float32frombits(bits | uint32(h&0x8000)<<16)
}

// ToBFloat16 rounds f to the nearest bfloat16, ties to even. A NaN becomes the
// quiet NaN of its sign.
func ToBFloat16(f float32) BFloat16 {
	bits := math.Float32bits(f)
	if f != f {
		return BFloat16(bits>>16&0x8000 | 0x7fc0)
	}
	return BFloat16((bits + 0x7fff + bits>>16&1) >> 16)
}

// Float32 returns the value of b, exactly.
func (b BFloat16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// narrowFloat is the 16-bit floating-point types.
type narrowFloat interface {
	Float16 | BFloat16
	Float32() float32
}

// AppendFloat32s appends the values of src to dst.
func AppendFloat32s[T narrowFloat](dst []float32, src []T) []float32 {
	for _, x := range src {
		dst = append(dst, x.Float32())
	}
	return dst
}

// AppendFloat16s appends src to dst, rounded by [ToFloat16].
func AppendFloat16s(dst []Float16, src []float32) []Float16 {
	for _, x := range src {
		dst = append(dst, ToFloat16(x))
	}
	return dst
}

// AppendBFloat16s appends src to dst, rounded by [ToBFloat16].
func AppendBFloat16s(dst []BFloat16, src []float32) []BFloat16 {
	for _, x := range src {
		dst = append(dst, ToBFloat16(x))
	}
	return dst
}
