package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	avo "github.com/mmcloughlin/avo/reg"
)

type reg = avo.Register

// An isa is an instruction set: AVX2 with FMA, or AVX-512.
type isa struct {
	name  string
	bytes int // of a vector
}

var (
	avx2   = isa{"AVX2", 32}
	avx512 = isa{"AVX512", 64}
)

// vector returns a fresh vector register.
func (a *assembly) vector(s isa) avo.VecVirtual {
	if s == avx512 {
		return a.ZMM()
	}
	return a.YMM()
}

// zero returns a fresh vector of zeros.
func (a *assembly) zero(s isa) avo.VecVirtual {
	v := a.vector(s)
	a.VXORPS(v, v, v)
	return v
}

// A mask selects the first lanes of a vector.
type mask struct {
	isa
	size int // of an element, 4 or 8
	reg  reg // an opmask for AVX-512; else a vector
}

// ones is 32 bytes of ones and then as many zeros: a vector of ones that begins
// so far from the middle masks that much.
const ones = "ones"

// data adds what masks need to the file.
func (a *assembly) data() {
	a.StaticGlobal(ones)
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 8 {
		a.AddDatum(8*i, operand.U64(-uint64(1-i/4)))
	}
}

// mask makes the mask of the first lanes elements; lanes is a 64-bit register,
// and what it holds beyond the length of a vector means all.
func (a *assembly) mask(s isa, size int, lanes reg) mask {
	if s == avx512 {
		all, k := a.GP32(), a.K()
		a.MOVL(operand.U32(0xffffffff), all)
		a.BZHIL(lanes.(avo.GPVirtual).As32(), all, all)
		a.KMOVW(all, k)
		return mask{s, size, k}
	}
	n, most := a.GP64(), a.GP64()
	a.MOVQ(operand.I32(s.bytes/size), most)
	a.MOVQ(lanes, n)
	a.CMPQ(n, most)
	a.CMOVQGT(most, n)
	a.NEGQ(n)
	table, m := a.GP64(), a.YMM()
	a.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol(ones), 32), table)
	a.VMOVUPS(operand.Mem{Base: table, Index: n, Scale: uint8(size)}, m)
	return mask{s, size, m}
}

// load loads the lanes of m and sets the others to zero. All lanes where m is
// nil.
func (a *assembly) load(s isa, from operand.Op, v reg, m *mask) {
	switch {
	case m == nil:
		a.VMOVUPS(from, v)
	case s == avx512 && m.size == 4:
		a.VMOVUPS_Z(from, m.reg, v)
	case s == avx512:
		a.VMOVUPD_Z(from, m.reg, v)
	case m.size == 4:
		a.VMASKMOVPS(from, m.reg, v)
	default:
		a.VMASKMOVPD(from, m.reg, v)
	}
}

// store stores the lanes of m; all where m is nil.
func (a *assembly) store(s isa, v reg, to operand.Op, m *mask) {
	switch {
	case m == nil:
		a.VMOVUPS(v, to)
	case s == avx512 && m.size == 4:
		a.VMOVUPS(v, m.reg, to)
	case s == avx512:
		a.VMOVUPD(v, m.reg, to)
	case m.size == 4:
		a.VMASKMOVPS(v, m.reg, to)
	default:
		a.VMASKMOVPD(v, m.reg, to)
	}
}

// elements writes the loop over n elements of so many bytes: width vectors at a time, then
// one by one, and the end of the function. step is to take n down.
func (a *assembly) elements(s isa, size int, n reg, width int, step func(count int, m *mask)) {
	many, tail, done := a.label("many"), a.label("tail"), a.label("done")
	a.Label(many)
	a.CMPQ(n, operand.U32(uint32(width*s.bytes/size)))
	a.JLT(operand.LabelRef(tail))
	step(width, nil)
	a.JMP(operand.LabelRef(many))
	a.Label(tail)
	a.CMPQ(n, operand.U8(0))
	a.JLE(operand.LabelRef(done))
	m := a.mask(s, size, n)
	step(1, &m)
	a.JMP(operand.LabelRef(tail))
	a.Label(done)
	a.VZEROUPPER()
	a.RET()
}
