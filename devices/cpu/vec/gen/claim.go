package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// claim writes the function that moves elements of rest to sums where x is best, and
// leaves zeros there: for whole vectors, the rest is Go's. The predicate reports whether what
// is no number is best, too.
func (f *floats) claim(name string, predicate uint8) {
	f.Function(name + f.name)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr("func(sum, rest, x, best []float32)")
	sum := f.Load(f.Param("sum").Base(), f.GP64())
	n := f.Load(f.Param("sum").Len(), f.GP64())
	rest := f.Load(f.Param("rest").Base(), f.GP64())
	x := f.Load(f.Param("x").Base(), f.GP64())
	best := f.Load(f.Param("best").Base(), f.GP64())
	zero := f.zero(f.isa)
	f.whole(n, func() {
		v, from, taken := f.vector(f.isa), f.vector(f.isa), f.vector(f.isa)
		f.VMOVUPS(at(x, 0), v)
		f.VMOVUPS(at(best, 0), taken)
		f.VMOVUPS(at(rest, 0), from)
		if f.isa == avx512 {
			k := f.K()
			f.VCMPPS(operand.U8(predicate), taken, v, k)
			f.VMOVUPS_Z(from, k, taken)
			f.VBLENDMPS(zero, from, k, from)
		} else {
			f.VCMPPS(operand.U8(predicate), taken, v, v)
			f.VANDPS(from, v, taken)
			f.VANDNPS(from, v, from)
		}
		f.VADDPS(at(sum, 0), taken, taken)
		f.VMOVUPS(taken, at(sum, 0))
		f.VMOVUPS(from, at(rest, 0))
		f.advance(f.bytes, sum, rest, x, best)
	})
}
