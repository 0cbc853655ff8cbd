package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	avo "github.com/mmcloughlin/avo/reg"
)

// partial is how many partial results a reduction has: element i goes to number
// i mod partial, whatever the instruction set.
const partial = 64

// reduction writes the function that takes x into partial results, which begin
// as empty, the identity of the operation, and folds these. into combines a vector
// of partial results with one of x and answers where the result is; it may change
// both.
func (f *floats) reduction(name string, into func(acc, x reg) reg) {
	f.Function(name + "Of" + f.name)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr("func(x []float32, empty float32) float32")
	x := f.Load(f.Param("x").Base(), f.GP64())
	n := f.Load(f.Param("x").Len(), f.GP64())
	acc := make([]reg, partial*4/f.bytes)
	each(acc, func(i int) {
		acc[i] = f.vector(f.isa)
		f.broadcastParam("empty", acc[i])
	})
	take := func(i int, v reg) {
		if r := into(acc[i], v); r != acc[i] {
			f.VMOVAPS(r, acc[i])
		}
	}
	many, tail, done := f.label("many"), f.label("tail"), f.label("done")
	f.Label(many)
	f.CMPQ(n, operand.U32(partial))
	f.JLT(operand.LabelRef(tail))
	each(acc, func(i int) {
		v := f.vector(f.isa)
		f.VMOVUPS(at(x, i*f.bytes), v)
		take(i, v)
	})
	f.ADDQ(operand.U32(partial*4), x)
	f.SUBQ(operand.U32(partial), n)
	f.JMP(operand.LabelRef(many))
	f.Label(tail)
	identity := f.vector(f.isa)
	f.broadcastParam("empty", identity)
	each(acc, func(i int) {
		f.CMPQ(n, operand.U8(0))
		f.JLE(operand.LabelRef(done))
		m, v := f.mask(f.isa, 4, n), f.vector(f.isa)
		f.load(f.isa, at(x, i*f.bytes), v, &m)
		if f.isa == avx512 {
			f.VBLENDMPS(v, identity, m.reg, v)
		} else {
			f.VBLENDVPS(m.reg, v, identity, v)
		}
		take(i, v)
		f.SUBQ(operand.U32(uint32(f.bytes/4)), n)
	})
	f.Label(done)
	f.fold(acc, take)
	f.Store(acc[0].(avo.VecVirtual).AsX(), f.ReturnIndex(0))
	f.VZEROUPPER()
	f.RET()
}

// fold takes the upper half of the partial results into the lower one until a
// single one is left: whole vectors, then parts of the first, which come in the
// place of those before them.
func (f *floats) fold(acc []reg, take func(i int, v reg)) {
	for n := len(acc) / 2; n > 0; n /= 2 {
		for i := range n {
			take(i, acc[i+n])
		}
	}
	part := func(move func(v reg)) {
		v := f.vector(f.isa)
		move(v)
		take(0, v)
	}
	const (
		upperHalf  = 0x4e // elements, or pairs of lanes, 2 3 0 1
		neighbours = 0xb1 // 1 0 3 2
	)
	if f.isa == avx512 {
		part(func(v reg) { f.VSHUFF64X2(operand.U8(upperHalf), acc[0], acc[0], v) })
		part(func(v reg) { f.VSHUFF64X2(operand.U8(neighbours), acc[0], acc[0], v) })
	} else {
		part(func(v reg) { f.VPERM2F128(operand.U8(1), acc[0], acc[0], v) })
	}
	part(func(v reg) { f.VPERMILPS(operand.U8(upperHalf), acc[0], v) })
	part(func(v reg) { f.VPERMILPS(operand.U8(neighbours), acc[0], v) })
}

// index writes the search for the first element that equals s; the length of x
// where there is none.
func (f *floats) index() {
	f.Function("index" + f.name)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr("func(x []float32, s float32) int")
	x := f.Load(f.Param("x").Base(), f.GP64())
	n := f.Load(f.Param("x").Len(), f.GP64())
	p, err := f.Param("s").Resolve()
	if err != nil {
		panic(err)
	}
	s := f.vector(f.isa)
	f.VBROADCASTSS(p.Addr, s)
	i := f.GP64()
	f.XORQ(i, i)

	lanes := f.bytes / 4
	equal := f.GP32() // a bit for each lane
	compare := func(m *mask) {
		v := f.vector(f.isa)
		f.load(f.isa, operand.Mem{Base: x, Index: i, Scale: 4}, v, m)
		if f.isa == avx512 {
			k := f.K()
			f.VCMPPS(operand.U8(0), s, v, k)
			f.KMOVW(k, equal)
		} else {
			f.VCMPPS(operand.U8(0), s, v, v)
			f.VMOVMSKPS(v, equal)
		}
	}
	many, tail, found, done := f.label("many"), f.label("tail"), f.label("found"), f.label("done")
	f.Label(many)
	f.CMPQ(n, operand.U32(uint32(lanes)))
	f.JLT(operand.LabelRef(tail))
	compare(nil)
	f.TESTL(equal, equal)
	f.JNE(operand.LabelRef(found))
	f.ADDQ(operand.U32(uint32(lanes)), i)
	f.SUBQ(operand.U32(uint32(lanes)), n)
	f.JMP(operand.LabelRef(many))
	f.Label(tail)
	m := f.mask(f.isa, 4, n)
	compare(&m)
	f.BZHIL(n.(avo.GPVirtual).As32(), equal, equal)
	f.TESTL(equal, equal)
	f.JNE(operand.LabelRef(found))
	f.ADDQ(n, i)
	f.JMP(operand.LabelRef(done))
	f.Label(found)
	f.TZCNTL(equal, equal)
	f.ADDQ(equal.As64(), i)
	f.Label(done)
	f.Store(i, f.ReturnIndex(0))
	f.VZEROUPPER()
	f.RET()
}

// widen writes the conversion to float64, which is exact.
func (f *floats) widen() {
	f.Function("widen" + f.name)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr("func(dst []float64, x []float32)")
	dst := f.Load(f.Param("dst").Base(), f.GP64())
	n := f.Load(f.Param("dst").Len(), f.GP64())
	x := f.Load(f.Param("x").Base(), f.GP64())
	const width = 4
	step := width * f.bytes / 8
	many, tail, done := f.label("many"), f.label("tail"), f.label("done")
	f.Label(many)
	f.CMPQ(n, operand.U32(uint32(step)))
	f.JLT(operand.LabelRef(tail))
	for i := range width {
		v := f.vector(f.isa)
		f.VCVTPS2PD(at(x, i*f.bytes/2), v)
		f.VMOVUPD(v, at(dst, i*f.bytes))
	}
	f.ADDQ(operand.U32(uint32(4*step)), x)
	f.ADDQ(operand.U32(uint32(8*step)), dst)
	f.SUBQ(operand.U32(uint32(step)), n)
	f.JMP(operand.LabelRef(many))
	f.Label(tail)
	f.TESTQ(n, n)
	f.JEQ(operand.LabelRef(done))
	v := f.XMM()
	f.VMOVSS(at(x, 0), v)
	f.VCVTSS2SD(v, v, v)
	f.VMOVSD(v, at(dst, 0))
	f.ADDQ(operand.U8(4), x)
	f.ADDQ(operand.U8(8), dst)
	f.DECQ(n)
	f.JMP(operand.LabelRef(tail))
	f.Label(done)
	f.VZEROUPPER()
	f.RET()
}
