package main

import "github.com/mmcloughlin/avo/operand"

// π/2 in three parts, of which a fused multiply-add takes each away without error.
const (
	quarterHigh   = 1.57079637050628662109375
	quarterMiddle = -4.371138828673793e-08
	quarterLow    = -1.7151245e-15
)

// With r at most π/4, sin r is r + r³·s(r²) with an error of 4e-9, cos r is
// 1 - r²/2 + r⁴·c(r²) with one of 2e-10; atan x is x + x³·a(x²) for x between 0 and 1,
// with one of 3e-9. The coefficients were found as q's were.
var (
	sine       = [...]float32{-0.16666655, 0.008332189, -0.00019518292}
	cosine     = [...]float32{0.041666646, -0.001388731, 2.4432327e-05}
	arctangent = [...]float32{-0.333333, 0.1999853, -0.14264016, 0.109508805, -0.08399306,
		0.05788139, -0.031096986, 0.010868685, -0.0017828207}
)

// wave is the sine of x and so many quarters of a turn. Beyond 2^17 or so quarters have
// no place in what is left of x: see vec.Sin.
func (f *floats) wave(x []reg, quarters uint32) {
	own := f.copies(x)
	n, square := make([]reg, len(x)), make([]reg, len(x))
	inverse := f.value(0.636619772367581343)
	each(x, func(i int) {
		n[i], square[i] = f.vector(f.isa), f.vector(f.isa)
		f.VMULPS(inverse, x[i], n[i])
	})
	each(x, func(i int) { f.round(n[i], nearest) })
	for _, part := range []float32{quarterHigh, quarterMiddle, quarterLow} {
		c := f.value(part)
		each(x, func(i int) { f.VFNMADD231PS(c, n[i], x[i]) })
	}
	each(x, func(i int) {
		f.VCVTPS2DQ(n[i], n[i])
		f.VMULPS(x[i], x[i], square[i])
	})
	if quarters > 0 {
		more := f.bits(quarters)
		each(x, func(i int) { f.VPADDD(more, n[i], n[i]) })
	}
	even := f.polynomial(cosine[:], square)
	one, minusHalf := f.value(1), f.value(-0.5)
	each(x, func(i int) {
		f.VFMADD213PS(minusHalf, square[i], even[i])
		f.VFMADD213PS(one, square[i], even[i])
	})
	odd := f.polynomial(sine[:], square)
	each(x, func(i int) {
		f.VMULPS(square[i], odd[i], odd[i])
		f.VFMADD213PS(x[i], x[i], odd[i])
	})
	each(x, func(i int) { // the lowest bit of n says which, the next the sign
		which, sign := f.vector(f.isa), f.vector(f.isa)
		f.VPSLLD(operand.U8(31), n[i], which)
		f.VPSRLD(operand.U8(1), n[i], sign)
		f.VPSLLD(operand.U8(31), sign, sign)
		if f.isa == avx512 {
			k := f.K()
			f.VPMOVD2M(which, k)
			f.VBLENDMPS(even[i], odd[i], k, x[i])
		} else {
			f.VBLENDVPS(which, even[i], odd[i], x[i])
		}
		f.VXORPS(sign, x[i], x[i])
	})
	if quarters == 0 { // -0 is kept
		zero := f.zero(f.isa)
		each(x, func(i int) { f.pick(equalTo, own[i], zero, own[i], x[i], x[i]) })
	}
}

// atan |x| is π/2 - atan(1/|x|) above 1.
func (f *floats) atan(x, _ []reg) {
	a, t, square := make([]reg, len(x)), make([]reg, len(x)), make([]reg, len(x))
	magnitude, one := f.bits(signBit-1), f.value(1)
	each(x, func(i int) {
		a[i], t[i], square[i] = f.vector(f.isa), f.vector(f.isa), f.vector(f.isa)
		f.VANDPS(magnitude, x[i], a[i])
		f.VDIVPS(a[i], one, t[i])
		f.pick(greaterThan, a[i], one, t[i], a[i], t[i])
		f.VMULPS(t[i], t[i], square[i])
	})
	p := f.atanOf(t, square, func(i int, p, rest reg) { f.pick(greaterThan, a[i], one, rest, p, p) })
	sign := f.bits(signBit)
	each(x, func(i int) {
		f.VANDPS(sign, x[i], x[i])
		f.VORPS(p[i], x[i], x[i])
	})
}

// atanOf is atan t for t from 0 to 1, of which square is the square; pick leaves in p that,
// or what is left of π/2.
func (f *floats) atanOf(t, square []reg, pick func(i int, p, rest reg)) []reg {
	p := f.polynomial(arctangent[:], square)
	quarter, low := f.value(quarterHigh), f.value(quarterMiddle)
	each(t, func(i int) {
		f.VMULPS(square[i], p[i], p[i])
		rest := f.vector(f.isa)
		f.VMOVAPS(low, rest)
		f.VFNMADD231PS(p[i], t[i], rest)
		f.VSUBPS(t[i], rest, rest)
		f.VADDPS(quarter, rest, rest)
		f.VFMADD213PS(t[i], t[i], p[i])
		pick(i, p[i], rest)
	})
	return p
}

// asin is atan(x/√(1-x²)).
func (f *floats) asin(x, _ []reg) {
	one := f.value(1)
	each(x, func(i int) {
		up, down := f.vector(f.isa), f.vector(f.isa)
		f.VADDPS(one, x[i], up)
		f.VSUBPS(x[i], one, down)
		f.VMULPS(up, down, down)
		f.VSQRTPS(down, down)
		f.VDIVPS(down, x[i], x[i])
	})
	f.atan(x, nil)
}

// acos is 2·atan √((1-x)/(1+x)).
func (f *floats) acos(x, _ []reg) {
	one := f.value(1)
	each(x, func(i int) {
		up := f.vector(f.isa)
		f.VADDPS(one, x[i], up)
		f.VSUBPS(x[i], one, x[i])
		f.VDIVPS(up, x[i], x[i])
		f.VSQRTPS(x[i], x[i])
	})
	f.atan(x, nil)
	each(x, func(i int) { f.VADDPS(x[i], x[i], x[i]) })
}

// atan2 is the angle of (y, x), x being y's place and y x's. The lesser of both
// magnitudes is divided by the greater; what the angle is of, and where it lies, follows
// from which is greater and from the signs.
func (f *floats) atan2(x, y []reg) {
	magnitude, sign, zero := f.bits(signBit-1), f.bits(signBit), f.zero(f.isa)
	a, b, t, square := make([]reg, len(x)), make([]reg, len(x)), make([]reg, len(x)), make([]reg, len(x))
	each(x, func(i int) {
		a[i], b[i], t[i], square[i] = f.vector(f.isa), f.vector(f.isa), f.vector(f.isa), f.vector(f.isa)
		f.VANDPS(magnitude, x[i], a[i])
		f.VANDPS(magnitude, y[i], b[i])
		f.VMINPS(a[i], b[i], t[i])
		f.VMAXPS(a[i], b[i], square[i])
		one := f.value(1)
		f.pick(equalTo, t[i], square[i], one, t[i], t[i]) // of infinities too
		f.pick(equalTo, a[i], b[i], one, square[i], square[i])
		f.VDIVPS(square[i], t[i], t[i])
		f.pick(equalTo, x[i], zero, zero, t[i], t[i])
		f.VMULPS(t[i], t[i], square[i])
	})
	p := f.atanOf(t, square, func(i int, p, rest reg) {
		f.pick(greaterThan, a[i], b[i], rest, p, p)
		f.pick(equalTo, t[i], f.value(1), f.value(quarterHigh/2), p, p)
	})
	half, halfLow := f.value(2*quarterHigh), f.value(2*quarterMiddle)
	each(x, func(i int) {
		rest := f.vector(f.isa)
		f.VSUBPS(p[i], halfLow, rest)
		f.VADDPS(half, rest, rest)
		f.VPSRAD(operand.U8(31), y[i], a[i]) // also of -0
		f.VANDPS(a[i], rest, rest)
		f.VANDNPS(p[i], a[i], p[i])
		f.VORPS(rest, p[i], p[i])
		f.VANDPS(sign, x[i], t[i])
		f.VORPS(t[i], p[i], p[i])
		f.VADDPS(x[i], y[i], t[i]) // where one is NaN
		f.pick(unordered, x[i], y[i], t[i], p[i], x[i])
	})
}
