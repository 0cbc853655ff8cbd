package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	avo "github.com/mmcloughlin/avo/reg"
)

// lines writes the functions on rows of matrices that algorithms of linear algebra are
// made of, for both floats.
func (f *floats) lines() {
	for _, size := range []int{4, 8} {
		l := &line{f.assembly, f.isa, size}
		l.addScaled()
		l.rotate()
		l.dot()
		if size == 8 {
			l.rotateRows()
		}
	}
}

// A line writes functions on slices of floats of so many bytes. Nothing is fused.
type line struct {
	*assembly
	isa
	size int
}

func (l *line) add(y, x, to reg) {
	if l.size == 4 {
		l.VADDPS(y, x, to)
	} else {
		l.VADDPD(y, x, to)
	}
}

// sub is x - y.
func (l *line) sub(y, x, to reg) {
	if l.size == 4 {
		l.VSUBPS(y, x, to)
	} else {
		l.VSUBPD(y, x, to)
	}
}

func (l *line) mul(y, x, to reg) {
	if l.size == 4 {
		l.VMULPS(y, x, to)
	} else {
		l.VMULPD(y, x, to)
	}
}

// begin begins a function of these slices and numbers of floats, and returns the first
// slice's length, the slices, and the numbers in all lanes.
func (l *line) begin(name, signature string, slices, numbers []string) (n reg, places, values []reg) {
	bits := 8 * l.size
	l.Function(fmt.Sprintf("%s%d%s", name, bits, l.name))
	l.Attributes(attr.NOSPLIT)
	l.SignatureExpr(fmt.Sprintf(signature, bits))
	for _, s := range slices {
		places = append(places, l.Load(l.Param(s).Base(), l.GP64()))
	}
	n = l.Load(l.Param(slices[0]).Len(), l.GP64())
	for _, s := range numbers {
		p, err := l.Param(s).Resolve()
		if err != nil {
			panic(err)
		}
		v := l.vector(l.isa)
		if l.size == 4 {
			l.VBROADCASTSS(p.Addr, v)
		} else {
			l.VBROADCASTSD(p.Addr, v)
		}
		values = append(values, v)
	}
	return n, places, values
}

// loop goes over n elements: four vectors at a time, then one by one, and ends the
// function.
func (l *line) loop(n reg, places []reg, step func(count int, m *mask)) {
	l.elements(l.isa, l.size, n, 4, func(count int, m *mask) {
		step(count, m)
		for _, p := range places {
			l.ADDQ(operand.U32(uint32(count*l.bytes)), p)
		}
		l.SUBQ(operand.U32(uint32(count*l.bytes/l.size)), n)
	})
}

// vectors loads count vectors.
func (l *line) vectors(count int, from reg, m *mask) []reg {
	v := make([]reg, count)
	each(v, func(i int) {
		v[i] = l.vector(l.isa)
		l.load(l.isa, at(from, i*l.bytes), v[i], m)
	})
	return v
}

// addScaled writes dst += s·x.
func (l *line) addScaled() {
	n, places, numbers := l.begin("addScaled", "func(dst []float%[1]d, s float%[1]d, x []float%[1]d)", []string{"dst", "x"}, []string{"s"})
	l.loop(n, places, func(count int, m *mask) {
		x, dst := l.vectors(count, places[1], m), l.vectors(count, places[0], m)
		each(x, func(i int) { l.mul(x[i], numbers[0], x[i]) })
		each(x, func(i int) { l.add(x[i], dst[i], dst[i]) })
		each(x, func(i int) { l.store(l.isa, dst[i], at(places[0], i*l.bytes), m) })
	})
}

// rotate writes (x, y) = (c·x - s·y, s·x + c·y).
func (l *line) rotate() {
	n, places, numbers := l.begin("rotate", "func(x, y []float%[1]d, c, s float%[1]d)", []string{"x", "y"}, []string{"c", "s"})
	c, s := numbers[0], numbers[1]
	l.loop(n, places, func(count int, m *mask) {
		if l.isa == avx2 && count > 2 { // there are 16 registers
			for i := range count / 2 {
				l.turn(2, 2*i, places, c, s, m)
			}
			return
		}
		l.turn(count, 0, places, c, s, m)
	})
}

// turn rotates count vectors, from one on.
func (l *line) turn(count, first int, places []reg, c, s reg, m *mask) {
	p, q := make([]reg, count), make([]reg, count)
	t, u := make([]reg, count), make([]reg, count)
	each(p, func(i int) {
		p[i], q[i], t[i], u[i] = l.vector(l.isa), l.vector(l.isa), l.vector(l.isa), l.vector(l.isa)
		l.load(l.isa, at(places[0], (first+i)*l.bytes), p[i], m)
		l.load(l.isa, at(places[1], (first+i)*l.bytes), q[i], m)
	})
	each(p, func(i int) { l.mul(p[i], s, t[i]); l.mul(q[i], s, u[i]) })
	each(p, func(i int) { l.mul(p[i], c, p[i]); l.mul(q[i], c, q[i]) })
	each(p, func(i int) { l.sub(u[i], p[i], p[i]); l.add(q[i], t[i], q[i]) })
	each(p, func(i int) {
		l.store(l.isa, p[i], at(places[0], (first+i)*l.bytes), m)
		l.store(l.isa, q[i], at(places[1], (first+i)*l.bytes), m)
	})
}

// rotateRows writes the rotations of neighbouring rows of a matrix, one pair after the
// other: c and s of each lie in turns, and the next row ld bytes on. Some columns are taken
// down through all rows, so that each row is loaded and stored once.
func (l *line) rotateRows() {
	l.Function("rotateRows64" + l.name)
	l.Attributes(attr.NOSPLIT)
	l.SignatureExpr("func(rows []float64, ld int, turns []float64)")
	first := l.Load(l.Param("rows").Base(), l.GP64())
	n := l.Load(l.Param("rows").Len(), l.GP64())
	ld := l.Load(l.Param("ld"), l.GP64())
	turns := l.Load(l.Param("turns").Base(), l.GP64())
	count := l.Load(l.Param("turns").Len(), l.GP64())
	row, turn, left := l.GP64(), l.GP64(), l.GP64()
	width := 4
	if l.isa == avx2 {
		width = 2
	}
	l.elements(l.isa, 8, n, width, func(vectors int, m *mask) {
		l.MOVQ(first, row)
		l.MOVQ(turns, turn)
		l.MOVQ(count, left)
		above := l.vectors(vectors, row, m)
		next := l.label("next")
		l.Label(next)
		c, s := l.vector(l.isa), l.vector(l.isa)
		l.VBROADCASTSD(at(turn, 0), c)
		l.VBROADCASTSD(at(turn, 8), s)
		l.ADDQ(ld, row)
		below := l.vectors(vectors, row, m)
		l.SUBQ(ld, row)
		each(above, func(i int) {
			t, u := l.vector(l.isa), l.vector(l.isa)
			l.mul(above[i], s, t)
			l.mul(below[i], s, u)
			l.mul(above[i], c, above[i])
			l.mul(below[i], c, below[i])
			l.sub(u, above[i], u)
			l.store(l.isa, u, at(row, i*l.bytes), m)
			l.add(below[i], t, above[i])
		})
		l.ADDQ(ld, row)
		l.ADDQ(operand.U8(16), turn)
		l.SUBQ(operand.U8(2), left)
		l.JNE(operand.LabelRef(next))
		each(above, func(i int) { l.store(l.isa, above[i], at(row, i*l.bytes), m) })
		l.ADDQ(operand.U32(uint32(vectors*l.bytes)), first)
		l.SUBQ(operand.U32(uint32(vectors*l.bytes/8)), n)
	})
}

// dot writes the sum of products, in partial sums as those of a reduction: as many as are
// in 256 bytes.
func (l *line) dot() {
	const together = 256
	n, places, _ := l.begin("dot", "func(x, y []float%[1]d) float%[1]d", []string{"x", "y"}, nil)
	acc := make([]reg, together/l.bytes)
	each(acc, func(i int) { acc[i] = l.zero(l.isa) })
	many, tail, done := l.label("many"), l.label("tail"), l.label("done")
	step := func(i int, m *mask) {
		x, y := l.vector(l.isa), l.vector(l.isa)
		l.load(l.isa, at(places[0], i*l.bytes), x, m)
		l.load(l.isa, at(places[1], i*l.bytes), y, m)
		l.mul(y, x, x)
		l.add(x, acc[i], acc[i])
	}
	l.Label(many)
	l.CMPQ(n, operand.U32(uint32(together/l.size)))
	l.JLT(operand.LabelRef(tail))
	each(acc, func(i int) { step(i, nil) })
	for _, p := range places {
		l.ADDQ(operand.U32(together), p)
	}
	l.SUBQ(operand.U32(uint32(together/l.size)), n)
	l.JMP(operand.LabelRef(many))
	l.Label(tail)
	each(acc, func(i int) {
		l.CMPQ(n, operand.U8(0))
		l.JLE(operand.LabelRef(done))
		m := l.mask(l.isa, l.size, n)
		step(i, &m)
		l.SUBQ(operand.U32(uint32(l.bytes/l.size)), n)
	})
	l.Label(done)
	for half := len(acc) / 2; half > 0; half /= 2 {
		for i := range half {
			l.add(acc[i+half], acc[i], acc[i])
		}
	}
	part := func(move func(v reg)) {
		v := l.vector(l.isa)
		move(v)
		l.add(v, acc[0], acc[0])
	}
	const (
		upperHalf  = 0x4e // elements, or pairs of lanes, 2 3 0 1
		neighbours = 0xb1 // 1 0 3 2
	)
	if l.isa == avx512 {
		part(func(v reg) { l.VSHUFF64X2(operand.U8(upperHalf), acc[0], acc[0], v) })
		part(func(v reg) { l.VSHUFF64X2(operand.U8(neighbours), acc[0], acc[0], v) })
	} else {
		part(func(v reg) { l.VPERM2F128(operand.U8(1), acc[0], acc[0], v) })
	}
	part(func(v reg) { l.VPERMILPS(operand.U8(upperHalf), acc[0], v) })
	if l.size == 4 {
		part(func(v reg) { l.VPERMILPS(operand.U8(neighbours), acc[0], v) })
	}
	l.Store(acc[0].(avo.VecVirtual).AsX(), l.ReturnIndex(0))
	l.VZEROUPPER()
	l.RET()
}
