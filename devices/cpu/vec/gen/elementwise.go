package main

import (
	"math"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// tapVectors is how many vectors of channels a wide run of taps has.
const tapVectors = 4

// sources says what a function takes besides dst.
type sources string

const (
	one         sources = "dst, x []float32"
	two         sources = "dst, x, y []float32"
	withScalar  sources = "dst, x []float32, s float32"
	scalarFirst sources = "dst []float32, s float32, y []float32"
	toInt32     sources = "dst []int32, x []float32"
	twoScalar   sources = "dst, x, y []float32, s float32" // the number is the scalar of floats
)

func elementwise(a *assembly) {
	a.ConstraintExpr("amd64")
	for _, s := range []isa{avx512, avx2} {
		f := &floats{assembly: a, isa: s}
		for _, op := range []struct {
			name string
			from []sources
			code func(x, y []reg)
		}{
			{"add", []sources{two, withScalar}, f.add},
			{"sub", []sources{two, scalarFirst}, f.sub},
			{"mul", []sources{two, withScalar}, f.mul},
			{"div", []sources{two, withScalar, scalarFirst}, f.div},
			{"max", []sources{two, withScalar}, func(x, y []reg) { f.extreme(x, y, true) }},
			{"min", []sources{two, withScalar}, func(x, y []reg) { f.extreme(x, y, false) }},
		} {
			for _, from := range op.from {
				f.function(op.name, from, 4, op.code)
			}
		}
		f.function("above", two, 4, f.above)
		f.function("above", withScalar, 4, f.above)
		f.function("atMost", two, 4, f.atMost)
		f.function("atMost", withScalar, 4, f.atMost)
		f.function("atLeast", two, 4, f.atLeast)
		f.function("atLeast", withScalar, 4, f.atLeast)
		f.vectors("mulAdd", "dst, x, y", func(v [][]reg) { f.mul(v[1], v[2]); f.add(v[0], v[1]) })
		f.vectors("normalize", "x, mean, factor, offset", func(v [][]reg) { f.sub(v[0], v[1]); f.mul(v[0], v[2]); f.add(v[0], v[3]) })
		f.function("relu", one, 4, f.relu)
		f.function("abs", one, 4, f.abs)
		f.function("neg", one, 4, f.neg)
		f.function("floor", one, 4, func(x, _ []reg) { f.rounded(x, down) })
		f.function("ceil", one, 4, func(x, _ []reg) { f.rounded(x, up) })
		f.function("roundToEven", one, 4, func(x, _ []reg) { f.rounded(x, nearest) })
		f.function("round", one, 4, f.roundAway)
		f.function("sqrt", one, 4, f.sqrt)
		f.function("rsqrt", one, 4, f.rsqrt)
		f.function("truncate", toInt32, 4, f.truncate)
		width := 2
		if s == avx512 {
			width = 4
		}
		f.function("exp", one, width, f.exp)
		f.function("tanh", one, width, f.tanh)
		f.function("sigmoid", one, width, f.sigmoid)
		f.function("expSub", withScalar, width, func(x, y []reg) { f.sub(x, y); f.exp(x, nil) })
		f.function("erf", one, width, f.erf)
		f.function("relu6", one, 4, f.relu6)
		f.function("leakyRelu", withScalar, 4, f.leakyRelu)
		f.function("sign", one, 4, f.sign)
		f.function("reluGrad", two, 2, func(x, y []reg) { f.gate(x, y, 0) })
		f.function("relu6Grad", two, 2, func(x, y []reg) { f.gate(x, y, 6) })
		f.function("mulNoNan", two, 4, func(x, y []reg) { f.unlessZero(x, y, y, f.mul) })
		f.function("divNoNan", two, 4, func(x, y []reg) { f.unlessZero(x, y, y, f.div) })
		f.function("xdivy", two, 4, func(x, y []reg) { f.unlessZero(x, f.copies(x), y, f.div) })
		f.function("leakyReluGrad", twoScalar, 2, f.leakyReluGrad)
		f.function("eluGrad", two, 2, func(x, y []reg) { f.eluGrad(x, y, 1, 1) })
		f.function("seluGrad", two, 2, func(x, y []reg) { f.eluGrad(x, y, seluScale*seluAlpha, seluScale) })
		f.function("softsign", one, 4, f.softsign)
		f.function("softsignGrad", two, 2, f.softsignGrad)
		// The rest needs many registers.
		width /= 2
		f.function("elu", one, width, f.elu)
		f.function("softplusGrad", two, width, func(x, y []reg) { f.sigmoid(y, nil); f.mul(x, y) })
		f.function("selu", one, width, f.selu)
		f.function("softplus", one, width, f.softplus)
		f.function("expm1", one, width, f.expLessOne)
		f.function("log", one, width, f.log)
		f.function("log1p", one, width, f.logOnePlus)
		f.function("erfc", one, width, f.erfc)
		f.function("sin", one, width, func(x, _ []reg) { f.wave(x, 0) })
		f.function("cos", one, width, func(x, _ []reg) { f.wave(x, 1) })
		f.function("atan", one, width, f.atan)
		f.function("asin", one, width, f.asin)
		f.function("acos", one, width, f.acos)
		f.function("atan2", two, 1, f.atan2)
		f.function("atanh", one, width, f.atanh)
		f.function("cosh", one, width, f.cosh)
		f.reduction("sum", func(acc, x reg) reg { f.VADDPS(x, acc, acc); return acc })
		f.reduction("greatest", func(acc, x reg) reg { f.VMAXPS(acc, x, acc); return acc }) // acc where x is NaN
		f.reduction("max", func(acc, x reg) reg { return f.extremeOf(acc, x, true) })
		f.reduction("min", func(acc, x reg) reg { return f.extremeOf(acc, x, false) })
		f.index()
		f.widen()
		f.narrow()
		f.claim("claim", equalTo)
		f.claim("claimFirst", 8)
		for _, p := range predicates {
			f.compare(p, false)
			f.compare(p, true)
		}
		f.choose()
		f.taps("tapsWide", tapVectors, 1, true)
		f.taps("taps", 1, 1, true)
		f.taps("tapsTogetherWide", 2, togetherPixels, true)
		f.taps("tapsTogether", 1, togetherPixels, true)
		f.taps("tapsLargestWide", tapVectors, 1, false)
		f.taps("tapsLargest", 1, 1, false)
		f.tapsClaim("tapsClaim")
		f.lines()
		f.philox()
		for _, columns := range lineColumns {
			for _, stride := range lineStrides {
				for _, vectors := range lineVectors(f.isa) {
					f.tapLine(columns, stride, vectors)
				}
			}
		}
		d := &float64s{a, s}
		d.function("exp", width, d.exp)
		d.function("tanh", width, d.tanh)
		d.function("sigmoid", width, d.sigmoid)
		d.function("log", width, d.log)
		d.radix(2)
		d.radix(4)
		d.first()
	}
	a.data()
	a.philoxData()
	d := &float64s{assembly: a}
	d.data()
	d.fourierData()
	a.StaticGlobal(constants)
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, c := range pool {
		for lane := range 16 {
			a.AddDatum(64*i+4*lane, operand.U32(c))
		}
	}
}

// floats writes functions on slices of float32.
type floats struct {
	*assembly
	isa
	scalar reg // of a function from twoScalar
}

// function writes a function in which code computes several vectors at a time,
// interleaved, from x and y into x. The last vectors go one by one, and the last
// elements as a vector of which only so many lanes are loaded and stored.
func (f *floats) function(name string, from sources, width int, code func(x, y []reg)) {
	variant := map[sources]string{one: "", two: "", toInt32: "", twoScalar: "", withScalar: "Scalar", scalarFirst: "Scalar"}[from]
	if from == scalarFirst {
		name, variant = "scalar"+string(name[0]-'a'+'A')+name[1:], ""
	}
	f.Function(name + variant + f.name)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr("func(" + string(from) + ")")

	dst := f.Load(f.Param("dst").Base(), f.GP64())
	n := f.Load(f.Param("dst").Len(), f.GP64())
	var x, y, s reg
	if from != scalarFirst {
		x = f.Load(f.Param("x").Base(), f.GP64())
	}
	if from == two || from == twoScalar || from == scalarFirst {
		y = f.Load(f.Param("y").Base(), f.GP64())
	}
	if from == withScalar || from == twoScalar || from == scalarFirst {
		p, err := f.Param("s").Resolve()
		if err != nil {
			panic(err)
		}
		s = f.vector(f.isa)
		f.VBROADCASTSS(p.Addr, s)
		f.scalar = s
	}

	// step computes count vectors.
	step := func(count int, m *mask) {
		xs, ys := make([]reg, count), make([]reg, count)
		take := func(vs []reg, p reg) {
			for i := range vs {
				if p == nil {
					vs[i] = s
					continue
				}
				vs[i] = f.vector(f.isa)
				f.load(f.isa, at(p, i*f.bytes), vs[i], m)
			}
		}
		take(xs, x)
		if from != one && from != toInt32 {
			take(ys, y)
		}
		if x == nil { // code may not change s
			for i := range xs {
				xs[i] = f.vector(f.isa)
				f.VMOVUPS(s, xs[i])
			}
		}
		code(xs, ys)
		for i := range xs {
			f.store(f.isa, xs[i], at(dst, i*f.bytes), m)
		}
		for _, p := range []reg{dst, x, y} {
			if p != nil {
				f.ADDQ(operand.U32(uint32(count*f.bytes)), p)
			}
		}
		f.SUBQ(operand.U32(uint32(count*f.bytes/4)), n)
	}
	f.loop(n, width, step)
}

// vectors writes a function of several slices as long as dst, of which dst may be
// one, into dst; code computes into the first. The rest is as for function.
func (f *floats) vectors(name, from string, code func(v [][]reg)) {
	const width = 2
	names := strings.Split(from, ", ")
	f.Function(name + f.name)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr("func(dst, " + strings.TrimPrefix(from, "dst, ") + " []float32)")
	dst := f.Load(f.Param("dst").Base(), f.GP64())
	n := f.Load(f.Param("dst").Len(), f.GP64())
	places := []reg{dst}
	in := make([]reg, len(names))
	for i, name := range names {
		if in[i] = dst; name != "dst" {
			in[i] = f.Load(f.Param(name).Base(), f.GP64())
			places = append(places, in[i])
		}
	}
	step := func(count int, m *mask) {
		v := make([][]reg, len(in))
		for k := range v {
			v[k] = make([]reg, count)
			each(v[k], func(i int) {
				v[k][i] = f.vector(f.isa)
				f.load(f.isa, at(in[k], i*f.bytes), v[k][i], m)
			})
		}
		code(v)
		each(v[0], func(i int) { f.store(f.isa, v[0][i], at(dst, i*f.bytes), m) })
		for _, p := range places {
			f.ADDQ(operand.U32(uint32(count*f.bytes)), p)
		}
		f.SUBQ(operand.U32(uint32(count*f.bytes/4)), n)
	}
	f.loop(n, width, step)
}

// loop is [assembly.elements] of floats.
func (f *floats) loop(n reg, width int, step func(count int, m *mask)) {
	f.elements(f.isa, 4, n, width, step)
}

// constants names the table of constants, sixteen times each.
const constants = "constants"

var pool []uint32

// bits loads a constant into all lanes of a register.
func (f *floats) bits(c uint32) reg {
	i := slices.Index(pool, c)
	if i < 0 {
		i = len(pool)
		pool = append(pool, c)
	}
	r := f.vector(f.isa)
	f.VMOVUPS(operand.NewDataAddr(operand.NewStaticSymbol(constants), 64*i), r)
	return r
}

// value is bits of a number.
func (f *floats) value(v float32) reg { return f.bits(math.Float32bits(v)) }

// each writes one instruction for each vector.
func each(vs []reg, instruction func(i int)) {
	for i := range vs {
		instruction(i)
	}
}

func (f *floats) add(x, y []reg) { each(x, func(i int) { f.VADDPS(y[i], x[i], x[i]) }) }
func (f *floats) sub(x, y []reg) { each(x, func(i int) { f.VSUBPS(y[i], x[i], x[i]) }) }
func (f *floats) mul(x, y []reg) { each(x, func(i int) { f.VMULPS(y[i], x[i], x[i]) }) }
func (f *floats) div(x, y []reg) { each(x, func(i int) { f.VDIVPS(y[i], x[i], x[i]) }) }

// unlessZero is what code makes of x and y, and 0 where z is 0.
func (f *floats) unlessZero(x, z, y []reg, code func(x, y []reg)) {
	zero := f.zero(f.isa)
	code(x, y)
	each(x, func(i int) { f.pick(equalTo, z[i], zero, zero, x[i], x[i]) })
}

func (f *floats) sqrt(x, _ []reg) { each(x, func(i int) { f.VSQRTPS(x[i], x[i]) }) }

func (f *floats) rsqrt(x, _ []reg) {
	f.sqrt(x, nil)
	one := f.value(1)
	each(x, func(i int) { f.VDIVPS(x[i], one, x[i]) })
}

func (f *floats) truncate(x, _ []reg) { each(x, func(i int) { f.VCVTTPS2DQ(x[i], x[i]) }) }

// above leaves x where it is greater than y, and y elsewhere: what the machine's
// maximum does.
func (f *floats) above(x, y []reg) { each(x, func(i int) { f.VMAXPS(y[i], x[i], x[i]) }) }

// atMost leaves x but where y is less, which is what the machine's minimum does the other
// way round.
func (f *floats) atMost(x, y []reg) { each(x, func(i int) { f.VMINPS(x[i], y[i], x[i]) }) }

// atLeast leaves x but where y is greater.
func (f *floats) atLeast(x, y []reg) { each(x, func(i int) { f.VMAXPS(x[i], y[i], x[i]) }) }

// extremeOf is extreme of two vectors, in a register of its own.
func (f *floats) extremeOf(x, y reg, largest bool) reg {
	xs := []reg{x}
	f.extreme(xs, []reg{y}, largest)
	return xs[0]
}

// extreme is Go's max or min. The machine's answers its second operand if one
// is NaN or both are zero; so it is asked both ways. Where the answers differ,
// both are zeros, of which their conjunction is +0 unless both are -0, and their
// disjunction -0 unless both are +0; or one is NaN, and so is the sum.
func (f *floats) extreme(x, y []reg, largest bool) {
	one, other := make([]reg, len(x)), make([]reg, len(x))
	each(x, func(i int) {
		one[i], other[i] = f.vector(f.isa), f.vector(f.isa)
		if largest {
			f.VMAXPS(y[i], x[i], one[i])
			f.VMAXPS(x[i], y[i], other[i])
			f.VANDPS(other[i], one[i], one[i])
		} else {
			f.VMINPS(y[i], x[i], one[i])
			f.VMINPS(x[i], y[i], other[i])
			f.VORPS(other[i], one[i], one[i])
		}
	})
	const unordered = 3
	each(x, func(i int) {
		if f.isa == avx512 {
			k := f.K()
			f.VCMPPS(operand.U8(unordered), y[i], x[i], k)
			f.VADDPS(y[i], x[i], k, one[i])
		} else {
			f.VCMPPS(operand.U8(unordered), y[i], x[i], other[i])
			f.VADDPS(y[i], x[i], x[i])
			f.VBLENDVPS(other[i], x[i], one[i], one[i])
		}
		x[i] = one[i]
	})
}

// abs clears signs.
func (f *floats) abs(x, _ []reg) {
	magnitude := f.bits(signBit - 1)
	each(x, func(i int) { f.VANDPS(magnitude, x[i], x[i]) })
}

// neg turns signs.
func (f *floats) neg(x, _ []reg) {
	sign := f.bits(signBit)
	each(x, func(i int) { f.VXORPS(sign, x[i], x[i]) })
}

// rounded rounds to whole numbers.
func (f *floats) rounded(x []reg, way rounding) { each(x, func(i int) { f.round(x[i], way) }) }

// roundAway rounds to the nearest whole number, halves away from zero: it adds the
// greatest number below a half, so that only halves and more reach the next.
func (f *floats) roundAway(x, _ []reg) {
	sign, half := f.bits(signBit), f.value(0.49999997)
	each(x, func(i int) {
		near := f.vector(f.isa)
		f.VANDPS(sign, x[i], near)
		f.VORPS(half, near, near)
		f.VADDPS(near, x[i], x[i])
		f.round(x[i], towardZero)
	})
}

// relu leaves what is not less than or equal to zero.
func (f *floats) relu(x, _ []reg) {
	zero := f.zero(f.isa)
	const lessOrEqual = 18 // ordered, quiet
	each(x, func(i int) {
		if f.isa == avx512 {
			k := f.K()
			f.VCMPPS(operand.U8(lessOrEqual), zero, x[i], k)
			f.VMOVAPS(zero, k, x[i])
		} else {
			m := f.vector(f.isa)
			f.VCMPPS(operand.U8(lessOrEqual), zero, x[i], m)
			f.VANDNPS(x[i], m, x[i])
		}
	})
}
