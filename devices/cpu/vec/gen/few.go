package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// The fields of a fewRun in package vec, in order.
const (
	fewSrc = 8 * iota
	fewOffsets
	fewWeights
	fewNext
	fewK
	fewDst
	fewLine
	fewAdd
)

// mostFew is how many columns there are at most.
const mostFew = 8

// fewVectors returns how many vectors of rows a run for so many columns may have, the most
// first: sums, a vector of rows for each and an element of B share the registers, and there
// are 8 sums at least where that can be.
func fewVectors(s isa, columns int) []int {
	switch {
	case columns == 1:
		return []int{8, 4, 1}
	case columns <= 3, s == avx512 && columns == 4:
		return []int{4, 1}
	case s == avx512, columns <= 6:
		return []int{2, 1}
	}
	return []int{1}
}

func fewName(s isa, columns, vectors int) string {
	return fmt.Sprintf("few%s_%dx%d", s.name, columns, vectors)
}

// few writes the products for few columns.
func few(a *assembly) {
	a.ConstraintExpr("amd64")
	for _, s := range []isa{avx2, avx512} {
		for columns := 1; columns <= mostFew; columns++ {
			for _, vectors := range fewVectors(s, columns) {
				a.few(s, columns, vectors)
			}
		}
	}
}

// few writes the sums of so many vectors of rows, by so many columns.
func (a *assembly) few(s isa, columns, vectors int) {
	a.Function(fewName(s, columns, vectors))
	a.Attributes(attr.NOSPLIT)
	a.SignatureExpr("func(t *byte)")
	t := a.Load(a.Param("t"), a.GP64())
	src, offsets, k := a.field(t, fewSrc), a.field(t, fewOffsets), a.field(t, fewK)
	weights, next := a.field(t, fewWeights), a.field(t, fewNext)
	sums := make([]reg, columns*vectors)
	for i := range sums {
		sums[i] = a.zero(s)
	}
	step, offset := a.label("step"), a.GP64()
	a.Label(step)
	a.MOVLQSX(at(offsets, 0), offset)
	rows := make([]operand.Op, vectors)
	for i := range rows {
		rows[i] = operand.Mem{Base: src, Index: offset, Scale: 4, Disp: i * s.bytes}
		if columns > 1 {
			v := a.vector(s)
			a.VMOVUPS(rows[i], v)
			rows[i] = v
		}
	}
	for j := range columns {
		w := a.vector(s)
		a.VBROADCASTSS(at(weights, 4*j), w)
		for i, row := range rows {
			a.VFMADD231PS(row, w, sums[j*vectors+i])
		}
	}
	a.ADDQ(operand.U8(4), offsets)
	a.ADDQ(next, weights)
	a.DECQ(k)
	a.JNE(operand.LabelRef(step))

	dst, line := a.field(t, fewDst), a.field(t, fewLine)
	each := func(do func(sum reg, place operand.Op)) {
		for j := range columns {
			for i := range vectors {
				do(sums[j*vectors+i], at(dst, i*s.bytes))
			}
			if j < columns-1 {
				a.ADDQ(line, dst)
			}
		}
	}
	store := a.label("store")
	a.CMPQ(at(t, fewAdd), operand.U8(0))
	a.JEQ(operand.LabelRef(store))
	each(func(sum reg, place operand.Op) { a.VADDPS(place, sum, sum) })
	a.MOVQ(at(t, fewDst), dst)
	a.Label(store)
	each(func(sum reg, place operand.Op) { a.VMOVUPS(sum, place) })
	a.VZEROUPPER()
	a.RET()
}
