package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// A set is the tiles and the transposition for one instruction set and element.
type set struct {
	isa
	size int // of an element
	rows int // of the highest tile
}

var sets = []set{{avx512, 4, 14}, {avx512, 8, 14}, {avx2, 4, 6}, {avx2, 8, 6}}

// leastAhead is how many products a sum has at least for which its place in C is asked for
// ahead.
const leastAhead = 48

// mostVectors is how many vectors wide the widest tile is.
const mostVectors = 16

// vectors returns how many vectors wide tiles of so many rows are at most. The
// sums, a row of B, one element of A and, for AVX2, the mask share 32 or 16
// registers; there are at least 8 sums where that can be, because a multiply-add
// takes as long as 8 follow each other. A single row waits for B: the wider the
// tile, the longer the pieces that it reads, and the widest asks for them two rows
// ahead.
func (s set) vectors(rows int) int {
	switch {
	case rows == 1 && s.isa == avx512:
		return 16
	case rows == 1:
		return 8
	case rows == 2, rows == 3 && s.isa == avx512:
		return 4
	}
	return 2
}

func (s set) suffix() string { return fmt.Sprintf("F%d%s", 8*s.size, s.name) }

func (s set) tileName(rows, vectors int) string {
	return fmt.Sprintf("tile%s_%dx%d", s.suffix(), rows, vectors)
}

// leastEdge is how many rows a tile has at least that leaves out what its first and last row have beyond
// the edges of an image; package vec knows it too.
const leastEdge = 4

// hasEdges reports whether there is such a tile: of whole panels, two vectors wide, of float32.
func (s set) hasEdges(rows, vectors int) bool {
	return s.size == 4 && rows >= leastEdge && vectors == 2
}

func (s set) edgeName(rows int) string { return fmt.Sprintf("tileEdge%s_%d", s.suffix(), rows) }

// The fields of a tile and of a transposition in package vec, in order.
const (
	tileA = 8 * iota
	tileRowA
	tileColA
	tileB
	tileRowB
	tileC
	tileRowC
	tileK
	tileLanes
	tileAdd
	tileStretches
	tileJump
	tileJumpB
	tileHead
	tileTail
	tileFinish // fields of a finishing
)

const (
	transSrc = 8 * iota
	transSrcRow
	transRows
	transCols
	transDst
	transDstRow
)

// tiles writes the file of one instruction set.
func tiles(a *assembly, of isa) {
	a.ConstraintExpr("amd64")
	for _, s := range sets {
		if s.isa == of {
			for rows := 1; rows <= s.rows; rows++ {
				for vectors := 1; vectors <= s.vectors(rows); vectors++ {
					a.tile(s, rows, vectors, false)
					if s.hasEdges(rows, vectors) {
						a.tile(s, rows, vectors, true)
					}
				}
			}
			a.transpose(s)
		}
	}
	a.copyPanel(of)
	if of == avx2 {
		a.prefetch()
		a.data()
	}
}

// field loads a field.
func (a *assembly) field(base reg, disp int) reg {
	r := a.GP64()
	a.MOVQ(at(base, disp), r)
	return r
}

// tile writes the product of rows×k by k×(vectors of columns). With edges the first row has no part in the
// first products of each stretch, and the last row none in the last ones.
func (a *assembly) tile(s set, rows, vectors int, edges bool) {
	if edges {
		a.Function(s.edgeName(rows))
	} else {
		a.Function(s.tileName(rows, vectors))
	}
	a.Attributes(attr.NOSPLIT)
	a.SignatureExpr("func(t *byte)")
	t := a.Load(a.Param("t"), a.GP64())

	b, rowB := a.field(t, tileB), a.field(t, tileRowB)
	k, colA := a.field(t, tileK), a.field(t, tileColA)
	stretches := a.field(t, tileStretches)
	element := a.rowsOf(t, rows, edges)
	last := a.mask(s.isa, s.size, a.field(t, tileLanes))
	sums := make([]reg, rows*vectors)
	for i := range sums {
		sums[i] = a.zero(s.isa)
	}

	if rows > 3 { // short sums are there before what is asked for
		near := a.label("near")
		a.CMPQ(k, operand.U8(leastAhead))
		a.JLT(operand.LabelRef(near))
		a.prefetchC(t, s, rows, vectors)
		a.Label(near)
	}
	step := func(from, to int) { // rows of A
		if rows == 1 && vectors == s.vectors(rows) {
			for line := 0; line < vectors*s.bytes; line += 64 {
				a.PREFETCHT0(operand.Mem{Base: b, Index: rowB, Scale: 2, Disp: line})
			}
		}
		if 2*rows > s.rows && vectors == 2 { // the next panel; what has few rows waits for B as it is
			for line := 0; line < vectors*s.bytes; line += 64 {
				a.PREFETCHT0(at(b, vectors*s.bytes+line))
			}
		}
		row := make([]reg, vectors)
		fused := make([]operand.Op, vectors) // where a sum takes B from
		for j := range row {
			m := &last
			if j < vectors-1 {
				if m = nil; rows == 1 {
					fused[j] = at(b, j*s.bytes)
					continue
				}
			}
			row[j] = a.vector(s.isa)
			a.load(s.isa, at(b, j*s.bytes), row[j], m)
			fused[j] = row[j]
		}
		for i := from; i < to; i++ {
			x := a.vector(s.isa)
			if s.size == 4 {
				a.VBROADCASTSS(element.at(i), x)
			} else {
				a.VBROADCASTSD(element.at(i), x)
			}
			for j := range vectors {
				if s.size == 4 {
					a.VFMADD231PS(fused[j], x, sums[i*vectors+j])
				} else {
					a.VFMADD231PD(fused[j], x, sums[i*vectors+j])
				}
			}
		}
		a.ADDQ(rowB, b)
		for _, base := range element.bases {
			a.ADDQ(colA, base)
		}
	}
	stretch, finished := a.label("stretch"), a.label("finished")
	a.Label(stretch)
	if edges {
		a.MOVQ(at(t, tileHead), k)
		a.products(k, 2, func() { step(1, rows) })
		a.MOVQ(at(t, tileK), k)
		a.SUBQ(at(t, tileHead), k)
		a.SUBQ(at(t, tileTail), k)
	}
	a.products(k, 4, func() { step(0, rows) })
	if edges {
		a.MOVQ(at(t, tileTail), k)
		a.products(k, 2, func() { step(0, rows-1) })
	}
	a.DECQ(stretches)
	a.JLE(operand.LabelRef(finished))
	for _, base := range element.bases {
		a.ADDQ(at(t, tileJump), base)
	}
	a.ADDQ(at(t, tileJumpB), b)
	a.MOVQ(at(t, tileK), k)
	a.JMP(operand.LabelRef(stretch))
	a.Label(finished)

	a.storeSums(t, s, sums, rows, vectors, &last)
	a.VZEROUPPER()
	a.RET()
}

// products writes a loop over k products, so many at a time.
func (a *assembly) products(k reg, unroll int, step func()) {
	many, few, done, rest := a.label("many"), a.label("few"), a.label("done"), a.label("rest")
	a.SUBQ(operand.U8(unroll), k)
	a.JLT(operand.LabelRef(few))
	a.Label(many)
	for range unroll {
		step()
	}
	a.SUBQ(operand.U8(unroll), k)
	a.JGE(operand.LabelRef(many))
	a.Label(few)
	a.ADDQ(operand.U8(unroll), k)
	a.JEQ(operand.LabelRef(done))
	a.Label(rest)
	step()
	a.DECQ(k)
	a.JNE(operand.LabelRef(rest))
	a.Label(done)
}

// prefetchC asks for C ahead of the sums: its rows are far apart in large
// matrices.
func (a *assembly) prefetchC(t reg, s set, rows, vectors int) {
	c, rowC := a.field(t, tileC), a.field(t, tileRowC)
	for i := range rows {
		for line := 0; line < vectors*s.bytes; line += 64 {
			a.PREFETCHT0(at(c, line))
		}
		if i < rows-1 {
			a.ADDQ(rowC, c)
		}
	}
}

// storeSums stores the sums in C, added to what is there if tile.add is set.
func (a *assembly) storeSums(t reg, s set, sums []reg, rows, vectors int, last *mask) {
	c, rowC := a.field(t, tileC), a.field(t, tileRowC)
	each := func(do func(sum reg, place operand.Op, m *mask)) {
		for i := range rows {
			for j := range vectors {
				m := last
				if j < vectors-1 {
					m = nil
				}
				do(sums[i*vectors+j], at(c, j*s.bytes), m)
			}
			if i < rows-1 {
				a.ADDQ(rowC, c)
			}
		}
	}
	store := a.label("store")
	a.CMPQ(at(t, tileAdd), operand.U8(0))
	a.JEQ(operand.LabelRef(store))
	each(func(sum reg, place operand.Op, m *mask) {
		if m != nil {
			v := a.vector(s.isa)
			a.load(s.isa, place, v, m)
			place = v
		}
		if s.size == 4 {
			a.VADDPS(place, sum, sum)
		} else {
			a.VADDPD(place, sum, sum)
		}
	})
	a.MOVQ(at(t, tileC), c)
	a.Label(store)
	if s.size == 4 {
		plain := a.label("plain")
		a.CMPQ(at(t, tileFinish+finishWhat), operand.U8(0))
		a.JEQ(operand.LabelRef(plain))
		f := &floats{assembly: a, isa: s.isa}
		for j := range vectors {
			column := make([]reg, rows)
			for i := range column {
				column[i] = sums[i*vectors+j]
			}
			m := last
			if j < vectors-1 {
				m = nil
			}
			f.finishRows(t, tileFinish, func(row reg) operand.Mem { return at(row, j*s.bytes) }, column, m, nil)
		}
		a.withAddend(t, tileFinish, func(other reg) {
			for i := range rows {
				for j := range vectors {
					from := operand.Op(at(other, j*s.bytes))
					if j == vectors-1 {
						v := a.vector(s.isa)
						a.load(s.isa, from, v, last)
						from = v
					}
					a.VADDPS(from, sums[i*vectors+j], sums[i*vectors+j])
				}
				if i < rows-1 {
					a.ADDQ(rowC, other)
				}
			}
		})
		a.limit(t, tileFinish, s.isa, sums)
		a.Label(plain)
	}
	each(func(sum reg, place operand.Op, m *mask) { a.store(s.isa, sum, place, m) })
}

// A column is where the elements of a column of A lie: row i is i times a
// distance after the first, made of bases seven rows apart and of one, three
// and five times the distance in registers.
type column struct {
	bases            []reg
	one, three, five reg
}

// rowsOf makes what is needed for so many rows. With edges A is the second row: the first may begin
// outside of what it lies in.
func (a *assembly) rowsOf(t reg, rows int, edges bool) column {
	c := column{bases: []reg{a.field(t, tileA)}, one: a.field(t, tileRowA)}
	if edges {
		a.SUBQ(c.one, c.bases[0])
	}
	times := func(factor uint8) reg {
		r := a.GP64()
		a.LEAQ(operand.Mem{Base: c.one, Index: c.one, Scale: factor - 1}, r)
		return r
	}
	if rows > 3 {
		c.three = times(3)
	}
	if rows > 5 {
		c.five = times(5)
	}
	if rows > 7 {
		second := a.GP64()
		a.LEAQ(operand.Mem{Base: c.bases[0], Index: c.three, Scale: 2}, second)
		a.ADDQ(c.one, second)
		c.bases = append(c.bases, second)
	}
	return c
}

func (c column) at(row int) operand.Mem {
	m := operand.Mem{Base: c.bases[row/7]}
	switch row % 7 {
	case 1:
		m.Index, m.Scale = c.one, 1
	case 2:
		m.Index, m.Scale = c.one, 2
	case 3:
		m.Index, m.Scale = c.three, 1
	case 4:
		m.Index, m.Scale = c.one, 4
	case 5:
		m.Index, m.Scale = c.five, 1
	case 6:
		m.Index, m.Scale = c.three, 2
	}
	return m
}
