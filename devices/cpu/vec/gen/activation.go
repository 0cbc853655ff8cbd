package main

// seluScale and seluAlpha are the constants of G. Klambauer et al., Self-Normalizing
// Neural Networks (2017).
const (
	seluScale = 1.0507009873554804934193349852946
	seluAlpha = 1.6732632423543772848170429916717
)

// relu6 limits to 0 and 6; -0 and NaN stay.
func (f *floats) relu6(x, _ []reg) { f.limitTo(x, f.value(6)) }

// limitTo is relu6 with that limit. Where an operand is NaN, or both are zeros, the machine's
// instructions return x: it is their second.
func (f *floats) limitTo(x []reg, six reg) {
	zero := f.zero(f.isa)
	each(x, func(i int) {
		f.VMAXPS(x[i], zero, x[i])
		f.VMINPS(x[i], six, x[i])
	})
}

// leakyRelu is x·s where x is not above 0.
func (f *floats) leakyRelu(x, s []reg) {
	zero := f.zero(f.isa)
	each(x, func(i int) {
		less := f.vector(f.isa)
		f.VMULPS(s[i], x[i], less)
		f.pick(greaterThan, x[i], zero, x[i], less, x[i])
	})
}

// sign is 1, -1, 0 or NaN.
func (f *floats) sign(x, _ []reg) {
	zero, one, minusOne := f.zero(f.isa), f.value(1), f.value(-1)
	each(x, func(i int) {
		f.pick(lessThan, x[i], zero, minusOne, x[i], x[i])
		f.pick(greaterThan, x[i], zero, one, x[i], x[i])
		f.VADDPS(zero, x[i], x[i]) // -0 becomes 0
	})
}

// elu is e^x-1 below 0.
func (f *floats) elu(x, _ []reg) {
	zero, least := f.zero(f.isa), f.value(-80)
	e := f.copies(x)
	each(x, func(i int) {
		f.VMINPS(zero, e[i], e[i])
		f.VMAXPS(e[i], least, e[i])
	})
	less := f.lessOne(e)
	each(x, func(i int) { f.pick(lessThan, x[i], zero, less[i], x[i], x[i]) })
}

// selu is elu with factors.
func (f *floats) selu(x, _ []reg) {
	zero, least := f.zero(f.isa), f.value(-80)
	e := f.copies(x)
	each(x, func(i int) {
		f.VMINPS(zero, e[i], e[i])
		f.VMAXPS(e[i], least, e[i])
	})
	less := f.lessOne(e)
	scale, both := f.value(seluScale), f.value(seluScale*seluAlpha)
	each(x, func(i int) {
		above := f.vector(f.isa)
		f.VMULPS(scale, x[i], above)
		f.VMULPS(both, less[i], less[i])
		f.pick(lessThan, x[i], zero, less[i], above, x[i])
	})
}

// gate is x times 1 where y lies above low and below high, if that is a limit, and times
// 0 elsewhere, so that infinities show.
func (f *floats) gate(x, y []reg, high float32) {
	zero, one := f.zero(f.isa), f.value(1)
	each(x, func(i int) {
		factor := f.vector(f.isa)
		f.pick(greaterThan, y[i], zero, one, zero, factor)
		if high > 0 {
			f.pick(lessThan, y[i], f.value(high), factor, zero, factor)
		}
		f.VMULPS(factor, x[i], x[i])
	})
}

// leakyReluGrad is x where y is above 0, and x·s elsewhere.
func (f *floats) leakyReluGrad(x, y []reg) {
	zero := f.zero(f.isa)
	each(x, func(i int) {
		less := f.vector(f.isa)
		f.VMULPS(f.scalar, x[i], less)
		f.pick(greaterThan, y[i], zero, x[i], less, x[i])
	})
}

// eluGrad is x times y+low where y lies below 0, and x times high elsewhere.
func (f *floats) eluGrad(x, y []reg, low, high float32) {
	zero, l, h := f.zero(f.isa), f.value(low), f.value(high)
	each(x, func(i int) {
		slope := f.vector(f.isa)
		f.VADDPS(l, y[i], slope)
		f.pick(lessThan, y[i], zero, slope, h, slope)
		f.VMULPS(slope, x[i], x[i])
	})
}

// softsign is x/(1+|x|).
func (f *floats) softsign(x, _ []reg) {
	magnitude, one := f.bits(signBit-1), f.value(1)
	each(x, func(i int) {
		d := f.vector(f.isa)
		f.VANDPS(magnitude, x[i], d)
		f.VADDPS(one, d, d)
		f.VDIVPS(d, x[i], x[i])
	})
}

// softsignGrad is x/(1+|y|)/(1+|y|), as the square may be too large.
func (f *floats) softsignGrad(x, y []reg) {
	magnitude, one := f.bits(signBit-1), f.value(1)
	each(x, func(i int) {
		f.VANDPS(magnitude, y[i], y[i])
		f.VADDPS(one, y[i], y[i])
		f.VDIVPS(y[i], x[i], x[i])
		f.VDIVPS(y[i], x[i], x[i])
	})
}
