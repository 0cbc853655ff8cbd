package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	avo "github.com/mmcloughlin/avo/reg"
)

// The fields of a winogradRun in package vec, in order.
const (
	winSrc = 8 * iota
	winLine
	winPixel
	winDst
	winDstLine
	winDstPixel
	winChannels
	winTemp
	winLines
	winColumns
	winFinish // fields of a finishing
)

// The points at which polynomials are evaluated are 0, ±pointA, ±pointB and infinity where
// there are six, 0, ±1 and infinity where there are four. See the package's winograd.go.
const (
	pointA = 0.625
	pointB = 1.5
)

// The factors of transforms of six points.
const winogradFactors = "winogradFactors"

const (
	factorA = iota
	factorB
	factorA2
	factorB2
	factorA3
	factorB3
	factorSum     // of the squares
	factorProduct // of the squares
	factors
)

// The factors of the transforms of filters, in double.
const winogradDoubles = "winogradDoubles"

const (
	doubleHalf = iota
	doubleZero // for the point 0
	doubleSquareA
	doubleEvenA // for ±pointA, of the even and the odd part
	doubleOddA
	doubleSquareB
	doubleEvenB
	doubleOddB
)

func doubles() []float64 {
	const a2, b2 = pointA * pointA, pointB * pointB
	const na, nb = 2 * a2 * (a2 - b2), 2 * b2 * (b2 - a2)
	return []float64{0.5, 1 / (a2 * b2), a2, 1 / na, pointA / na, b2, 1 / nb, pointB / nb}
}

// winograd writes the transforms.
func winograd(a *assembly) {
	a.ConstraintExpr("amd64")
	for _, s := range []isa{avx2, avx512} {
		w := &winogradCode{floats: &floats{assembly: a, isa: s}}
		for _, points := range []int{4, 6} {
			w.input(points)
			w.output(points)
			w.filter(points)
		}
	}
	a.StaticGlobal(winogradDoubles)
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, f := range doubles() {
		a.AddDatum(8*i, operand.U64(math.Float64bits(f)))
	}
	a.StaticGlobal(winogradFactors)
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	const a2, b2 = pointA * pointA, pointB * pointB
	for i, f := range [factors]float32{pointA, pointB, a2, b2, pointA * a2, pointB * b2, a2 + b2, a2 * b2} {
		for lane := range 8 {
			a.AddDatum(32*i+4*lane, operand.U32(math.Float32bits(f)))
		}
	}
	a.data()
}

// A winogradCode writes transforms for one instruction set.
type winogradCode struct {
	*floats
	known map[int]reg // factors in registers, of AVX-512
}

// ready loads the factors that a function uses, where there are registers for them.
func (w *winogradCode) ready(points int, used ...int) {
	w.known = map[int]reg{}
	if w.isa != avx512 || points != 6 {
		return
	}
	for _, i := range used {
		v := w.vector(w.isa)
		w.VBROADCASTSS(operand.NewDataAddr(operand.NewStaticSymbol(winogradFactors), 32*i), v)
		w.known[i] = v
	}
}

func (w *winogradCode) factor(i int) operand.Op {
	if v, ok := w.known[i]; ok {
		return v
	}
	return operand.NewDataAddr(operand.NewStaticSymbol(winogradFactors), 32*i)
}

// more adds x times a factor to v, less subtracts it.
func (w *winogradCode) more(v, x reg, factor int) { w.VFMADD231PS(w.factor(factor), x, v) }
func (w *winogradCode) less(v, x reg, factor int) { w.VFNMADD231PS(w.factor(factor), x, v) }

func (w *winogradCode) of(op three, x, y reg) reg {
	v := w.vector(w.isa)
	op(y, x, v)
	return v
}

func (w *winogradCode) plus(x, y reg) reg  { return w.of(w.VADDPS, x, y) }
func (w *winogradCode) minus(x, y reg) reg { return w.of(w.VSUBPS, x, y) }

func (w *winogradCode) times(x reg, factor int) reg {
	v := w.vector(w.isa)
	w.VMULPS(w.factor(factor), x, v)
	return v
}

func (w *winogradCode) same(x reg) reg {
	v := w.vector(w.isa)
	w.VMOVAPS(x, v)
	return v
}

// in is the transform of an image's numbers.
func (w *winogradCode) in(d []reg, put func(i int, v reg)) {
	if len(d) == 4 {
		put(0, w.minus(d[0], d[2]))
		put(1, w.plus(d[1], d[2]))
		put(2, w.minus(d[2], d[1]))
		put(3, w.minus(d[1], d[3]))
		return
	}
	first := w.same(d[4])
	w.less(first, d[2], factorSum)
	w.more(first, d[0], factorProduct)
	put(0, first)
	for i, f := range [2]struct{ square, factor int }{{factorB2, factorA}, {factorA2, factorB}} {
		even, odd := w.same(d[4]), w.same(d[3])
		w.less(even, d[2], f.square)
		w.less(odd, d[1], f.square)
		sum := w.same(even)
		w.more(sum, odd, f.factor)
		put(1+2*i, sum)
		w.less(even, odd, f.factor)
		put(2+2*i, even)
	}
	last := d[5]
	w.less(last, d[3], factorSum)
	w.more(last, d[1], factorProduct)
	put(5, last)
}

// out is the transform of products.
func (w *winogradCode) out(m []reg, put func(i int, v reg)) {
	s, d := w.plus(m[1], m[2]), w.minus(m[1], m[2])
	if len(m) == 4 {
		put(0, w.plus(m[0], s))
		put(1, w.minus(d, m[3]))
		return
	}
	s2, d2 := w.plus(m[3], m[4]), w.minus(m[3], m[4])
	put(0, w.plus(w.plus(m[0], s), s2))
	y := w.times(d, factorA)
	w.more(y, d2, factorB)
	put(1, y)
	y = w.times(s, factorA2)
	w.more(y, s2, factorB2)
	put(2, y)
	y = m[5]
	w.more(y, d, factorA3)
	w.more(y, d2, factorB3)
	put(3, y)
}

// A grid is places that are so far apart: of up to six.
type grid struct{ one, three, five reg }

// places makes a grid of places that are distance apart.
func (w *winogradCode) places(distance reg, n int) grid {
	g := grid{one: distance}
	if n > 3 {
		g.three = w.GP64()
		w.LEAQ(operand.Mem{Base: distance, Index: distance, Scale: 2}, g.three)
	}
	if n > 5 {
		g.five = w.GP64()
		w.LEAQ(operand.Mem{Base: distance, Index: distance, Scale: 4}, g.five)
	}
	return g
}

func (g grid) at(base reg, i int) operand.Mem {
	m := operand.Mem{Base: base}
	switch i {
	case 1, 2, 4:
		m.Index, m.Scale = g.one, uint8(i)
	case 3:
		m.Index, m.Scale = g.three, 1
	case 5:
		m.Index, m.Scale = g.five, 1
	}
	return m
}

// begin begins a function, and loops over vectors of channels.
func (w *winogradCode) begin(name string, points int, used []int, setUp func(t reg), step func(t reg, m *mask)) {
	w.Function(fmt.Sprintf("winograd%s%d%s", name, points, w.name))
	w.Attributes(attr.NOSPLIT)
	w.SignatureExpr("func(t *byte)")
	t := w.Load(w.Param("t"), w.GP64())
	w.ready(points, used...)
	channels := w.field(t, winChannels)
	setUp(t)
	next := w.label("next")
	w.Label(next)
	lanes, most := w.GP64(), w.GP64() // of a mask there are at most 255
	w.MOVQ(operand.I32(w.bytes/4), most)
	w.MOVQ(channels, lanes)
	w.CMPQ(lanes, most)
	w.CMOVQGT(most, lanes)
	m := w.mask(w.isa, 4, lanes)
	step(t, &m)
	w.SUBQ(operand.Imm(uint64(w.bytes/4)), channels)
	w.JGT(operand.LabelRef(next))
	w.VZEROUPPER()
	w.RET()
}

// input transforms a square of points×points pixels: positions are DstPixel apart.
func (w *winogradCode) input(points int) {
	var src, line, dst, pixel, temp reg
	var across, down grid
	w.begin("Input", points, []int{factorA, factorB, factorA2, factorB2, factorSum, factorProduct}, func(t reg) {
		src, line, dst, temp = w.field(t, winSrc), w.field(t, winLine), w.field(t, winDst), w.field(t, winTemp)
		across = w.places(w.field(t, winPixel), points)
		pixel = w.field(t, winDstPixel)
		far := w.GP64()
		w.IMUL3Q(operand.Imm(uint64(points)), pixel, far)
		down = w.places(far, points)
	}, func(t reg, m *mask) {
		from := w.GP64()
		w.MOVQ(src, from)
		for i := range points {
			d := make([]reg, points)
			for j := range d {
				d[j] = w.vector(w.isa)
				w.load(w.isa, across.at(from, j), d[j], m)
			}
			w.in(d, func(j int, v reg) { w.VMOVUPS(v, at(temp, (i*points+j)*w.bytes)) })
			if i < points-1 {
				w.ADDQ(line, from)
			}
		}
		to := w.GP64()
		w.MOVQ(dst, to)
		for j := range points {
			d := make([]reg, points)
			for i := range d {
				d[i] = w.vector(w.isa)
				w.VMOVUPS(at(temp, (i*points+j)*w.bytes), d[i])
			}
			w.in(d, func(i int, v reg) { w.VMOVUPS(v, down.at(to, i)) })
			if j < points-1 {
				w.ADDQ(pixel, to)
			}
		}
		w.advance(w.bytes, src, dst)
	})
}

// output transforms points×points products, which are Pixel apart, to as many Lines and Columns
// of pixels as there are, and finishes them.
func (w *winogradCode) output(points int) {
	size := points - 2
	var src, dst, pixel, temp, line, offset reg
	var across, down grid
	w.begin("Output", points, []int{factorA, factorB, factorA2, factorB2, factorA3, factorB3}, func(t reg) {
		src, dst, temp, line = w.field(t, winSrc), w.field(t, winDst), w.field(t, winTemp), w.field(t, winDstLine)
		pixel = w.field(t, winPixel)
		far := w.GP64()
		w.IMUL3Q(operand.Imm(uint64(points)), pixel, far)
		down = w.places(far, points)
		across = w.places(w.field(t, winDstPixel), size)
		offset = w.GP64()
		w.XORQ(offset, offset)
	}, func(t reg, m *mask) {
		from := w.GP64()
		w.MOVQ(src, from)
		for j := range points {
			d := make([]reg, points)
			for i := range d {
				d[i] = w.vector(w.isa)
				w.VMOVUPS(down.at(from, i), d[i])
			}
			w.out(d, func(i int, v reg) { w.VMOVUPS(v, at(temp, (i*points+j)*w.bytes)) })
			if j < points-1 {
				w.ADDQ(pixel, from)
			}
		}
		to, done := w.GP64(), w.label("done")
		w.MOVQ(dst, to)
		for i := range size {
			if i > 0 {
				w.CMPQ(at(t, winLines), operand.U8(i))
				w.JLE(operand.LabelRef(done))
				w.ADDQ(line, to)
			}
			d, y := make([]reg, points), make([]reg, size)
			for j := range d {
				d[j] = w.vector(w.isa)
				w.VMOVUPS(at(temp, (i*points+j)*w.bytes), d[j])
			}
			w.out(d, func(j int, v reg) { y[j] = v })
			plain := w.label("plain")
			w.CMPQ(at(t, winFinish+finishWhat), operand.U8(0))
			w.JEQ(operand.LabelRef(plain))
			w.finishRows(t, winFinish, func(row reg) operand.Mem { return operand.Mem{Base: row, Index: offset, Scale: 1} }, y, m, nil)
			w.withAddend(t, winFinish, func(other reg) {
				w.ADDQ(offset, other)
				for range i {
					w.ADDQ(line, other)
				}
				w.columns(t, size, func(j int) {
					v := w.vector(w.isa)
					w.load(w.isa, across.at(other, j), v, m)
					w.VADDPS(v, y[j], y[j])
				})
			})
			w.limit(t, winFinish, w.isa, y)
			w.Label(plain)
			w.columns(t, size, func(j int) { w.store(w.isa, y[j], across.at(to, j), m) })
		}
		w.Label(done)
		w.advance(w.bytes, src, dst, offset)
	})
}

// columns does something with each column that there is.
func (w *winogradCode) columns(t reg, size int, do func(j int)) {
	end := w.label("end")
	for j := range size {
		if j > 0 {
			w.CMPQ(at(t, winColumns), operand.U8(j))
			w.JLE(operand.LabelRef(end))
		}
		do(j)
	}
	w.Label(end)
}

// filter transforms filters of 3×3 numbers in double: as many as there are Channels, which fill
// vectors of float32, whose lines and numbers are Line and Pixel apart. Positions are DstPixel
// apart.
func (w *winogradCode) filter(points int) {
	w.Function(fmt.Sprintf("winogradFilter%d%s", points, w.name))
	w.Attributes(attr.NOSPLIT)
	w.SignatureExpr("func(t *byte)")
	t := w.Load(w.Param("t"), w.GP64())
	src, line, dst, temp, channels := w.field(t, winSrc), w.field(t, winLine), w.field(t, winDst), w.field(t, winTemp), w.field(t, winChannels)
	across := w.places(w.field(t, winPixel), 3)
	position := w.field(t, winDstPixel)
	used := []int{doubleHalf}
	if points == 6 {
		used = []int{doubleZero, doubleSquareA, doubleEvenA, doubleOddA, doubleSquareB, doubleEvenB, doubleOddB}
	}
	factor := make([]reg, doubleOddB+1)
	for _, i := range used {
		factor[i] = w.vector(w.isa)
		w.VBROADCASTSD(operand.NewDataAddr(operand.NewStaticSymbol(winogradDoubles), 8*i), factor[i])
	}
	values := func(g [3]reg, put func(i int, v reg)) {
		pair := func(first int, even, odd reg) {
			sum := w.vector(w.isa)
			w.VADDPD(odd, even, sum)
			put(first, sum)
			w.VSUBPD(odd, even, even)
			put(first+1, even)
		}
		times := func(x reg, f int) reg {
			v := w.vector(w.isa)
			w.VMULPD(factor[f], x, v)
			return v
		}
		put(points-1, g[2])
		if points == 4 {
			put(0, g[0])
			even := w.vector(w.isa)
			w.VADDPD(g[2], g[0], even)
			pair(1, times(even, doubleHalf), times(g[1], doubleHalf))
			return
		}
		for i, f := range [2]int{doubleSquareA, doubleSquareB} {
			even := times(g[2], f)
			w.VADDPD(g[0], even, even)
			w.VMULPD(factor[f+1], even, even)
			pair(1+2*i, even, times(g[1], f+2))
		}
		put(0, times(g[0], doubleZero))
	}
	half := func(v reg) reg { // of as many float32
		if w.isa == avx512 {
			return v.(avo.VecVirtual).AsY()
		}
		return v.(avo.VecVirtual).AsX()
	}
	next := w.label("next")
	w.Label(next)
	from := w.GP64()
	w.MOVQ(src, from)
	for i := range 3 {
		var g [3]reg
		for j := range g {
			g[j] = w.vector(w.isa)
			w.VCVTPS2PD(across.at(from, j), g[j])
		}
		values(g, func(j int, v reg) { w.VMOVUPD(v, at(temp, (i*points+j)*w.bytes)) })
		if i < 2 {
			w.ADDQ(line, from)
		}
	}
	to, far := w.GP64(), w.GP64()
	w.IMUL3Q(operand.Imm(uint64(points)), position, far)
	down := w.places(far, points)
	w.MOVQ(dst, to)
	for j := range points {
		var g [3]reg
		for i := range g {
			g[i] = w.vector(w.isa)
			w.VMOVUPD(at(temp, (i*points+j)*w.bytes), g[i])
		}
		values(g, func(i int, v reg) {
			single := half(w.vector(w.isa))
			if w.isa == avx512 {
				w.VCVTPD2PS(v, single)
			} else {
				w.VCVTPD2PSY(v, single)
			}
			w.VMOVUPS(single, down.at(to, i))
		})
		if j < points-1 {
			w.ADDQ(position, to)
		}
	}
	w.advance(w.bytes/2, src, dst)
	w.SUBQ(operand.Imm(uint64(w.bytes/8)), channels)
	w.JGT(operand.LabelRef(next))
	w.VZEROUPPER()
	w.RET()
}
