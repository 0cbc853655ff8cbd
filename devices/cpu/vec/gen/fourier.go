package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// Signs of the real and of the imaginary parts of complex numbers.
const fourierSigns = "fourierSigns"

// fourierData adds masks of them to the file: first of the real parts, then of the imaginary
// ones.
func (d *float64s) fourierData() {
	d.StaticGlobal(fourierSigns)
	d.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 {
		sign := uint64(0)
		if i%2 == i/8 {
			sign = 1 << 63
		}
		d.AddDatum(8*i, operand.U64(sign))
	}
}

// radix writes a function that splits a radix off, 2 or 4, of whole vectors of complex
// numbers: see fourierRun.
func (d *float64s) radix(r int) {
	d.Function(map[int]string{2: "radix2", 4: "radix4"}[r] + d.name)
	d.Attributes(attr.NOSPLIT)
	d.SignatureExpr("func(r *byte)")
	run := d.Load(d.Param("r"), d.GP64())
	field := func(i int) reg {
		v := d.GP64()
		d.MOVQ(at(run, 8*i), v)
		return v
	}
	to, from, roots, stride, part, count, root, step := field(0), field(1), field(2), field(3), field(4), field(5), field(6), field(7)
	// places are the j-th of several vectors that lie by apart.
	places := func(base, by reg) (p []operand.Mem) {
		p = []operand.Mem{{Base: base}, {Base: base, Index: by, Scale: 1}}
		if r == 4 {
			p = append(p, operand.Mem{Base: base, Index: by, Scale: 2}, operand.Mem{Base: base, Index: d.triple(by), Scale: 1})
		}
		return p
	}
	x, y := places(from, part), places(to, stride)
	real, imaginary := d.vector(d.isa), d.vector(d.isa)
	d.VMOVUPD(operand.NewDataAddr(operand.NewStaticSymbol(fourierSigns), 0), real)
	d.VMOVUPD(operand.NewDataAddr(operand.NewStaticSymbol(fourierSigns), 64), imaginary)

	// w has the real and the imaginary parts of roots, the latter negative for the real parts
	// of products.
	var w [4][2]reg
	for j := 1; j < r; j++ {
		w[j] = [2]reg{d.vector(d.isa), d.vector(d.isa)}
	}
	next, more, done := d.label("next"), d.label("more"), d.label("done")
	d.Label(next)
	d.SUBQ(operand.U8(1), count)
	d.JLT(operand.LabelRef(done))
	at := []operand.Mem{1: {Base: roots, Index: root, Scale: 1}}
	if r == 4 {
		at = append(at, operand.Mem{Base: roots, Index: root, Scale: 2}, operand.Mem{Base: roots, Index: d.triple(root), Scale: 1})
	}
	for j := 1; j < r; j++ {
		d.VBROADCASTSD(at[j], w[j][0])
		d.VBROADCASTSD(at[j].Offset(8), w[j][1])
		d.VXORPD(real, w[j][1], w[j][1])
	}
	n := d.GP64()
	d.MOVQ(stride, n)
	d.Label(more)
	v := make([]reg, r)
	for j := range v {
		v[j] = d.vector(d.isa)
		d.VMOVUPD(x[j], v[j])
	}
	for j, result := range d.butterfly(v, w[:], imaginary) {
		d.VMOVUPD(result, y[j])
	}
	d.ADDQ(operand.U8(byte(d.bytes)), from)
	d.ADDQ(operand.U8(byte(d.bytes)), to)
	d.SUBQ(operand.U8(byte(d.bytes)), n)
	d.JGT(operand.LabelRef(more))
	for range r - 1 {
		d.ADDQ(stride, to)
	}
	d.ADDQ(step, root)
	d.JMP(operand.LabelRef(next))
	d.Label(done)
	d.VZEROUPPER()
	d.RET()
}

// first writes the step by 4 of one sequence, from which vectors are several elements: what
// it stores is transposed. count is of whole vectors.
func (d *float64s) first() {
	d.Function("radix4First" + d.name)
	d.Attributes(attr.NOSPLIT)
	d.SignatureExpr("func(r *byte)")
	run := d.Load(d.Param("r"), d.GP64())
	field := func(i int) reg {
		v := d.GP64()
		d.MOVQ(at(run, 8*i), v)
		return v
	}
	to, from, part, count, root := field(0), field(1), field(4), field(5), field(6)
	lanes := d.bytes / 16
	var places, steps [4]reg // of the roots
	places[1], steps[1] = field(2), field(7)
	d.ADDQ(root, places[1])
	for j := 2; j < 4; j++ {
		places[j], steps[j] = d.GP64(), d.GP64()
		d.LEAQ(operand.Mem{Base: places[j-1], Index: root, Scale: 1}, places[j])
		d.LEAQ(operand.Mem{Base: steps[j-1], Index: steps[1], Scale: 1}, steps[j])
	}
	part3 := d.triple(part)
	thirds := [4]reg{1: steps[3]}
	if lanes == 4 {
		thirds[2], thirds[3] = d.triple(steps[2]), d.triple(steps[3])
	}
	real, imaginary := d.vector(d.isa), d.vector(d.isa)
	d.VMOVUPD(operand.NewDataAddr(operand.NewStaticSymbol(fourierSigns), 0), real)
	d.VMOVUPD(operand.NewDataAddr(operand.NewStaticSymbol(fourierSigns), 64), imaginary)

	next, done := d.label("next"), d.label("done")
	d.Label(next)
	d.SUBQ(operand.U8(byte(lanes)), count)
	d.JLT(operand.LabelRef(done))
	var w [4][2]reg
	for j := 1; j < 4; j++ {
		all := d.vector(d.isa)
		lane := func(k int) operand.Mem {
			if k == 3 {
				return operand.Mem{Base: places[j], Index: thirds[j], Scale: 1}
			}
			return operand.Mem{Base: places[j], Index: steps[j], Scale: uint8(k)}
		}
		d.VMOVUPD(operand.Mem{Base: places[j]}, all.AsX())
		for k := 1; k < lanes; k++ {
			if d.isa == avx512 {
				d.VINSERTF64X2(operand.U8(byte(k)), lane(k), all, all)
			} else {
				d.VINSERTF128(operand.U8(byte(k)), lane(k), all, all)
			}
		}
		w[j] = [2]reg{d.vector(d.isa), d.vector(d.isa)}
		d.VPERMILPD(operand.U8(0), all, w[j][0])
		d.VPERMILPD(operand.U8(0xff), all, w[j][1])
		d.VXORPD(real, w[j][1], w[j][1])
		d.LEAQ(operand.Mem{Base: places[j], Index: steps[j], Scale: uint8(lanes)}, places[j])
	}
	v := make([]reg, 4)
	for j, place := range []operand.Mem{{Base: from}, {Base: from, Index: part, Scale: 1}, {Base: from, Index: part, Scale: 2}, {Base: from, Index: part3, Scale: 1}} {
		v[j] = d.vector(d.isa)
		d.VMOVUPD(place, v[j])
	}
	for i, result := range d.rows(d.butterfly(v, w[:], imaginary)) {
		d.VMOVUPD(result, at(to, i*d.bytes))
	}
	d.ADDQ(operand.U8(byte(d.bytes)), from)
	d.ADDQ(operand.U32(uint32(4*d.bytes)), to)
	d.JMP(operand.LabelRef(next))
	d.Label(done)
	d.VZEROUPPER()
	d.RET()
}

// rows transposes four vectors of complex numbers.
func (d *float64s) rows(v []reg) []reg {
	rows := make([]reg, 4)
	for i := range rows {
		rows[i] = d.vector(d.isa)
	}
	if d.isa == avx2 { // two rows, each in two vectors
		for i := range rows {
			halves := []byte{0x20, 0x31}[i/2] // the lower ones, the upper ones
			d.VPERM2F128(operand.U8(halves), v[i%2*2+1], v[i%2*2], rows[i])
		}
		return rows
	}
	var pairs [4]reg // the first two of v[0] and v[1], the last two; of v[2] and v[3]
	for i := range pairs {
		pairs[i] = d.vector(d.isa)
		d.VSHUFF64X2(operand.U8([]byte{0x44, 0xee}[i%2]), v[i/2*2+1], v[i/2*2], pairs[i])
	}
	for i := range rows {
		d.VSHUFF64X2(operand.U8([]byte{0x88, 0xdd}[i%2]), pairs[i/2+2], pairs[i/2], rows[i])
	}
	return rows
}

// butterfly returns the transform of the vectors v, two or four, times the roots w.
func (d *float64s) butterfly(v []reg, w [][2]reg, imaginary reg) []reg {
	both := func(a, b reg) (sum, difference reg) {
		sum, difference = d.vector(d.isa), d.vector(d.isa)
		d.VADDPD(b, a, sum)
		d.VSUBPD(b, a, difference)
		return sum, difference
	}
	var y []reg
	if len(v) == 2 {
		a, b := both(v[0], v[1])
		y = []reg{a, b}
	} else {
		a, c := both(v[0], v[2])
		b, other := both(v[1], v[3])
		turned := d.swapped(other) // -i times
		d.VXORPD(imaginary, turned, turned)
		y0, y2 := both(a, b)
		y1, y3 := both(c, turned)
		y = []reg{y0, y1, y2, y3}
	}
	for j := 1; j < len(y); j++ {
		product, other := d.vector(d.isa), d.swapped(y[j])
		d.VMULPD(w[j][0], y[j], product)
		d.VMULPD(w[j][1], other, other)
		d.VADDPD(other, product, product)
		y[j] = product
	}
	return y
}

// swapped exchanges real and imaginary parts.
func (d *float64s) swapped(v reg) reg {
	s := d.vector(d.isa)
	d.VPERMILPD(operand.U8(0x55), v, s)
	return s
}

// triple returns three times x.
func (d *float64s) triple(x reg) reg {
	v := d.GP64()
	d.LEAQ(operand.Mem{Base: x, Index: x, Scale: 2}, v)
	return v
}
