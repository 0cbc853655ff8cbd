package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
)

// log x is k·ln 2 + log(1+r), where x is 2^k·(1+r) and 1+r lies between the square
// roots of 1/2 and 2: Cody and Waite, chapter 5. log(1+r) is r - r²/2 + r³·p(r) with an
// error of 8e-10 of it; the coefficients of p were found as q's were.
var logarithm = [...]float32{0.33333313, -0.2500001, 0.20002072, -0.16667989, 0.14220358,
	-0.12406234, 0.11883549, -0.116700985, 0.06749269}

// split leaves 1+r in x and answers k. For x that are not positive and finite both mean
// nothing.
func (f *floats) split(x []reg) (k []reg) {
	k = make([]reg, len(x))
	least, many := f.value(0x1p-126), f.value(0x1p25)
	each(x, func(i int) { // subnormal numbers are made normal
		up := f.vector(f.isa)
		k[i] = f.vector(f.isa)
		f.VMULPS(many, x[i], up)
		f.pick(lessThan, x[i], least, up, x[i], up)
		f.pick(lessThan, x[i], least, f.value(25), f.zero(f.isa), k[i])
		f.VMOVAPS(up, x[i])
	})
	half := f.bits(math.Float32bits(math.Sqrt2 / 2))
	each(x, func(i int) {
		// The integer x - √½ has k in its exponent's place, rounded down, as mantissas
		// above √½'s count for the next.
		n := f.vector(f.isa)
		f.VPSUBD(half, x[i], n)
		f.VPSRAD(operand.U8(23), n, n)
		whole := f.vector(f.isa)
		f.VCVTDQ2PS(n, whole)
		f.VPSLLD(operand.U8(23), n, n)
		f.VPSUBD(n, x[i], x[i])
		f.VSUBPS(k[i], whole, k[i])
	})
	return k
}

// logarithmOf is k·ln 2 + log(1+r), in place of r.
func (f *floats) logarithmOf(k, r []reg) {
	p := f.polynomial(logarithm[:], r)
	minusHalf := f.value(-0.5)
	each(r, func(i int) {
		square := f.vector(f.isa)
		f.VMULPS(r[i], r[i], square)
		f.VMULPS(r[i], p[i], p[i])
		f.VADDPS(minusHalf, p[i], p[i])
		f.VMULPS(square, p[i], p[i]) // -r²/2 + r³·p
	})
	high, low := f.value(ln2High), f.value(ln2Low)
	each(r, func(i int) { f.VFMADD231PS(low, k[i], p[i]) })
	each(r, func(i int) { f.VADDPS(p[i], r[i], r[i]) })
	each(r, func(i int) { f.VFMADD231PS(high, k[i], r[i]) })
}

// outside corrects y, the logarithm of u, where u is not positive and finite.
func (f *floats) outside(u, y []reg) {
	zero, infinity := f.zero(f.isa), f.value(float32(math.Inf(1)))
	nan, least := f.bits(0x7fc00000), f.value(float32(math.Inf(-1)))
	each(u, func(i int) {
		f.pick(lessThan, u[i], zero, nan, y[i], y[i])
		f.pick(equalTo, u[i], zero, least, y[i], y[i])
		f.pick(equalTo, u[i], infinity, infinity, y[i], y[i])
		f.pick(unordered, u[i], u[i], u[i], y[i], y[i])
	})
}

func (f *floats) log(x, _ []reg) {
	u := f.copies(x)
	k := f.split(x)
	f.lessValue(1, x)
	f.logarithmOf(k, x)
	f.outside(u, x)
}

// logOnePlus is log u with u = 1+x rounded, what was lost in rounding being given to r,
// where k says how much it is there. The result has x's sign.
func (f *floats) logOnePlus(x, _ []reg) {
	u, r, one := make([]reg, len(x)), make([]reg, len(x)), f.value(1)
	each(x, func(i int) {
		u[i], r[i] = f.vector(f.isa), f.vector(f.isa)
		f.VADDPS(one, x[i], u[i])
		f.VMOVAPS(u[i], r[i])
	})
	k := f.split(r)
	zero := f.zero(f.isa)
	each(x, func(i int) {
		lost := f.vector(f.isa)
		f.VSUBPS(one, u[i], lost)
		f.VSUBPS(lost, x[i], lost)
		// times 2^-k, which is what r has more than u in its exponent
		scale := f.vector(f.isa)
		f.VPSUBD(u[i], r[i], scale)
		f.VPADDD(one, scale, scale)
		f.VPMAXSD(zero, scale, scale) // nothing was lost of u above 2^127
		f.VMULPS(scale, lost, lost)
		f.VSUBPS(one, r[i], r[i])
		f.VADDPS(lost, r[i], r[i])
	})
	f.logarithmOf(k, r)
	f.outside(u, r)
	sign := f.bits(signBit)
	each(x, func(i int) { // -0 is kept, as well as the signs of what is near it
		f.VANDPS(sign, x[i], x[i])
		f.VORPS(r[i], x[i], x[i])
	})
}

// softplus is max(x, 0) + log(1+e^-|x|).
func (f *floats) softplus(x, _ []reg) {
	e := make([]reg, len(x))
	sign, least := f.bits(signBit), f.value(-104)
	each(x, func(i int) {
		e[i] = f.vector(f.isa)
		f.VORPS(sign, x[i], e[i])
	})
	each(x, func(i int) { f.VMAXPS(e[i], least, e[i]) })
	f.expInRange(e)
	f.logOnePlus(e, nil)
	zero := f.zero(f.isa)
	each(x, func(i int) {
		f.VMAXPS(x[i], zero, x[i]) // x where it is NaN
		f.VADDPS(e[i], x[i], x[i])
	})
}

// atanh is log(1+2|x|/(1-|x|))/2 with x's sign.
func (f *floats) atanh(x, _ []reg) {
	t, magnitude, one := make([]reg, len(x)), f.bits(signBit-1), f.value(1)
	each(x, func(i int) {
		t[i] = f.vector(f.isa)
		rest := f.vector(f.isa)
		f.VANDPS(magnitude, x[i], t[i])
		f.VSUBPS(t[i], one, rest)
		f.VADDPS(t[i], t[i], t[i])
		f.VDIVPS(rest, t[i], t[i])
	})
	f.logOnePlus(t, nil)
	sign, half := f.bits(signBit), f.value(0.5)
	each(x, func(i int) {
		f.VANDPS(sign, x[i], x[i])
		f.VMULPS(half, t[i], t[i])
		f.VORPS(t[i], x[i], x[i])
	})
}
