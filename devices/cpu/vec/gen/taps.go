package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// The fields of a run in package vec, in order.
const (
	runSrc = 8 * iota
	runStep
	runColumn
	runNext
	runWeights
	runTap
	runSkip
	runColumns
	runLines
	runDst
	runDstStep
	runPixels
	runLanes
)

// togetherPixels is how many pixels share what is loaded of weights.
const togetherPixels = 4

// taps writes a run of a depthwise convolution or, without weights, of a pooling
// that takes the largest: so many vectors of channels, of which a single one may be
// short, of pixels in a row, so many at a time. The run counts these as one.
func (f *floats) taps(name string, vectors, pixels int, weighted bool) {
	f.Function(name + f.name)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr("func(t *byte)")
	t := f.Load(f.Param("t"), f.GP64())
	src, dst, groups := f.field(t, runSrc), f.field(t, runDst), f.field(t, runPixels)
	column, tap := f.field(t, runColumn), f.field(t, runTap)
	step, dstStep := f.field(t, runStep), f.field(t, runDstStep)
	step3, dstStep3 := f.GP64(), f.GP64()
	if pixels > 1 {
		f.LEAQ(operand.Mem{Base: step, Index: step, Scale: 2}, step3)
		f.LEAQ(operand.Mem{Base: dstStep, Index: dstStep, Scale: 2}, dstStep3)
	}
	// of returns where vector i of a group's pixel lies.
	of := func(base, step, step3 reg, pixel, i int) operand.Mem {
		m := at(base, i*f.bytes)
		switch pixel {
		case 1, 2:
			m.Index, m.Scale = step, uint8(pixel)
		case 3:
			m.Index, m.Scale = step3, 1
		}
		return m
	}
	var m *mask
	if vectors == 1 {
		last := f.mask(f.isa, 4, f.field(t, runLanes))
		m = &last
	}
	sums := make([]reg, vectors*pixels)
	pixel, row, one := f.label("pixel"), f.label("row"), f.label("one")
	line, weights, lines, x, columns := f.GP64(), f.GP64(), f.GP64(), f.GP64(), f.GP64()

	f.Label(pixel)
	each(sums, func(i int) {
		if weighted {
			sums[i] = f.zero(f.isa)
		} else {
			sums[i] = f.value(-math.MaxFloat32)
		}
	})
	f.MOVQ(src, line)
	if weighted {
		f.MOVQ(at(t, runWeights), weights)
	}
	f.MOVQ(at(t, runLines), lines)
	f.Label(row)
	f.MOVQ(line, x)
	f.MOVQ(at(t, runColumns), columns)
	f.Label(one)
	for i := range vectors {
		w := f.vector(f.isa)
		if weighted {
			f.load(f.isa, at(weights, i*f.bytes), w, m)
		}
		for p := range pixels {
			sum, from := sums[p*vectors+i], operand.Op(of(x, step, step3, p, i))
			if m != nil || !weighted {
				v := f.vector(f.isa)
				f.load(f.isa, from, v, m)
				from = v
			}
			if weighted {
				f.VFMADD231PS(from, w, sum)
			} else {
				f.VMAXPS(sum, from, sum)
			}
		}
	}
	f.ADDQ(column, x)
	if weighted {
		f.ADDQ(tap, weights)
	}
	f.DECQ(columns)
	f.JNE(operand.LabelRef(one))
	f.ADDQ(at(t, runNext), line)
	if weighted {
		f.ADDQ(at(t, runSkip), weights)
	}
	f.DECQ(lines)
	f.JNE(operand.LabelRef(row))
	if weighted {
		zero := f.zero(f.isa)
		each(sums, func(i int) { f.VADDPS(zero, sums[i], sums[i]) })
	}
	for p := range pixels {
		for i := range vectors {
			f.store(f.isa, sums[p*vectors+i], of(dst, dstStep, dstStep3, p, i), m)
		}
	}
	if pixels == 1 {
		f.ADDQ(step, src)
		f.ADDQ(dstStep, dst)
	} else {
		f.LEAQ(operand.Mem{Base: src, Index: step, Scale: togetherPixels}, src)
		f.LEAQ(operand.Mem{Base: dst, Index: dstStep, Scale: togetherPixels}, dst)
	}
	f.DECQ(groups)
	f.JNE(operand.LabelRef(pixel))
	f.VZEROUPPER()
	f.RET()
}

// tapsClaim writes a run of the gradient of a pooling that takes the largest: for each pixel
// of the result, in place of weights, a vector of the gradient goes to the first of the largest
// elements of its window, where dst lies as src does. If the first element of all is NaN it is
// that.
func (f *floats) tapsClaim(name string) {
	f.Function(name + f.name)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr("func(t *byte)")
	t := f.Load(f.Param("t"), f.GP64())
	src, toward, pixels := f.field(t, runSrc), f.field(t, runDst), f.field(t, runPixels)
	column, next := f.field(t, runColumn), f.field(t, runNext)
	grad := f.field(t, runWeights)
	f.SUBQ(src, toward) // from an element of src to that of dst
	m := f.mask(f.isa, 4, f.field(t, runLanes))
	zero := f.zero(f.isa)
	line, lines, x, columns := f.GP64(), f.GP64(), f.GP64(), f.GP64()
	best, rest := f.vector(f.isa), f.vector(f.isa)
	// window visits all elements of a window: the first by one function, the others by another.
	window := func(first, other func()) {
		again, skip := f.label("element"), f.label("next")
		f.MOVQ(src, line)
		f.MOVQ(src, x)
		f.MOVQ(at(t, runLines), lines)
		f.MOVQ(at(t, runColumns), columns)
		first()
		f.JMP(operand.LabelRef(skip))
		f.Label(again)
		other()
		f.Label(skip)
		f.ADDQ(column, x)
		f.DECQ(columns)
		f.JNE(operand.LabelRef(again))
		f.ADDQ(next, line)
		f.MOVQ(line, x)
		f.MOVQ(at(t, runColumns), columns)
		f.DECQ(lines)
		f.JNE(operand.LabelRef(again))
	}
	claim := func(predicate uint8) func() {
		return func() {
			v, taken, to := f.vector(f.isa), f.vector(f.isa), operand.Mem{Base: x, Index: toward, Scale: 1}
			f.load(f.isa, at(x, 0), v, &m)
			if f.isa == avx512 {
				k := f.K()
				f.VCMPPS(operand.U8(predicate), best, v, k)
				f.VMOVUPS_Z(rest, k, taken)
				f.VBLENDMPS(zero, rest, k, rest)
			} else {
				f.VCMPPS(operand.U8(predicate), best, v, v)
				f.VANDPS(rest, v, taken)
				f.VANDNPS(rest, v, rest)
			}
			f.load(f.isa, to, v, &m)
			f.VADDPS(v, taken, taken)
			f.store(f.isa, taken, to, &m)
		}
	}

	pixel := f.label("pixel")
	f.Label(pixel)
	window(func() { f.load(f.isa, at(x, 0), best, &m) }, func() {
		v := f.vector(f.isa)
		f.load(f.isa, at(x, 0), v, &m)
		f.atLeast([]reg{best}, []reg{v})
	})
	f.load(f.isa, at(grad, 0), rest, &m)
	window(claim(8), claim(equalTo))
	f.ADDQ(at(t, runStep), src)
	f.ADDQ(at(t, runDstStep), grad)
	f.DECQ(pixels)
	f.JNE(operand.LabelRef(pixel))
	f.VZEROUPPER()
	f.RET()
}
