package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	avo "github.com/mmcloughlin/avo/reg"
)

// What pixels is computed with: each entry has 32 bytes, the same 16 twice.
const pixelConstants = "pixelConstants"

// pixels writes what decoders of images do: with AVX2 alone, for numbers of 16 bits in
// small blocks gain little by wider vectors.
func pixels(a *assembly) {
	a.ConstraintExpr("amd64")
	p := &pixelCode{assembly: a, places: map[string]int{}}
	p.triangles()
	p.triangle()
	p.colors()
	p.cosines()
	p.frequencies()
	a.StaticGlobal(pixelConstants)
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, x := range p.values {
		for half := range 2 {
			for k, b := range x {
				a.AddDatum(32*i+16*half+k, operand.U8(b))
			}
		}
	}
}

type pixelCode struct {
	*assembly
	places map[string]int
	values [][16]byte
}

// bytes returns the place of a constant.
func (p *pixelCode) bytes(x [16]byte) operand.Mem {
	i, ok := p.places[string(x[:])]
	if !ok {
		i = len(p.values)
		p.places[string(x[:])] = i
		p.values = append(p.values, x)
	}
	return operand.NewDataAddr(operand.NewStaticSymbol(pixelConstants), 32*i)
}

// words returns the place of numbers of 16 bits, again and again.
func (p *pixelCode) words(of ...int) operand.Mem {
	var x [16]byte
	for i := range 8 {
		w := uint16(of[i%len(of)])
		x[2*i], x[2*i+1] = byte(w), byte(w>>8)
	}
	return p.bytes(x)
}

// wide loads 16 bytes as numbers of 16 bits.
func (p *pixelCode) wide(from operand.Mem) reg {
	v := p.YMM()
	p.VPMOVZXBW(from, v)
	return v
}

type three = func(...operand.Op)

func (p *pixelCode) or(x, y reg) reg {
	return p.do(func(o ...operand.Op) { p.VPOR(o[0], o[1], o[2]) }, x, y)
}

// do is dst = x op y in a fresh vector as long as x.
func (p *pixelCode) do(op three, x reg, y operand.Op) reg {
	var v reg = p.YMM()
	if x.Size() == 16 {
		v = p.XMM()
	}
	op(y, x, v)
	return v
}

func (p *pixelCode) add(x reg, y operand.Op) reg { return p.do(p.VPADDW, x, y) }
func (p *pixelCode) sub(x reg, y operand.Op) reg { return p.do(p.VPSUBW, x, y) }

// shift shifts by n bits.
func (p *pixelCode) shift(op three, x reg, n uint8) reg { return p.do(op, x, operand.U8(n)) }

// loop runs code as often as n, a register, has 16.
func (p *pixelCode) loop(n reg, code func()) {
	next, done := p.label("next"), p.label("done")
	p.Label(next)
	p.CMPQ(n, operand.U8(16))
	p.JL(operand.LabelRef(done))
	code()
	p.SUBQ(operand.U8(16), n)
	p.JMP(operand.LabelRef(next))
	p.Label(done)
	p.VZEROUPPER()
	p.RET()
}

// pairs stores even and odd results side by side: they are numbers below 256.
func (p *pixelCode) pairs(even, odd reg, to operand.Mem) {
	v := p.or(even, p.shift(p.VPSLLW, odd, 8))
	p.VMOVDQU(v, to)
}

// triangles doubles the inside of a row that lies between two.
func (p *pixelCode) triangles() {
	p.Function("trianglesAVX2")
	p.Attributes(attr.NOSPLIT)
	p.SignatureExpr("func(dst, row, other []uint8, n int)")
	dst, row, other := p.Load(p.Param("dst").Base(), p.GP64()), p.Load(p.Param("row").Base(), p.GP64()), p.Load(p.Param("other").Base(), p.GP64())
	n := p.Load(p.Param("n"), p.GP64())
	p.loop(n, func() {
		sum := func(i int) reg {
			r := p.wide(at(row, i))
			return p.add(p.add(p.add(r, r), r), p.wide(at(other, i)))
		}
		left, mid, right := sum(0), sum(1), sum(2)
		mid = p.add(p.add(mid, mid), mid)
		even := p.shift(p.VPSRLW, p.add(p.add(mid, left), p.words(8)), 4)
		odd := p.shift(p.VPSRLW, p.add(p.add(mid, right), p.words(7)), 4)
		p.pairs(even, odd, at(dst, 0))
		p.ADDQ(operand.U8(32), dst)
		p.ADDQ(operand.U8(16), row)
		p.ADDQ(operand.U8(16), other)
	})
}

// triangle doubles the inside of a row.
func (p *pixelCode) triangle() {
	p.Function("triangleAVX2")
	p.Attributes(attr.NOSPLIT)
	p.SignatureExpr("func(dst, row []uint8, n int)")
	dst, row := p.Load(p.Param("dst").Base(), p.GP64()), p.Load(p.Param("row").Base(), p.GP64())
	n := p.Load(p.Param("n"), p.GP64())
	p.loop(n, func() {
		left, mid, right := p.wide(at(row, 0)), p.wide(at(row, 1)), p.wide(at(row, 2))
		mid = p.add(p.add(mid, mid), mid)
		even := p.shift(p.VPSRLW, p.add(p.add(mid, left), p.words(1)), 2)
		odd := p.shift(p.VPSRLW, p.add(p.add(mid, right), p.words(2)), 2)
		p.pairs(even, odd, at(dst, 0))
		p.ADDQ(operand.U8(32), dst)
		p.ADDQ(operand.U8(16), row)
	})
}

// colors makes red, green and blue of brightness and differences of color. Factors have
// 16 bits after the point, of which what does not fit into 16 bits with a sign is added
// or subtracted apart.
func (p *pixelCode) colors() {
	p.Function("colorsAVX2")
	p.Attributes(attr.NOSPLIT)
	p.SignatureExpr("func(dst, y, cb, cr []uint8, n int)")
	dst, y := p.Load(p.Param("dst").Base(), p.GP64()), p.Load(p.Param("y").Base(), p.GP64())
	cb, cr := p.Load(p.Param("cb").Base(), p.GP64()), p.Load(p.Param("cr").Base(), p.GP64())
	n := p.Load(p.Param("n"), p.GP64())
	p.loop(n, func() {
		bright := p.wide(at(y, 0))
		b, r := p.sub(p.wide(at(cb, 0)), p.words(128)), p.sub(p.wide(at(cr, 0)), p.words(128))
		// part is c·x/65536, rounded to the nearest.
		part := func(x2 reg, c int) reg {
			return p.shift(p.VPSRAW, p.add(p.do(p.VPMULHW, x2, p.words(c)), p.words(1)), 1)
		}
		r2, b2 := p.add(r, r), p.add(b, b)
		red := p.add(p.add(bright, r), part(r2, 26345))    // 91881 - 65536
		blue := p.add(p.add(bright, b2), part(b2, -14942)) // 116130 - 2·65536
		green := func(unpack three) reg {                  // -22554, and 18734 = 65536 - 46802
			v := p.do(p.VPMADDWD, p.do(unpack, b, r), p.words(-22554, 18734))
			return p.shift(p.VPSRAD, p.do(p.VPADDD, v, p.words(-32768, 0)), 16)
		}
		mixed := p.do(p.VPACKSSDW, green(p.VPUNPCKLWD), green(p.VPUNPCKHWD))
		mixed = p.add(p.sub(bright, r), mixed)
		var channels [3]reg
		for i, v := range []reg{red, mixed, blue} {
			high, packed := p.XMM(), p.XMM()
			p.VEXTRACTI128(operand.U8(1), v, high)
			p.VPACKUSWB(high, v.(avo.VecVirtual).AsX(), packed)
			channels[i] = packed
		}
		for part := range 3 {
			var v reg
			for c := range 3 {
				var places [16]byte
				for i := range places {
					places[i] = 0x80
					if at := 16*part + i; at%3 == c {
						places[i] = byte(at / 3)
					}
				}
				s := p.do(p.VPSHUFB, channels[c], p.bytes(places))
				if v == nil {
					v = s
				} else {
					v = p.or(v, s)
				}
			}
			p.VMOVDQU(v, at(dst, 16*part))
		}
		p.ADDQ(operand.U8(48), dst)
		p.ADDQ(operand.U8(16), y)
		p.ADDQ(operand.U8(16), cb)
		p.ADDQ(operand.U8(16), cr)
	})
}

// cosines writes the inverse transform of Arai, Agui and Nakajima: eight columns, then
// eight rows side by side.
func (p *pixelCode) cosines() {
	p.Function("cosinesAVX2")
	p.Attributes(attr.NOSPLIT)
	p.SignatureExpr("func(to []uint8, stride int, block, scale []int16)")
	to, stride := p.Load(p.Param("to").Base(), p.GP64()), p.Load(p.Param("stride"), p.GP64())
	block, scale := p.Load(p.Param("block").Base(), p.GP64()), p.Load(p.Param("scale").Base(), p.GP64())
	scaled := func(i int) reg {
		v := p.XMM()
		p.VMOVDQU(at(block, 16*i), v)
		return p.do(p.VPMULLW, v, at(scale, 16*i))
	}
	var a [8]reg
	p.eight(scaled, &a)
	// Columns become rows.
	p.transpose(&a)
	b := a
	p.eight(func(i int) reg { return b[i] }, &a)
	for i := range a {
		a[i] = p.shift(p.VPSRAW, a[i], 5)
	}
	low, high := p.VPUNPCKLBW, p.VPUNPCKHBW
	v, w := p.do(p.VPACKSSWB, a[0], a[4]), p.do(p.VPACKSSWB, a[1], a[5])
	x, y := p.do(p.VPACKSSWB, a[2], a[6]), p.do(p.VPACKSSWB, a[3], a[7])
	c01, c45, c23, c67 := p.do(low, v, w), p.do(high, v, w), p.do(low, x, y), p.do(high, x, y)
	low, high = p.VPUNPCKLWD, p.VPUNPCKHWD
	top, bottom := [2]reg{p.do(low, c01, c23), p.do(low, c45, c67)}, [2]reg{p.do(high, c01, c23), p.do(high, c45, c67)}
	for _, half := range [][2]reg{top, bottom} {
		for _, op := range []three{p.VPUNPCKLDQ, p.VPUNPCKHDQ} {
			rows := p.do(op, half[0], half[1])
			p.VPXOR(p.words(-32640), rows, rows)
			p.VMOVQ(rows, at(to, 0))
			p.ADDQ(stride, to)
			p.VMOVHPS(rows, at(to, 0))
			p.ADDQ(stride, to)
		}
	}
	p.RET()
}

// eight transforms eight numbers in each lane.
func (p *pixelCode) eight(in func(int) reg, out *[8]reg) {
	times := func(x reg, c int) reg { return p.do(p.VPMULHW, p.shift(p.VPSLLW, x, 2), p.words(c<<6)) }
	a5, a3, a1, a7 := in(5), in(3), in(1), in(7)
	z13, z10, z11, z12 := p.add(a5, a3), p.sub(a5, a3), p.add(a1, a7), p.sub(a1, a7)
	o7 := p.add(z11, z13)
	z5 := times(p.add(z10, z12), 473)
	o6 := p.sub(p.add(p.sub(times(z10, -413), z10), z5), o7)
	o5 := p.sub(times(p.sub(z11, z13), 362), o6)
	o4 := p.add(p.sub(times(z12, 277), z5), o5)
	a2, a6 := in(2), in(6)
	q := p.add(a2, a6)
	r := p.sub(times(p.sub(a2, a6), 362), q)
	a0, a4 := in(0), in(4)
	s, d := p.add(a0, a4), p.sub(a0, a4)
	e0, e3, e1, e2 := p.add(s, q), p.sub(s, q), p.add(d, r), p.sub(d, r)
	*out = [8]reg{p.add(e0, o7), p.add(e1, o6), p.add(e2, o5), p.sub(e3, o4), p.add(e3, o4), p.sub(e2, o5), p.sub(e1, o6), p.sub(e0, o7)}
}

// transpose turns rows of eight numbers of 16 bits into columns: of the six bits of a
// number's place each step moves the highest to the end.
func (p *pixelCode) transpose(a *[8]reg) {
	for range 3 {
		var b [8]reg
		for i := range 4 {
			b[2*i], b[2*i+1] = p.do(p.VPUNPCKLWD, a[i], a[i+4]), p.do(p.VPUNPCKHWD, a[i], a[i+4])
		}
		*a = b
	}
}

// zigzag is the place in natural order of the coefficients in the order of a file.
var zigzag = [64]int{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// dwords returns the place of a number of 32 bits, again and again.
func (p *pixelCode) dwords(x uint32) operand.Mem {
	return p.words(int(x&0xffff), int(x>>16))
}

// frequencies transforms a block of samples, and divides what comes out.
func (p *pixelCode) frequencies() {
	p.Function("frequenciesAVX2")
	p.Attributes(attr.NOSPLIT)
	p.SignatureExpr("func(to []int16, samples []uint8, stride int, divisors []float32) (nonzero uint64)")
	to, samples := p.Load(p.Param("to").Base(), p.GP64()), p.Load(p.Param("samples").Base(), p.GP64())
	stride, divisors := p.Load(p.Param("stride"), p.GP64()), p.Load(p.Param("divisors").Base(), p.GP64())
	var a [8]reg
	for i := range a {
		a[i] = p.YMM()
		p.VPMOVZXBD(at(samples, 0), a[i])
		if i < len(a)-1 {
			p.ADDQ(stride, samples)
		}
	}
	// Rows become columns, and columns rows again.
	p.transpose32(&a)
	p.forward(&a)
	for i := range a {
		switch i {
		case 0:
			a[i] = p.shift(p.VPSLLD, p.do(p.VPSUBD, a[i], p.dwords(8*128)), 2)
		case 4:
			a[i] = p.shift(p.VPSLLD, a[i], 2)
		default:
			a[i] = p.shift(p.VPSRAD, p.do(p.VPADDD, a[i], p.dwords(1<<10)), 11)
		}
	}
	p.transpose32(&a)
	p.forward(&a)
	half := p.YMM()
	p.VMOVUPS(p.dwords(math.Float32bits(0.5)), half)
	for i := range a {
		n, rounding := uint8(15), p.dwords(1<<14)
		if i%4 == 0 {
			n, rounding = 2, p.dwords(2)
		}
		x := p.shift(p.VPSRAD, p.do(p.VPADDD, a[i], rounding), n)
		by, q := p.YMM(), p.YMM()
		p.VMOVUPS(at(divisors, 32*i), by)
		p.VPABSD(x, q)
		p.VCVTDQ2PS(q, q)
		p.VADDPS(p.do(p.VMULPS, by, half), q, q)
		p.VDIVPS(by, q, q)
		p.VCVTTPS2DQ(q, q)
		p.VPSIGND(x, q, q)
		a[i] = q
	}
	natural := p.AllocLocal(128)
	for i := 0; i < 8; i += 2 {
		v := p.do(p.VPACKSSDW, a[i], a[i+1])
		p.VPERMQ(operand.U8(0xd8), v, v)
		p.VMOVDQU(v, natural.Offset(16*i))
	}
	for i, from := range zigzag {
		x := p.GP32()
		p.MOVWLZX(natural.Offset(2*from), x)
		p.MOVW(x.As16(), at(to, 2*i))
	}
	p.nonzero(to)
	p.RET()
}

// transpose32 turns rows of eight numbers of 32 bits into columns.
func (p *pixelCode) transpose32(a *[8]reg) {
	for i := 0; i < 8; i += 2 {
		a[i], a[i+1] = p.do(p.VPUNPCKLDQ, a[i], a[i+1]), p.do(p.VPUNPCKHDQ, a[i], a[i+1])
	}
	for i := 0; i < 8; i += 4 {
		b := *a
		a[i], a[i+1] = p.do(p.VPUNPCKLQDQ, b[i], b[i+2]), p.do(p.VPUNPCKHQDQ, b[i], b[i+2])
		a[i+2], a[i+3] = p.do(p.VPUNPCKLQDQ, b[i+1], b[i+3]), p.do(p.VPUNPCKHQDQ, b[i+1], b[i+3])
	}
	for i := range 4 {
		low, high := p.YMM(), p.YMM()
		p.VPERM2I128(operand.U8(0x20), a[i+4], a[i], low)
		p.VPERM2I128(operand.U8(0x31), a[i+4], a[i], high)
		a[i], a[i+4] = low, high
	}
}

// forward transforms eight numbers in each lane, as forwardPortable does.
func (p *pixelCode) forward(a *[8]reg) {
	add := func(x, y reg) reg { return p.do(p.VPADDD, x, y) }
	sub := func(x, y reg) reg { return p.do(p.VPSUBD, x, y) }
	times := func(x reg, c int32) reg { return p.do(p.VPMULLD, x, p.dwords(uint32(c))) }
	s0, s7 := add(a[0], a[7]), sub(a[0], a[7])
	s1, s6 := add(a[1], a[6]), sub(a[1], a[6])
	s2, s5 := add(a[2], a[5]), sub(a[2], a[5])
	s3, s4 := add(a[3], a[4]), sub(a[3], a[4])
	t0, t3, t1, t2 := add(s0, s3), sub(s0, s3), add(s1, s2), sub(s1, s2)
	a[0], a[4] = add(t0, t1), sub(t0, t1)
	z := times(add(t2, t3), 4433)
	a[2], a[6] = add(z, times(t3, 6270)), sub(z, times(t2, 15137))
	z1, z2, z3, z4 := add(s4, s7), add(s5, s6), add(s4, s6), add(s5, s7)
	z5 := times(add(z3, z4), 9633)
	z1, z2 = times(z1, -7373), times(z2, -20995)
	z3, z4 = add(times(z3, -16069), z5), add(times(z4, -3196), z5)
	a[1], a[3] = add(add(times(s7, 12299), z1), z4), add(add(times(s6, 25172), z2), z3)
	a[5], a[7] = add(add(times(s5, 16819), z2), z4), add(add(times(s4, 2446), z1), z3)
}

// nonzero returns which of 64 numbers of 16 bits are not 0.
func (p *pixelCode) nonzero(of reg) {
	zero := p.YMM()
	p.VPXOR(zero, zero, zero)
	var masks [2]reg
	for i := range masks {
		bytes := p.do(p.VPACKSSWB, p.do(p.VPCMPEQW, zero, at(of, 64*i)), p.do(p.VPCMPEQW, zero, at(of, 64*i+32)))
		p.VPERMQ(operand.U8(0xd8), bytes, bytes)
		m := p.GP64()
		p.VPMOVMSKB(bytes, m.As32())
		masks[i] = m
	}
	p.VZEROUPPER()
	p.SHLQ(operand.U8(32), masks[1])
	p.ORQ(masks[1], masks[0])
	p.NOTQ(masks[0])
	p.Store(masks[0].(avo.Register), p.ReturnIndex(0))
}
