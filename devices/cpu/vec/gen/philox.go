package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// philoxLanes are the counters of a vector's lanes, of AVX-512 and then of AVX2: blocks come
// out in order where those of odd lanes follow those of even ones.
const philoxLanes = "philoxLanes"

func (a *assembly) philoxData() {
	a.StaticGlobal(philoxLanes)
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, lane := range []uint64{0, 4, 1, 5, 2, 6, 3, 7, 0, 2, 1, 3} {
		a.AddDatum(8*i, operand.U64(lane))
	}
}

// philox writes a function that computes blocks of four numbers, each in the halves of four
// lanes of 64 bits; what a lane has in its upper half does not count. low and high are the
// counter. dst takes whole steps, and low does not overflow.
func (f *floats) philox() {
	f.Function("philox" + f.name)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr("func(dst []uint32, low uint64, high uint64, key uint64)")
	dst := f.Load(f.Param("dst").Base(), f.GP64())
	n := f.Load(f.Param("dst").Len(), f.GP64())
	broadcast := func(param string) reg {
		p, err := f.Param(param).Resolve()
		if err != nil {
			panic(err)
		}
		v := f.vector(f.isa)
		f.VPBROADCASTQ(p.Addr, v)
		return v
	}
	upper := func(x reg) reg {
		v := f.vector(f.isa)
		f.VPSRLQ(operand.U8(32), x, v)
		return v
	}
	add := func(x operand.Op, to reg) { f.VPADDQ(x, to, to) }

	counter, high, key := broadcast("low"), broadcast("high"), broadcast("key")
	highest, keys := upper(high), upper(key)
	lanes, lane := operand.NewDataAddr(operand.NewStaticSymbol(philoxLanes), 0), f.bytes/8
	if f.isa == avx2 {
		lanes = lanes.Offset(64)
	}
	add(lanes, counter)
	step := f.vector(f.isa)
	count := f.GP64()
	f.MOVQ(operand.U32(uint32(lane)), count)
	f.VMOVQ(count, step.AsX())
	f.VPBROADCASTQ(step.AsX(), step)

	together := 1 // vectors, whose products do not wait for each other
	if f.isa == avx512 {
		together = 2
	}
	next, done := f.label("next"), f.label("done")
	f.Label(next)
	f.CMPQ(n, operand.U32(uint32(together*lane*4)))
	f.JLT(operand.LabelRef(done))
	c := make([][4]reg, together)
	for i := range c {
		c[i] = [4]reg{f.vector(f.isa), nil, high, highest}
		f.VMOVAPS(counter, c[i][0])
		c[i][1] = upper(counter)
		add(step, counter)
	}
	k0, k1 := f.vector(f.isa), f.vector(f.isa)
	f.VMOVAPS(key, k0)
	f.VMOVAPS(keys, k1)
	for round := range 10 {
		if round > 0 {
			f.VPADDD(f.bits(0x9E3779B9), k0, k0)
			f.VPADDD(f.bits(0xBB67AE85), k1, k1)
		}
		for i := range c {
			x, y := f.vector(f.isa), f.vector(f.isa)
			f.VPMULUDQ(f.bits(0xD2511F53), c[i][0], x)
			f.VPMULUDQ(f.bits(0xCD9E8D57), c[i][2], y)
			u, v := upper(y), upper(x)
			f.xor(c[i][1], k0, u)
			f.xor(c[i][3], k1, v)
			c[i] = [4]reg{u, y, v, x}
		}
	}
	for i := range c {
		p, q, even, odd := f.vector(f.isa), f.vector(f.isa), f.vector(f.isa), f.vector(f.isa)
		f.VSHUFPS(operand.U8(0x88), c[i][1], c[i][0], p) // the first numbers of two blocks, the second ones
		f.VSHUFPS(operand.U8(0x88), c[i][3], c[i][2], q)
		f.VSHUFPS(operand.U8(0x88), q, p, even)
		f.VSHUFPS(operand.U8(0xdd), q, p, odd)
		f.VMOVUPS(even, at(dst, 2*i*f.bytes))
		f.VMOVUPS(odd, at(dst, (2*i+1)*f.bytes))
	}
	f.ADDQ(operand.U32(uint32(together*2*f.bytes)), dst)
	f.SUBQ(operand.U32(uint32(together*lane*4)), n)
	f.JMP(operand.LabelRef(next))
	f.Label(done)
	f.VZEROUPPER()
	f.RET()
}

// xor adds x and y, bit by bit, to z.
func (f *floats) xor(x, y, z reg) {
	if f.isa == avx512 {
		f.VPTERNLOGQ(operand.U8(0x96), x, y, z)
		return
	}
	f.VPXOR(x, z, z)
	f.VPXOR(y, z, z)
}
