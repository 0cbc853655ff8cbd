package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	avo "github.com/mmcloughlin/avo/reg"
)

// A predicate is how the machine knows a comparison: ordered and quiet.
type predicate struct {
	name string
	code uint8
}

var predicates = []predicate{{"less", 17}, {"lessEqual", 18}, {"greater", 30}, {"greaterEqual", 29}}

// compare writes a comparison of two slices, or of one with a number, into bools.
// It is for whole vectors of them: what is left is Go's.
func (f *floats) compare(p predicate, scalar bool) {
	name, signature := p.name, "func(dst []bool, x, y []float32)"
	if scalar {
		name, signature = name+"Scalar", "func(dst []bool, x []float32, s float32)"
	}
	f.Function(name + f.name)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr(signature)
	dst := f.Load(f.Param("dst").Base(), f.GP64())
	n := f.Load(f.Param("dst").Len(), f.GP64())
	x := f.Load(f.Param("x").Base(), f.GP64())
	var y reg
	s := f.vector(f.isa)
	if scalar {
		f.broadcastParam("s", s)
	} else {
		y = f.Load(f.Param("y").Base(), f.GP64())
	}
	one := f.bits(1)
	other := func() operand.Op {
		if scalar {
			return s
		}
		return at(y, 0)
	}
	f.whole(n, func() {
		v := f.vector(f.isa)
		f.VMOVUPS(at(x, 0), v)
		if f.isa == avx512 {
			k := f.K()
			f.VCMPPS(operand.U8(p.code), other(), v, k)
			f.VMOVDQA32_Z(one, k, v)
			f.VPMOVDB(v, at(dst, 0))
		} else {
			f.VCMPPS(operand.U8(p.code), other(), v, v)
			f.VPAND(one, v, v)
			low, high := v.AsX(), f.XMM()
			f.VEXTRACTF128(operand.U8(1), v, high)
			f.VPACKSSDW(high, low, low)
			f.VPACKSSWB(low, low, low)
			f.VMOVQ(low, at(dst, 0))
		}
		f.advance(f.bytes/4, dst)
		f.advance(f.bytes, x, y)
	})
}

// choose writes the choice between two slices of words by bools, for whole vectors.
func (f *floats) choose() {
	f.Function("choose" + f.name)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr("func(dst []float32, c []bool, x, y []float32)")
	dst := f.Load(f.Param("dst").Base(), f.GP64())
	n := f.Load(f.Param("dst").Len(), f.GP64())
	c := f.Load(f.Param("c").Base(), f.GP64())
	x := f.Load(f.Param("x").Base(), f.GP64())
	y := f.Load(f.Param("y").Base(), f.GP64())
	zero := f.zero(f.isa)
	f.whole(n, func() {
		m, v := f.vector(f.isa), f.vector(f.isa)
		f.VPMOVZXBD(at(c, 0), m)
		f.VMOVUPS(at(y, 0), v)
		if f.isa == avx512 {
			k := f.K()
			f.VPTESTMD(m, m, k)
			f.VMOVUPS(at(x, 0), k, v)
		} else {
			f.VPCMPGTD(zero, m, m)
			f.VBLENDVPS(m, at(x, 0), v, v)
		}
		f.VMOVUPS(v, at(dst, 0))
		f.advance(f.bytes/4, c)
		f.advance(f.bytes, dst, x, y)
	})
}

// whole writes the loop over the whole vectors of n elements, one at a time, and
// the end of the function.
func (f *floats) whole(n reg, step func()) {
	many, done := f.label("many"), f.label("done")
	f.Label(many)
	f.SUBQ(operand.U8(uint8(f.bytes/4)), n)
	f.JLT(operand.LabelRef(done))
	step()
	f.JMP(operand.LabelRef(many))
	f.Label(done)
	f.VZEROUPPER()
	f.RET()
}

// advance adds to pointers, of which some may be missing.
func (f *floats) advance(by int, pointers ...reg) {
	for _, p := range pointers {
		if p != nil {
			f.ADDQ(operand.U8(uint8(by)), p)
		}
	}
}

// broadcastParam loads a parameter into all lanes.
func (f *floats) broadcastParam(name string, to avo.Register) {
	p, err := f.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	f.VBROADCASTSS(p.Addr, to)
}
