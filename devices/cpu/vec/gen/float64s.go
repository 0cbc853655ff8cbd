package main

import (
	"math"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// float64s writes functions on slices of float64. They fuse no multiplication with an
// addition, so that the portable functions compute the same bits.
type float64s struct {
	*assembly
	isa
}

// function writes a function in which code computes several vectors at a time, interleaved,
// in place. The rest is as for [floats.function].
func (d *float64s) function(name string, width int, code func(x []reg)) {
	d.Function(name + "Float64s" + d.name)
	d.Attributes(attr.NOSPLIT)
	d.SignatureExpr("func(dst, x []float64)")
	dst := d.Load(d.Param("dst").Base(), d.GP64())
	n := d.Load(d.Param("dst").Len(), d.GP64())
	x := d.Load(d.Param("x").Base(), d.GP64())
	d.elements(d.isa, 8, n, width, func(count int, m *mask) {
		v := make([]reg, count)
		each(v, func(i int) {
			v[i] = d.vector(d.isa)
			d.load(d.isa, at(x, i*d.bytes), v[i], m)
		})
		code(v)
		each(v, func(i int) { d.store(d.isa, v[i], at(dst, i*d.bytes), m) })
		d.ADDQ(operand.U32(uint32(count*d.bytes)), dst)
		d.ADDQ(operand.U32(uint32(count*d.bytes)), x)
		d.SUBQ(operand.U32(uint32(count*d.bytes/8)), n)
	})
}

// constants64 names the table of constants, eight times each.
const constants64 = "constants64"

var pool64 []uint64

// bits is a vector of a constant in memory.
func (d *float64s) bits(c uint64) operand.Mem {
	i := slices.Index(pool64, c)
	if i < 0 {
		i = len(pool64)
		pool64 = append(pool64, c)
	}
	return operand.NewDataAddr(operand.NewStaticSymbol(constants64), 64*i)
}

// value is bits of a number.
func (d *float64s) value(v float64) operand.Mem { return d.bits(math.Float64bits(v)) }

// data adds the table to the file.
func (d *float64s) data() {
	d.StaticGlobal(constants64)
	d.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, c := range pool64 {
		for lane := range 8 {
			d.AddDatum(64*i+8*lane, operand.U64(c))
		}
	}
}

// register loads a constant.
func (d *float64s) register(from operand.Mem) reg {
	v := d.vector(d.isa)
	d.VMOVUPD(from, v)
	return v
}

// registers returns as many fresh registers as x has.
func (d *float64s) registers(x []reg) []reg {
	y := make([]reg, len(x))
	each(y, func(i int) { y[i] = d.vector(d.isa) })
	return y
}

// ln 2 in two parts, of which a multiple of the first by n up to 2^20 is exact.
const (
	ln2High64 = 6.93147180369123816490e-01
	ln2Low64  = 1.90821492927058770002e-10
)

// e^r-1 is r + r²·q(r) with an error of 2e-18 for |r| ≤ 0.3467. The coefficients are those of
// the Chebyshev expansion of q; package vec has them too.
var q64 = [...]float64{0.5000000000000001, 0.16666666666666669, 0.041666666666624164, 0.008333333333330065,
	0.0013888888917196719, 0.00019841269863040545, 2.480152132236793e-05, 2.755726848030944e-06,
	2.762007588034591e-07, 2.5100375832840034e-08}

// reduce splits x into n, in place of x, and e^r-1, as [floats.reduce] does.
func (d *float64s) reduce(x []reg) (p []reg) {
	p = d.registers(x)
	n, product := d.registers(x), d.registers(x)
	each(x, func(i int) { d.VMULPD(d.value(math.Log2E), x[i], n[i]) })
	each(x, func(i int) { d.round(n[i]) })
	for _, part := range []float64{ln2High64, ln2Low64} {
		each(x, func(i int) {
			d.VMULPD(d.value(part), n[i], product[i])
			d.VSUBPD(product[i], x[i], x[i])
		})
	}
	each(x, func(i int) { d.VMOVUPD(d.value(q64[len(q64)-1]), p[i]) })
	for j := len(q64) - 2; j >= 0; j-- {
		each(x, func(i int) {
			d.VMULPD(x[i], p[i], p[i])
			d.VADDPD(d.value(q64[j]), p[i], p[i])
		})
	}
	each(x, func(i int) {
		d.VMULPD(x[i], x[i], product[i])
		d.VMULPD(product[i], p[i], p[i])
		d.VADDPD(x[i], p[i], p[i])
	})
	copy(x, n)
	return p
}

// round rounds to the nearest whole number.
func (d *float64s) round(x reg) {
	if d.isa == avx512 {
		d.VRNDSCALEPD(operand.U8(nearest), x, x)
	} else {
		d.VROUNDPD(operand.U8(nearest), x, x)
	}
}

// scale multiplies e by 2^n and overwrites n. It rounds once, as [floats.scale] does.
func (d *float64s) scale(n, e reg) {
	if d.isa == avx512 {
		d.VSCALEFPD(n, e, e)
		return
	}
	whole, half, power := d.XMM(), d.XMM(), d.vector(d.isa)
	d.VCVTPD2DQY(n, whole)
	d.VPSRAD(operand.U8(1), whole, half)
	d.VPSUBD(half, whole, whole)
	for _, part := range []reg{half, whole} {
		d.VPMOVSXDQ(part, power)
		d.VPSLLQ(operand.U8(52), power, power)
		d.VPADDQ(d.value(1), power, power)
		d.VMULPD(power, e, e)
	}
}

// exp clamps to where the result is 0 or infinite already; NaN passes the clamps because it
// is their second operand.
func (d *float64s) exp(x []reg) {
	most, least := d.register(d.value(710)), d.register(d.value(-746))
	each(x, func(i int) {
		d.VMINPD(x[i], most, x[i])
		d.VMAXPD(x[i], least, x[i])
	})
	p := d.reduce(x)
	each(x, func(i int) {
		d.VADDPD(d.value(1), p[i], p[i])
		d.scale(x[i], p[i])
	})
	copy(x, p)
}

// sigmoid is 1/(1+e^-x).
func (d *float64s) sigmoid(x []reg) {
	each(x, func(i int) { d.VXORPD(d.bits(1<<63), x[i], x[i]) })
	d.exp(x)
	one := d.register(d.value(1))
	each(x, func(i int) {
		d.VADDPD(one, x[i], x[i])
		d.VDIVPD(x[i], one, x[i])
	})
}

// tanh |x| is -t/(t+2) with t = e^(-2|x|)-1. Beyond 20 it is 1.
func (d *float64s) tanh(x []reg) {
	a := d.registers(x)
	most := d.register(d.value(20))
	each(x, func(i int) {
		d.VANDPD(d.bits(1<<63-1), x[i], a[i])
		d.VMINPD(a[i], most, a[i])
		d.VMULPD(d.value(-2), a[i], a[i])
	})
	t := d.reduce(a)
	each(x, func(i int) { // 2^n·(e^r-1) + (2^n-1)
		power := d.register(d.value(1))
		d.scale(a[i], power)
		d.VMULPD(power, t[i], t[i])
		d.VSUBPD(d.value(1), power, power)
		d.VADDPD(power, t[i], t[i])
	})
	sign := d.register(d.bits(1 << 63))
	each(x, func(i int) {
		d.VADDPD(d.value(2), t[i], a[i])
		d.VDIVPD(a[i], t[i], t[i])
		d.VANDPD(sign, x[i], x[i])
		d.VANDNPD(t[i], sign, t[i])
		d.VORPD(t[i], x[i], x[i])
	})
}

// log is that of FreeBSD's e_log.c, as package math's: with x = 2^k·(1+f), between the square
// roots of 1/2 and 2, and s = f/(2+f), log(1+f) is f - f²/2 + s·(f²/2 + R(s²)).
var logarithm64 = [...]float64{6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
	2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01}

func (d *float64s) log(x []reg) {
	u, k := d.registers(x), d.registers(x)
	each(x, func(i int) {
		d.VMOVAPD(x[i], u[i])
		// Subnormal numbers are made normal.
		up := d.vector(d.isa)
		d.VMULPD(d.value(0x1p52), x[i], up)
		least := d.register(d.value(0x1p-1022))
		d.pick(lessThan, x[i], least, up, x[i], x[i])
		d.pick(lessThan, u[i], least, d.register(d.value(52)), d.zero(d.isa), up)
		// The exponent, in the place of a mantissa, is a number.
		d.VPSRLQ(operand.U8(52), x[i], k[i])
		d.VORPD(d.bits(math.Float64bits(0x1p52)), k[i], k[i])
		d.VSUBPD(d.value(0x1p52+1022), k[i], k[i])
		d.VSUBPD(up, k[i], k[i])
		d.VANDPD(d.bits(1<<52-1), x[i], x[i])
		d.VORPD(d.value(0.5), x[i], x[i])
		// What is at most the square root of 1/2 is doubled.
		less, double := d.vector(d.isa), d.vector(d.isa)
		root := d.register(d.value(math.Sqrt2 / 2))
		d.pick(greaterThan, x[i], root, d.zero(d.isa), d.register(d.value(1)), less)
		d.VSUBPD(less, k[i], k[i])
		d.VADDPD(d.value(1), less, double)
		d.VMULPD(double, x[i], x[i])
		d.VSUBPD(d.value(1), x[i], x[i])
	})
	each(x, func(i int) {
		s, s2, s4, odd, even, half := d.vector(d.isa), d.vector(d.isa), d.vector(d.isa), d.vector(d.isa), d.vector(d.isa), d.vector(d.isa)
		d.VADDPD(d.value(2), x[i], s)
		d.VDIVPD(s, x[i], s)
		d.VMULPD(s, s, s2)
		d.VMULPD(s2, s2, s4)
		for _, series := range []struct {
			at   reg
			from int
		}{{odd, 6}, {even, 5}} {
			d.VMOVUPD(d.value(logarithm64[series.from]), series.at)
			for j := series.from - 2; j >= 0; j -= 2 {
				d.VMULPD(s4, series.at, series.at)
				d.VADDPD(d.value(logarithm64[j]), series.at, series.at)
			}
		}
		d.VMULPD(s2, odd, odd)
		d.VMULPD(s4, even, even)
		d.VADDPD(even, odd, odd)
		d.VMULPD(d.value(0.5), x[i], half)
		d.VMULPD(x[i], half, half)
		d.VADDPD(half, odd, odd)
		d.VMULPD(odd, s, s)
		d.VMULPD(d.value(ln2Low64), k[i], s2)
		d.VADDPD(s2, s, s)
		d.VSUBPD(s, half, half)
		d.VSUBPD(x[i], half, half)
		d.VMULPD(d.value(ln2High64), k[i], k[i])
		d.VSUBPD(half, k[i], x[i])
	})
	each(x, func(i int) { // what is not positive and finite
		zero, infinity := d.zero(d.isa), d.register(d.value(math.Inf(1)))
		d.pick(lessThan, u[i], zero, d.register(d.bits(0x7ff8000000000001)), x[i], x[i])
		d.pick(equalTo, u[i], zero, d.register(d.value(math.Inf(-1))), x[i], x[i])
		d.pick(equalTo, u[i], infinity, infinity, x[i], x[i])
		d.pick(unordered, u[i], u[i], u[i], x[i], x[i])
	})
}

// pick leaves yes in dst where the predicate holds for x and y, and no elsewhere.
func (d *float64s) pick(predicate uint8, x, y, yes, no, dst reg) {
	if d.isa == avx512 {
		k := d.K()
		d.VCMPPD(operand.U8(predicate), y, x, k)
		d.VBLENDMPD(yes, no, k, dst)
		return
	}
	m := d.vector(d.isa)
	d.VCMPPD(operand.U8(predicate), y, x, m)
	d.VBLENDVPD(m, yes, no, dst)
}
