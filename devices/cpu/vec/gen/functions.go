package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
)

// e^x is 2^n·e^r, where n is the whole number nearest to x/ln 2 and r is what
// is left, at most ln(2)/2: W. J. Cody and W. Waite, Software Manual for the
// Elementary Functions (1980), chapter 6. ln 2 is taken away in two parts, each
// by a fused multiply-add.
const (
	ln2High = 0.693147182464599609375
	ln2Low  = -1.904654299957768e-09
)

// e^r-1 is r + r²·q(r) with an error of 4e-9·e^r for |r| ≤ 0.3467. The
// coefficients of q, from the constant one on, minimize the largest error; they
// were found by Lawson's iteratively reweighted least squares.
var q = [...]float32{0.49999994, 0.16666521, 0.04166839, 0.0083687454, 0.001381454}

// reduce splits x into n, in place of x, and e^r-1.
func (f *floats) reduce(x []reg) (p []reg) {
	p = make([]reg, len(x))
	n, square := make([]reg, len(x)), make([]reg, len(x))
	inverse := f.value(math.Log2E)
	each(x, func(i int) {
		n[i], square[i], p[i] = f.vector(f.isa), f.vector(f.isa), f.vector(f.isa)
		f.VMULPS(inverse, x[i], n[i])
	})
	each(x, func(i int) { f.round(n[i], nearest) })
	high := f.value(ln2High)
	each(x, func(i int) { f.VFNMADD231PS(high, n[i], x[i]) })
	low := f.value(ln2Low)
	each(x, func(i int) { f.VFNMADD231PS(low, n[i], x[i]) })
	for j := len(q) - 1; j >= 0; j-- {
		c := f.value(q[j])
		each(x, func(i int) {
			if j == len(q)-1 {
				f.VMOVAPS(c, p[i])
			} else {
				f.VFMADD213PS(c, x[i], p[i])
			}
		})
	}
	each(x, func(i int) { f.VMULPS(x[i], x[i], square[i]) })
	each(x, func(i int) { f.VFMADD213PS(x[i], square[i], p[i]) })
	copy(x, n)
	return p
}

// A rounding is a way to round to whole numbers, as instructions encode it.
type rounding byte

const (
	nearest rounding = iota // halves to even
	down
	up
	towardZero
)

// round rounds to whole numbers.
func (f *floats) round(x reg, way rounding) {
	if f.isa == avx512 {
		f.VRNDSCALEPS(operand.U8(way), x, x)
	} else {
		f.VROUNDPS(operand.U8(way), x, x)
	}
}

// scale multiplies e by 2^n and overwrites n. It rounds once, also where the
// product is subnormal: of two steps the first is exact.
func (f *floats) scale(n, e reg) {
	if f.isa == avx512 {
		f.VSCALEFPS(n, e, e)
		return
	}
	half := f.vector(f.isa)
	f.VCVTPS2DQ(n, n)
	f.VPSRAD(operand.U8(1), n, half)
	f.VPSUBD(half, n, n)
	one := f.value(1)
	f.VPSLLD(operand.U8(23), half, half)
	f.VPADDD(one, half, half)
	f.VMULPS(half, e, e)
	f.VPSLLD(operand.U8(23), n, n)
	f.VPADDD(one, n, n)
	f.VMULPS(n, e, e)
}

// exp clamps to where the result is 0 or infinite already; NaN passes the
// clamps because it is their second operand.
func (f *floats) exp(x, _ []reg) {
	most, least := f.value(128), f.value(-104)
	each(x, func(i int) { f.VMINPS(x[i], most, x[i]) })
	each(x, func(i int) { f.VMAXPS(x[i], least, x[i]) })
	f.expInRange(x)
}

// expInRange is exp for -104 ≤ x ≤ 128.
func (f *floats) expInRange(x []reg) {
	p := f.reduce(x)
	one := f.value(1)
	each(x, func(i int) { f.VADDPS(one, p[i], p[i]) })
	each(x, func(i int) { f.scale(x[i], p[i]) })
	copy(x, p)
}

// lessOne is e^x-1, which is 2^n·(e^r-1) + (2^n-1) without cancellation, for
// -80 ≤ x ≤ 80. It overwrites x.
func (f *floats) lessOne(x []reg) []reg {
	t := f.reduce(x)
	one := f.value(1)
	each(x, func(i int) { // x is n: now 2^n
		f.VCVTPS2DQ(x[i], x[i])
		f.VPSLLD(operand.U8(23), x[i], x[i])
		f.VPADDD(one, x[i], x[i])
	})
	each(x, func(i int) {
		less := f.vector(f.isa)
		f.VSUBPS(one, x[i], less)
		f.VFMADD213PS(less, x[i], t[i])
	})
	return t
}

const signBit = 1 << 31

// tanh |x| is -t/(t+2) with t = e^(-2|x|)-1. Beyond 10 it is 1.
func (f *floats) tanh(x, _ []reg) {
	a := make([]reg, len(x))
	magnitude, most, minusTwo := f.bits(signBit-1), f.value(10), f.value(-2)
	each(x, func(i int) {
		a[i] = f.vector(f.isa)
		f.VANDPS(magnitude, x[i], a[i])
	})
	each(x, func(i int) { f.VMINPS(a[i], most, a[i]) })
	each(x, func(i int) { f.VMULPS(minusTwo, a[i], a[i]) })
	t := f.lessOne(a)
	two := f.value(2)
	each(x, func(i int) {
		f.VADDPS(two, t[i], a[i])
		f.VDIVPS(a[i], t[i], t[i])
	})
	sign := f.bits(signBit)
	each(x, func(i int) { // t is -tanh |x|
		f.VANDPS(sign, x[i], x[i])
		f.VANDNPS(t[i], sign, t[i])
		f.VORPS(t[i], x[i], x[i])
	})
}

// sigmoid is e/(1+e) with e = e^x where x is negative and 1/(1+e) with
// e = e^-x elsewhere: so e is never large, and small results keep their
// accuracy.
func (f *floats) sigmoid(x, _ []reg) {
	e := make([]reg, len(x))
	sign, least := f.bits(signBit), f.value(-104)
	each(x, func(i int) {
		e[i] = f.vector(f.isa)
		f.VORPS(sign, x[i], e[i])
	})
	each(x, func(i int) { f.VMAXPS(e[i], least, e[i]) })
	f.expInRange(e)
	one := f.value(1)
	each(x, func(i int) {
		above := f.vector(f.isa)
		if f.isa == avx512 {
			k := f.K()
			f.VPMOVD2M(x[i], k)
			f.VBLENDMPS(e[i], one, k, above)
		} else {
			f.VBLENDVPS(x[i], e[i], one, above)
		}
		f.VADDPS(one, e[i], e[i])
		f.VDIVPS(e[i], above, x[i])
	})
}

// Below erfSplit erf x is x + x·p(x²), with an error of 5e-10; above it erf |x| is
// 1 - e^(-|x|·s(|x|)), with one of 3e-9, and beyond 4 it is 1. Both polynomials
// were found as q was.
const erfSplit = 0.9375

var (
	erfNear = [...]float32{0.12837916612625122, -0.37612631916999817, 0.1128367930650711,
		-0.02685849741101265, 0.005198830273002386, -0.0008118079276755452, 8.267474186141044e-05}
	erfFar = [...]float32{1.1285120248794556, 0.6357263326644897, 0.10525132715702057,
		-0.02288324385881424, 0.003212866373360157, -0.00021373218623921275}
)

// polynomial is Σ c[j]·x^j.
func (f *floats) polynomial(c []float32, x []reg) []reg {
	p := make([]reg, len(x))
	for j := len(c) - 1; j >= 0; j-- {
		v := f.value(c[j])
		each(x, func(i int) {
			if p[i] == nil {
				p[i] = f.vector(f.isa)
				f.VMOVAPS(v, p[i])
			} else {
				f.VFMADD213PS(v, x[i], p[i])
			}
		})
	}
	return p
}

func (f *floats) erf(x, _ []reg) {
	a := make([]reg, len(x))
	each(x, func(i int) {
		a[i] = f.vector(f.isa)
		f.VMULPS(x[i], x[i], a[i])
	})
	near := f.polynomial(erfNear[:], a)
	each(x, func(i int) { f.VFMADD213PS(x[i], x[i], near[i]) })
	magnitude, most := f.bits(signBit-1), f.value(4)
	each(x, func(i int) { f.VANDPS(magnitude, x[i], a[i]) })
	each(x, func(i int) { f.VMINPS(a[i], most, a[i]) })
	exponent := f.polynomial(erfFar[:], a)
	sign := f.bits(signBit)
	each(x, func(i int) {
		f.VMULPS(a[i], exponent[i], exponent[i])
		f.VXORPS(sign, exponent[i], exponent[i])
	})
	far := f.lessOne(exponent) // -erf |x|
	sign, split := f.bits(signBit), f.value(erfSplit)
	each(x, func(i int) {
		f.VANDPS(sign, x[i], x[i])
		f.VANDNPS(far[i], sign, far[i])
		f.VORPS(far[i], x[i], x[i])
	})
	const less = 17 // ordered, quiet
	each(x, func(i int) {
		if f.isa == avx512 {
			k := f.K()
			f.VCMPPS(operand.U8(less), split, a[i], k)
			f.VBLENDMPS(near[i], x[i], k, x[i])
		} else {
			f.VCMPPS(operand.U8(less), split, a[i], a[i])
			f.VBLENDVPS(a[i], near[i], x[i], x[i])
		}
	})
}

// Predicates of comparisons that no NaN fulfills, but the last.
const (
	equalTo     = 0
	lessThan    = 17
	greaterThan = 30
	unordered   = 3
)

// pick leaves yes in dst where the predicate holds for x and y, and no elsewhere.
func (f *floats) pick(predicate uint8, x, y, yes, no, dst reg) {
	if f.isa == avx512 {
		k := f.K()
		f.VCMPPS(operand.U8(predicate), y, x, k)
		f.VBLENDMPS(yes, no, k, dst)
		return
	}
	m := f.vector(f.isa)
	f.VCMPPS(operand.U8(predicate), y, x, m)
	f.VBLENDVPS(m, yes, no, dst)
}

// copies is x in registers of their own.
func (f *floats) copies(x []reg) []reg {
	y := make([]reg, len(x))
	each(x, func(i int) {
		y[i] = f.vector(f.isa)
		f.VMOVAPS(x[i], y[i])
	})
	return y
}

// lessValue takes v away from x.
func (f *floats) lessValue(v float32, x []reg) {
	c := f.value(v)
	each(x, func(i int) { f.VSUBPS(c, x[i], x[i]) })
}

// expLessOne is e^x-1; where that is large, 1 has no place in it.
func (f *floats) expLessOne(x, _ []reg) {
	large := f.copies(x)
	f.exp(large, nil)
	most, least := f.value(40), f.value(-80)
	near := f.copies(x)
	each(x, func(i int) {
		f.VMINPS(near[i], most, near[i])
		f.VMAXPS(near[i], least, near[i])
	})
	less := f.lessOne(near)
	sign := f.bits(signBit)
	most = f.value(40)
	each(x, func(i int) {
		f.pick(greaterThan, x[i], most, large[i], less[i], less[i])
		f.VANDPS(sign, x[i], x[i]) // -0 is kept
		f.VORPS(less[i], x[i], x[i])
	})
}

// erfc |x| is e^(-x²)·g(t)/(1+2|x|) with t = (|x|-4)/(|x|+4): M. Shepherd and
// J. Laframboise, Chebyshev approximation of (1+2x)exp(x²)erfc x in 0 ≤ x < ∞ (1981).
// The coefficients of g, found as q's were, give an error of 3e-8; beyond 10.1 the result
// is 0.
var complementary = [...]float32{1.2329952, -0.13962112, 0.01537583, 0.06809553, -0.10096582,
	0.093815245, -0.0667806, 0.03631941, -0.01564449, 0.0073961164, 0.001025094}

// erfc is 2 less that of -x where x is negative, and 1 less erf x near 0.
func (f *floats) erfc(x, _ []reg) {
	a, t := make([]reg, len(x)), make([]reg, len(x))
	magnitude, most, four := f.bits(signBit-1), f.value(10.2), f.value(4)
	each(x, func(i int) {
		a[i], t[i] = f.vector(f.isa), f.vector(f.isa)
		f.VANDPS(magnitude, x[i], a[i])
		f.VMINPS(a[i], most, a[i])
		below := f.vector(f.isa)
		f.VADDPS(four, a[i], below)
		f.VSUBPS(four, a[i], t[i])
		f.VDIVPS(below, t[i], t[i])
	})
	g := f.polynomial(complementary[:], t)
	square, lost := make([]reg, len(x)), make([]reg, len(x))
	one, sign := f.value(1), f.bits(signBit)
	each(x, func(i int) { // x² in two parts, as its error counts for more in e^(-x²)
		square[i], lost[i] = f.vector(f.isa), f.vector(f.isa)
		f.VMULPS(a[i], a[i], square[i])
		f.VXORPS(sign, square[i], square[i])
		f.VMOVAPS(square[i], lost[i])
		f.VFMADD231PS(a[i], a[i], lost[i])
		below := f.vector(f.isa)
		f.VADDPS(a[i], a[i], below)
		f.VADDPS(one, below, below)
		f.VDIVPS(below, g[i], g[i])
		f.VFNMADD231PS(lost[i], g[i], g[i])
	})
	least := f.value(-104)
	each(x, func(i int) { f.VMAXPS(square[i], least, square[i]) })
	f.expInRange(square)
	two, zero := f.value(2), f.zero(f.isa)
	each(x, func(i int) {
		f.VMULPS(square[i], g[i], g[i])
		other := f.vector(f.isa)
		f.VSUBPS(g[i], two, other)
		f.pick(lessThan, x[i], zero, other, g[i], g[i])
	})
	each(x, func(i int) { f.VMULPS(x[i], x[i], t[i]) })
	near := f.polynomial(erfNear[:], t)
	one = f.value(1)
	split := f.value(0.5)
	each(x, func(i int) {
		f.VFMADD213PS(x[i], x[i], near[i])
		f.VSUBPS(near[i], one, near[i])
		f.pick(lessThan, a[i], split, near[i], g[i], g[i])
		f.pick(unordered, x[i], x[i], x[i], g[i], x[i])
	})
}

// cosh is h²/2 + 1/(2h²), where h is e^(|x|/2), which is finite wherever the result is.
func (f *floats) cosh(x, _ []reg) {
	magnitude, half := f.bits(signBit-1), f.value(0.5)
	each(x, func(i int) {
		f.VANDPS(magnitude, x[i], x[i])
		f.VMULPS(half, x[i], x[i])
	})
	f.exp(x, nil)
	each(x, func(i int) {
		less, rest := f.vector(f.isa), f.vector(f.isa)
		f.VMULPS(half, x[i], less)
		f.VMULPS(x[i], x[i], rest)
		f.VDIVPS(rest, half, rest)
		f.VMULPS(x[i], less, x[i])
		f.VADDPS(rest, x[i], x[i])
	})
}
