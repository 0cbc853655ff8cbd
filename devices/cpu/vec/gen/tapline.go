package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// The fields of a lineRun in package vec, in order.
const (
	lineSrc = 8 * iota
	lineNext
	lineColumn
	lineWeights
	lineTap
	lineWeightLine
	lineLines
	lineDst
	lineDstStep
	lineBefore
	lineWidth
	linePixels
	lineGroup
	lineLanes
	lineFinish                                         // fields of a finish
	lineAt     = lineFinish + finishSize + 8*(iota-15) // bytes: where the vector of channels is
	lineLeft
	lineRest
	lineNow
)

// lineTogether is how many windows of so many columns are computed at a time, of so many
// vectors of channels: their sums, weights and elements share the registers.
func lineTogether(s isa, columns, vectors int) int {
	switch {
	case s == avx2:
		return 8
	case vectors == 1:
		return 14
	case columns == 3:
		return 12
	}
	return 10
}

// Windows of so many columns, which move by so many, have lines.
var lineColumns, lineStrides = []int{3, 5}, []int{1, 2}

// lineVectors is how many vectors of channels are computed at a time, the most first; 0 is a
// short one.
func lineVectors(s isa) []int {
	if s == avx512 {
		return []int{2, 1, 0}
	}
	return []int{1, 0}
}

func tapLineName(s isa, columns, stride, vectors int) string {
	return fmt.Sprintf("tapLine%s_%dx%dx%d", s.name, columns, stride, vectors)
}

// tapLine writes a line of windows of so many columns, which move by stride columns: a
// group of them at a time for so many vectors of channels, or for a short one. The elements
// of a column are loaded once for all windows of the group that see it, from the left to the
// right, so the sums of all are in order. A step of a window's sum waits for the one before;
// two vectors of channels have the more steps in between. What windows see outside of the
// image at the ends of the line is jumped over. Whole vectors of channels follow each other.
func (f *floats) tapLine(columns, stride, vectors int) {
	f.Function(tapLineName(f.isa, columns, stride, vectors))
	whole := vectors > 0
	vectors = max(vectors, 1)
	windows := lineTogether(f.isa, columns, vectors)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr("func(t *byte)")
	t := f.Load(f.Param("t"), f.GP64())
	column, tap := f.field(t, lineColumn), f.field(t, lineTap)
	tap3, column3, column5 := f.GP64(), f.GP64(), f.GP64()
	if columns > 3 {
		f.LEAQ(operand.Mem{Base: tap, Index: tap, Scale: 2}, tap3)
	}
	f.LEAQ(operand.Mem{Base: column, Index: column, Scale: 2}, column3)
	f.LEAQ(operand.Mem{Base: column, Index: column, Scale: 4}, column5)
	var m *mask
	if !whole {
		last := f.mask(f.isa, 4, f.field(t, lineLanes))
		m = &last
	}
	channels, group, row, done := f.label("channels"), f.label("group"), f.label("row"), f.label("done")
	skip, base, dst := f.GP64(), f.GP64(), f.GP64()
	n, cols, lines, x, weights, line := f.GP64(), f.GP64(), f.GP64(), f.GP64(), f.GP64(), f.GP64()

	f.Label(channels)
	f.MOVQ(at(t, lineBefore), skip)
	f.MOVQ(at(t, lineWidth), n)
	f.ADDQ(skip, n)
	f.MOVQ(n, at(t, lineLeft)) // columns from the first of the group on
	f.MOVQ(at(t, linePixels), n)
	f.MOVQ(n, at(t, lineRest))
	f.MOVQ(skip, n)
	f.IMULQ(column, n)
	f.MOVQ(at(t, lineSrc), base)
	f.SUBQ(n, base) // where that column would lie
	f.ADDQ(at(t, lineAt), base)
	f.MOVQ(at(t, lineDst), dst)
	f.ADDQ(at(t, lineAt), dst)

	f.Label(group)
	f.MOVQ(at(t, lineRest), n)
	f.CMPQ(n, at(t, lineGroup))
	f.CMOVQGT(at(t, lineGroup), n)
	f.MOVQ(n, at(t, lineNow))
	f.LEAQ(operand.Mem{Base: n, Index: n, Scale: uint8(stride), Disp: columns - stride}, cols) // stride·(n-1)+columns, and n
	f.SUBQ(n, cols)
	f.CMPQ(cols, at(t, lineLeft))
	f.CMOVQGT(at(t, lineLeft), cols)
	f.MOVQ(skip, line)
	f.IMULQ(column, line)
	f.ADDQ(base, line)
	sums := make([]reg, windows*vectors)
	each(sums, func(i int) { sums[i] = f.zero(f.isa) })
	f.MOVQ(at(t, lineWeights), weights)
	f.ADDQ(at(t, lineAt), weights)
	f.MOVQ(at(t, lineLines), lines)
	summed := f.label("summed")
	f.TESTQ(lines, lines)
	f.JE(operand.LabelRef(summed))

	w := make([]reg, columns*vectors)
	loadWeights := func() {
		each(w, func(i int) {
			from := at(weights, i%vectors*f.bytes)
			switch k := i / vectors; k {
			case 1, 2, 4:
				from.Index, from.Scale = tap, uint8(k)
			case 3:
				from.Index, from.Scale = tap3, 1
			}
			w[i] = f.vector(f.isa)
			f.load(f.isa, from, w[i], m)
		})
		f.MOVQ(line, x)
	}
	// add adds what column j of the image gives to the sums.
	add := func(j int, from operand.Mem) {
		v := make([]reg, vectors)
		each(v, func(i int) {
			v[i] = f.vector(f.isa)
			f.load(f.isa, from, v[i], m)
			from.Disp += f.bytes
		})
		for i, sum := range sums {
			p, i := i/vectors, i%vectors
			if k := j - p*stride; k >= 0 && k < columns {
				f.VFMADD231PS(v[i], w[k*vectors+i], sum)
			}
		}
	}
	nextRow := func(row string) {
		f.ADDQ(at(t, lineNext), line)
		f.ADDQ(at(t, lineWeightLine), weights)
		f.DECQ(lines)
		f.JNE(operand.LabelRef(row))
	}
	count := stride*(windows-1) + columns
	ends := f.label("ends")
	f.TESTQ(skip, skip)
	f.JNE(operand.LabelRef(ends))
	f.CMPQ(cols, operand.U8(uint8(count)))
	f.JNE(operand.LabelRef(ends))

	f.Label(row) // of a whole group, all inside
	loadWeights()
	for j := range count {
		from := operand.Mem{Base: x}
		switch j % 5 {
		case 1, 2, 4:
			from.Index, from.Scale = column, uint8(j%5)
		case 3:
			from.Index, from.Scale = column3, 1
		}
		add(j, from)
		if j%5 == 4 {
			f.ADDQ(column5, x)
		}
	}
	nextRow(row)
	f.JMP(operand.LabelRef(summed))

	f.Label(ends) // a row of any other group
	loadWeights()
	entries := make([]string, columns)
	for i := range entries {
		entries[i] = f.label("column")
	}
	f.TESTQ(skip, skip)
	f.JE(operand.LabelRef(entries[0]))
	for i := 1; i < columns-1; i++ {
		f.CMPQ(skip, operand.U8(uint8(i)))
		f.JE(operand.LabelRef(entries[i]))
	}
	f.JMP(operand.LabelRef(entries[columns-1]))
	over := f.label("over")
	for j := range count {
		if j < columns {
			f.Label(entries[j])
		}
		add(j, at(x, 0))
		if j < count-1 {
			f.ADDQ(column, x)
			f.CMPQ(cols, operand.U8(uint8(j+1)))
			f.JE(operand.LabelRef(over))
		}
	}
	f.Label(over)
	nextRow(ends)

	f.Label(summed)
	positive, alone, biased := f.zero(f.isa), f.label("alone"), f.label("biased")
	f.unless(t, lineFinish, finishAdds, alone)
	f.unless(t, lineFinish, finishScales, biased)
	f.Label(alone)
	each(sums, func(i int) { f.VADDPS(positive, sums[i], sums[i]) })
	f.Label(biased)
	for i := range vectors {
		column := make([]reg, windows)
		each(column, func(p int) { column[p] = sums[p*vectors+i] })
		f.finishRows(t, lineFinish, func(p reg) operand.Mem { f.ADDQ(at(t, lineAt), p); return at(p, i*f.bytes) }, column, m, positive)
	}
	added, stored := f.label("added"), f.label("stored")
	step := f.GP64()
	f.MOVQ(at(t, lineDstStep), step)
	f.withAddend(t, lineFinish, func(from reg) {
		f.MOVQ(dst, x)
		f.SUBQ(at(t, lineDst), x)
		f.ADDQ(from, x)
		for p := range windows {
			for i, sum := range sums[p*vectors:][:vectors] {
				v := f.vector(f.isa)
				f.load(f.isa, at(x, i*f.bytes), v, m)
				f.VADDPS(v, sum, sum)
			}
			f.ADDQ(step, x)
			if p < windows-1 {
				f.CMPQ(at(t, lineNow), operand.U8(uint8(p+1)))
				f.JE(operand.LabelRef(added))
			}
		}
		f.Label(added)
	})
	f.limit(t, lineFinish, f.isa, sums)
	for p := range windows {
		for i, sum := range sums[p*vectors:][:vectors] {
			f.store(f.isa, sum, at(dst, i*f.bytes), m)
		}
		f.ADDQ(step, dst)
		if p < windows-1 {
			f.CMPQ(at(t, lineNow), operand.U8(uint8(p+1)))
			f.JE(operand.LabelRef(stored))
		}
	}
	f.Label(stored)
	f.MOVQ(at(t, lineNow), n)
	f.SUBQ(n, at(t, lineRest))
	f.JE(operand.LabelRef(done))
	if stride == 2 {
		f.ADDQ(n, n)
	}
	f.SUBQ(n, at(t, lineLeft))
	f.MOVQ(n, x)
	f.IMULQ(column, x)
	f.ADDQ(x, base)
	zero := f.GP64()
	f.XORQ(zero, zero)
	f.SUBQ(n, skip)
	f.CMOVQLT(zero, skip)
	f.JMP(operand.LabelRef(group))

	f.Label(done)
	if whole {
		f.MOVQ(at(t, lineAt), n)
		f.ADDQ(operand.U32(uint32(vectors*f.bytes)), n)
		f.MOVQ(n, at(t, lineAt))
		f.CMPQ(n, at(t, lineLanes))
		f.JLT(operand.LabelRef(channels))
	}
	f.VZEROUPPER()
	f.RET()
}
