package main

import "github.com/mmcloughlin/avo/operand"

// The fields of a finishing in package vec, in order: what is done with sums before they
// are stored.
const (
	finishScale = 8 * iota // a row of factors
	finishBias             // a row
	finishAdd              // what is added to the first sum
	finishWhat             // of the bits below
	finishSix              // the number 6, and then
	finishSize

	finishSlope = finishSix + 4
)

const (
	finishScales = 1 << iota
	finishAdds
	finishAddsOther
	finishRelu
	finishRelu6
	finishLeakyRelu
)

// unless jumps to a label unless one of some bits is set.
func (a *assembly) unless(t reg, at0 int, bits uint8, to string) {
	a.TESTB(operand.U8(bits), at(t, at0+finishWhat))
	a.JEQ(operand.LabelRef(to))
}

// finishRows multiplies sums of one column of vectors with its factors, and adds its bias;
// of returns where these lie in a row. zero, if it is not nil, is added to the bias of sums
// without factors: then a sum that is -0 is as good as 0.
func (f *floats) finishRows(t reg, fields int, of func(row reg) operand.Mem, sums []reg, m *mask, zero reg) {
	scaled, biased := f.label("scaled"), f.label("biased")
	for _, step := range []struct {
		bits  uint8
		field int
		label string
		do    func(v reg, i int)
	}{
		{finishScales, finishScale, scaled, func(v reg, i int) { f.VMULPS(v, sums[i], sums[i]) }},
		{finishAdds, finishBias, biased, func(v reg, i int) { f.VADDPS(v, sums[i], sums[i]) }},
	} {
		f.unless(t, fields, step.bits, step.label)
		p, v := f.field(t, fields+step.field), f.vector(f.isa)
		f.load(f.isa, of(p), v, m)
		if step.bits == finishAdds && zero != nil {
			with := f.label("with")
			f.TESTB(operand.U8(finishScales), at(t, fields+finishWhat))
			f.JNE(operand.LabelRef(with))
			f.VADDPS(zero, v, v)
			f.Label(with)
		}
		each(sums, func(i int) { step.do(v, i) })
		f.Label(step.label)
	}
}

// withAddend writes what adds other numbers, the first of which are at from, to sums.
func (a *assembly) withAddend(t reg, fields int, add func(from reg)) {
	none := a.label("none")
	a.unless(t, fields, finishAddsOther, none)
	add(a.field(t, fields+finishAdd))
	a.Label(none)
}

// limit writes Relu, Relu6 or LeakyRelu of all sums.
func (a *assembly) limit(t reg, fields int, s isa, sums []reg) {
	f := &floats{assembly: a, isa: s}
	six, leaky, done := a.label("six"), a.label("leaky"), a.label("limited")
	f.unless(t, fields, finishRelu|finishRelu6|finishLeakyRelu, done)
	f.unless(t, fields, finishRelu, six)
	f.relu(sums, nil)
	f.JMP(operand.LabelRef(done))
	f.Label(six)
	f.unless(t, fields, finishRelu6, leaky)
	high := f.vector(s)
	f.VBROADCASTSS(at(t, fields+finishSix), high)
	f.limitTo(sums, high)
	f.JMP(operand.LabelRef(done))
	f.Label(leaky)
	slope := f.vector(s)
	f.VBROADCASTSS(at(t, fields+finishSlope), slope)
	f.leakyIn(sums, slope)
	f.Label(done)
}

// leakyIn is leakyRelu in the registers that tiles of AVX2 leave.
func (f *floats) leakyIn(x []reg, slope reg) {
	const notGreater = 26 // or unordered, quiet
	if f.isa == avx512 {
		zero := f.zero(f.isa)
		each(x, func(i int) {
			k := f.K()
			f.VCMPPS(operand.U8(notGreater), zero, x[i], k)
			f.VMULPS(slope, x[i], k, x[i])
		})
		return
	}
	each(x, func(i int) {
		less, m := f.zero(f.isa), f.vector(f.isa)
		f.VCMPPS(operand.U8(notGreater), less, x[i], m)
		f.VMULPS(slope, x[i], less)
		f.VBLENDVPS(m, less, x[i], x[i])
	})
}
