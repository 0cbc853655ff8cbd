package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// prefetch writes a function that asks for so many cache lines of each of so many rows, one of
// either at least, for the second cache.
func (a *assembly) prefetch() {
	a.Function("prefetchRows")
	a.Attributes(attr.NOSPLIT)
	a.SignatureExpr("func(p *byte, row uintptr, rows int, lines int)")
	p, row := a.Load(a.Param("p"), a.GP64()), a.Load(a.Param("row"), a.GP64())
	rows, lines := a.Load(a.Param("rows"), a.GP64()), a.Load(a.Param("lines"), a.GP64())
	next, line := a.label("next"), a.label("line")
	x, n := a.GP64(), a.GP64()
	a.Label(next)
	a.MOVQ(p, x)
	a.MOVQ(lines, n)
	a.Label(line)
	a.PREFETCHT1(operand.Mem{Base: x})
	a.ADDQ(operand.U8(64), x)
	a.DECQ(n)
	a.JNE(operand.LabelRef(line))
	a.ADDQ(row, p)
	a.DECQ(rows)
	a.JNE(operand.LabelRef(next))
	a.RET()
}
