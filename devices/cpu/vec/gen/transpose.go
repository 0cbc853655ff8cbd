package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// transpose writes the transposition of as many rows as a vector has lanes: a
// square of them at a time. Where there are fewer rows the last stands for
// those that are missing.
func (a *assembly) transpose(s set) {
	a.Function("transpose" + s.suffix())
	a.Attributes(attr.NOSPLIT)
	a.SignatureExpr("func(t *byte)")
	t := a.Load(a.Param("t"), a.GP64())
	lanes := s.bytes / s.size

	src, srcRow := a.field(t, transSrc), a.field(t, transSrcRow)
	rows, cols := a.field(t, transRows), a.field(t, transCols)
	dst, dstRow := a.field(t, transDst), a.field(t, transDstRow)

	// square transposes one, with as many columns as m says.
	square := func(m *mask, store func(vs []reg)) {
		vs := make([]reg, lanes)
		p, next := a.GP64(), a.GP64()
		a.MOVQ(src, p)
		for i := range vs {
			vs[i] = a.vector(s.isa)
			a.load(s.isa, at(p, 0), vs[i], m)
			if i < lanes-1 {
				a.LEAQ(operand.Mem{Base: p, Index: srcRow, Scale: 1}, next)
				a.CMPQ(rows, operand.U8(uint8(i+1)))
				a.CMOVQGT(next, p)
			}
		}
		store(a.transposed(s, vs))
	}
	full, tail, done := a.label("full"), a.label("tail"), a.label("done")
	a.Label(full)
	a.CMPQ(cols, operand.U8(uint8(lanes)))
	a.JLT(operand.LabelRef(tail))
	square(nil, func(vs []reg) {
		for _, v := range vs {
			a.store(s.isa, v, at(dst, 0), nil)
			a.ADDQ(dstRow, dst)
		}
	})
	a.ADDQ(operand.U8(uint8(s.bytes)), src)
	a.SUBQ(operand.U8(uint8(lanes)), cols)
	a.JMP(operand.LabelRef(full))
	a.Label(tail)
	a.TESTQ(cols, cols)
	a.JEQ(operand.LabelRef(done))
	m := a.mask(s.isa, s.size, cols)
	square(&m, func(vs []reg) {
		for i, v := range vs[:lanes-1] {
			a.store(s.isa, v, at(dst, 0), nil)
			a.ADDQ(dstRow, dst)
			a.CMPQ(cols, operand.U8(uint8(i+1)))
			a.JEQ(operand.LabelRef(done))
		}
	})
	a.Label(done)
	a.VZEROUPPER()
	a.RET()
}

// transposed exchanges, step by step, blocks of one element, of two, of four
// and of eight between neighbouring rows.
func (a *assembly) transposed(s set, vs []reg) []reg {
	out := vs
	pairs := func(distance int, low, high func(x, y, v reg)) {
		next := make([]reg, len(out))
		for i := range out {
			if i&distance != 0 {
				continue
			}
			x, y := out[i], out[i+distance]
			next[i], next[i+distance] = a.vector(s.isa), a.vector(s.isa)
			low(x, y, next[i])
			high(x, y, next[i+distance])
		}
		out = next
	}
	shuffle := func(pattern uint8) func(x, y, v reg) {
		return func(x, y, v reg) {
			switch {
			case s.isa == avx2:
				a.VPERM2F128(operand.U8(pattern), y, x, v)
			default:
				a.VSHUFF64X2(operand.U8(pattern), y, x, v)
			}
		}
	}
	if s.size == 4 {
		pairs(1, func(x, y, v reg) { a.VUNPCKLPS(y, x, v) }, func(x, y, v reg) { a.VUNPCKHPS(y, x, v) })
		pairs(2, func(x, y, v reg) { a.VUNPCKLPD(y, x, v) }, func(x, y, v reg) { a.VUNPCKHPD(y, x, v) })
		for i := 1; i < len(out); i += 4 {
			out[i], out[i+1] = out[i+1], out[i]
		}
	} else {
		pairs(1, func(x, y, v reg) { a.VUNPCKLPD(y, x, v) }, func(x, y, v reg) { a.VUNPCKHPD(y, x, v) })
	}
	quarter := 16 / s.size // elements in 128 bits
	if s.isa == avx2 {
		pairs(quarter, shuffle(0x20), shuffle(0x31))
	} else {
		pairs(quarter, shuffle(0x88), shuffle(0xdd))
		pairs(2*quarter, shuffle(0x88), shuffle(0xdd))
	}
	return out
}

// copyPanel writes a copy of rows of two vectors each, as they are.
func (a *assembly) copyPanel(s isa) {
	a.Function("copyPanel" + s.name)
	a.Attributes(attr.NOSPLIT)
	a.SignatureExpr("func(t *byte)")
	t := a.Load(a.Param("t"), a.GP64())
	src, dst := a.field(t, transSrc), a.field(t, transDst)
	srcRow, dstRow := a.field(t, transSrcRow), a.field(t, transDstRow)
	rows := a.field(t, transRows)
	next := a.label("next")
	a.Label(next)
	v, w := a.vector(s), a.vector(s)
	a.VMOVUPS(at(src, 0), v)
	a.VMOVUPS(at(src, s.bytes), w)
	a.VMOVUPS(v, at(dst, 0))
	a.VMOVUPS(w, at(dst, s.bytes))
	a.ADDQ(srcRow, src)
	a.ADDQ(dstRow, dst)
	a.DECQ(rows)
	a.JNE(operand.LabelRef(next))
	a.VZEROUPPER()
	a.RET()
}
