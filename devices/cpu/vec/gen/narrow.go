package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// narrow writes the conversions between float32 and the types of 16 bits, for whole
// vectors: what is left is Go's.
func (f *floats) narrow() {
	f.conversion("widenHalf", "func(dst []float32, x []uint16)", 4, 2, func(dst, x operand.Mem) {
		v := f.vector(f.isa)
		f.VCVTPH2PS(x, v)
		f.VMOVUPS(v, dst)
	})
	f.conversion("narrowHalf", "func(dst []uint16, x []float32)", 2, 4, func(dst, x operand.Mem) {
		v := f.vector(f.isa)
		f.VMOVUPS(x, v)
		f.VCVTPS2PH(operand.U8(0), v, dst) // to the nearest, ties to even
	})
	f.conversion("widenBfloat", "func(dst []float32, x []uint16)", 4, 2, func(dst, x operand.Mem) {
		v := f.vector(f.isa)
		f.VPMOVZXWD(x, v)
		f.VPSLLD(operand.U8(16), v, v)
		f.VMOVUPS(v, dst)
	})
	f.conversion("narrowBfloat", "func(dst []uint16, x []float32)", 2, 4, f.narrowBfloat)
}

// conversion writes a function between slices whose elements have so many bytes.
func (f *floats) conversion(name, signature string, to, from int, code func(dst, x operand.Mem)) {
	f.Function(name + f.name)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr(signature)
	dst := f.Load(f.Param("dst").Base(), f.GP64())
	n := f.Load(f.Param("dst").Len(), f.GP64())
	x := f.Load(f.Param("x").Base(), f.GP64())
	f.whole(n, func() {
		code(at(dst, 0), at(x, 0))
		f.advance(f.bytes/4*to, dst)
		f.advance(f.bytes/4*from, x)
	})
}

// narrowBfloat adds half of what is cut off, less the least of it where the result
// would be even; a NaN becomes the quiet one of its sign.
func (f *floats) narrowBfloat(dst, x operand.Mem) {
	v, odd, nan := f.vector(f.isa), f.vector(f.isa), f.vector(f.isa)
	f.VMOVUPS(x, v)
	f.VPSRLD(operand.U8(16), v, odd)
	one, half, sign, quiet := f.bits(1), f.bits(0x7fff), f.bits(0x8000), f.bits(0x7fc0)
	f.VANDPS(odd, sign, nan)
	f.VORPS(nan, quiet, nan)
	f.VANDPS(odd, one, odd)
	sum := f.vector(f.isa)
	f.VPADDD(v, half, sum)
	f.VPADDD(sum, odd, sum)
	f.VPSRLD(operand.U8(16), sum, sum)
	f.pick(unordered, v, v, nan, sum, v)
	if f.isa == avx512 {
		f.VPMOVDW(v, dst)
		return
	}
	low, high := v.AsX(), f.XMM()
	f.VEXTRACTF128(operand.U8(1), v, high)
	f.VPACKUSDW(high, low, low)
	f.VMOVDQU(low, dst)
}
