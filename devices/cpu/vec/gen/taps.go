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

// taps writes a run of a depthwise convolution or, without weights, of a pooling
// that takes the largest: so many vectors of channels, of which a single one may be
// short, of pixels in a row.
func (f *floats) taps(name string, vectors int, weighted bool) {
	f.Function(name + f.name)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr("func(t *byte)")
	t := f.Load(f.Param("t"), f.GP64())
	src, dst, pixels := f.field(t, runSrc), f.field(t, runDst), f.field(t, runPixels)
	column, tap := f.field(t, runColumn), f.field(t, runTap)
	var m *mask
	if vectors == 1 {
		last := f.mask(f.isa, 4, f.field(t, runLanes))
		m = &last
	}
	sums := make([]reg, vectors)
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
	each(sums, func(i int) {
		v := f.vector(f.isa)
		if !weighted {
			f.load(f.isa, at(x, i*f.bytes), v, m)
			f.VMAXPS(sums[i], v, sums[i])
			return
		}
		f.load(f.isa, at(weights, i*f.bytes), v, m)
		if m == nil {
			f.VMULPS(at(x, i*f.bytes), v, v)
		} else {
			w := f.vector(f.isa)
			f.load(f.isa, at(x, i*f.bytes), w, m)
			f.VMULPS(w, v, v)
		}
		f.VADDPS(v, sums[i], sums[i])
	})
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
	each(sums, func(i int) { f.store(f.isa, sums[i], at(dst, i*f.bytes), m) })
	f.ADDQ(at(t, runStep), src)
	f.ADDQ(at(t, runDstStep), dst)
	f.DECQ(pixels)
	f.JNE(operand.LabelRef(pixel))
	f.VZEROUPPER()
	f.RET()
}
