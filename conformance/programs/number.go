package programs

import (
	"fmt"
	"math"

	"github.com/troupe-go/troupe/tensor"
)

// A number is an element of an array of any type: i holds integers (the bits of
// a uint64) and bools, re floats of all sizes, re and im complex numbers.
type number struct {
	i      int64
	re, im float64
	slope  slope // of a float, where the program is evaluated with dual numbers
}

// An unclear is panicked with where the answer is not determined, or not
// exactly: programs that come there are passed over.
type unclear string

// bits returns the size of an integer type.
func bits(dt tensor.DType) uint { return uint(8 * dt.Size()) }

// fit brings the exact result of an operation into its type: integers wrap
// around, floats are rounded to nearest, ties to even.
func fit(dt tensor.DType, x number) number {
	switch {
	case dt == tensor.Bool:
		return number{i: x.i}
	case isInt(dt):
		return number{i: wrap(dt, x.i)}
	case isComplex(dt):
		return number{re: round(part(dt), x.re), im: round(part(dt), x.im)}
	}
	return number{re: round(dt, x.re)}
}

// part returns the type of the parts of a complex type.
func part(dt tensor.DType) tensor.DType {
	if dt == tensor.Complex64 {
		return tensor.Float
	}
	return tensor.Double
}

func wrap(dt tensor.DType, x int64) int64 {
	drop := 64 - bits(dt)
	if isUnsigned(dt) {
		return int64(uint64(x) << drop >> drop)
	}
	return x << drop >> drop
}

// round rounds to a float type. The double result of one operation on two
// numbers of a narrower type has more than twice its digits, so that rounding
// it again is as rounding the exact one.
func round(dt tensor.DType, x float64) float64 {
	switch dt {
	case tensor.Double:
		return x
	case tensor.Float:
		return float64(float32(x))
	case tensor.Half:
		return roundTo(x, 11, -24, 65504)
	case tensor.Bfloat16:
		return roundTo(x, 8, -133, 0xff*math.Pow(2, 120))
	}
	panic(fmt.Sprintf("programs: no float type %v", dt))
}

// roundTo rounds to that many binary digits, and to multiples of 2^least.
func roundTo(x float64, digits, least int, most float64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	_, exp := math.Frexp(x)
	unit := max(exp-digits, least)
	x = math.Ldexp(math.RoundToEven(math.Ldexp(x, -unit)), unit)
	if math.Abs(x) > most {
		return math.Inf(int(math.Copysign(1, x)))
	}
	return x
}

// sum and times add and multiply, and must be exact for floats: then the order
// of several does not matter.
func sum(dt tensor.DType, x, y number) number {
	if isInt(dt) {
		return fit(dt, number{i: x.i + y.i})
	}
	return number{re: exactSum(dt, x.re, y.re), im: exactSum(dt, x.im, y.im), slope: x.slope.plus(1, y.slope, 1)}
}

func exactProduct(dt tensor.DType, x, y number) number {
	if isInt(dt) {
		return fit(dt, number{i: x.i * y.i})
	}
	z := x.re * y.re
	if math.FMA(x.re, y.re, -z) != 0 {
		panic(unclear("an inexact product"))
	}
	return number{re: exact(dt, z), slope: product2(x, y)}
}

func exactSum(dt tensor.DType, x, y float64) float64 {
	z := x + y
	if d := z - x; (x-(z-d))+(y-d) != 0 { // Knuth's error of a sum
		panic(unclear("an inexact sum"))
	}
	return exact(dt, z)
}

// exact returns a number that a float type holds, or a part of a complex one.
func exact(dt tensor.DType, z float64) float64 {
	if isComplex(dt) {
		dt = part(dt)
	}
	if round(dt, z) != z || math.IsInf(z, 0) {
		panic(unclear("an inexact sum or product"))
	}
	return z
}

// same compares two elements of a type; zeros are equal, and NaNs.
func same(a, b number) bool {
	eq := func(x, y float64) bool { return x == y || x != x && y != y }
	return a.i == b.i && eq(a.re, b.re) && eq(a.im, b.im)
}

// less compares two real numbers of a type.
func less(dt tensor.DType, a, b number) bool {
	switch {
	case isUnsigned(dt):
		return uint64(a.i) < uint64(b.i)
	case isFloat(dt):
		return a.re < b.re
	}
	return a.i < b.i
}

func truth(b bool) number {
	if b {
		return number{i: 1}
	}
	return number{}
}

// clear panics where a NaN, whose treatment differs, goes into an operation.
func clearOf(xs ...number) {
	for _, x := range xs {
		if math.IsNaN(x.re) || math.IsNaN(x.im) {
			panic(unclear("NaN"))
		}
	}
}

// of returns a small integer as an element of that type.
func of(dt tensor.DType, x float64) number {
	if isInt(dt) || dt == tensor.Bool {
		return fit(dt, number{i: int64(x)})
	}
	return fit(dt, number{re: x})
}

// text returns how programs print an element.
func (x number) text(dt tensor.DType) string {
	switch {
	case dt == tensor.Bool:
		return fmt.Sprint(x.i != 0)
	case isUnsigned(dt):
		return fmt.Sprint(uint64(x.i))
	case isInt(dt):
		return fmt.Sprint(x.i)
	case isComplex(dt):
		return fmt.Sprint(complex(x.re, x.im))
	}
	return fmt.Sprint(x.re)
}

// halfBits encodes a float that is a half.
func halfBits(x float64) uint16 {
	sign := uint16(0)
	if math.Signbit(x) {
		sign, x = 0x8000, -x
	}
	switch {
	case x == 0:
		return sign
	case math.IsNaN(x):
		return 0x7e00
	case math.IsInf(x, 0):
		return sign | 0x7c00
	}
	if _, exp := math.Frexp(x); exp > -14 { // normal: 1.m * 2^(exp-1)
		return sign | uint16(exp-1+15)<<10 | uint16(math.Ldexp(x, 11-exp))&0x3ff
	}
	return sign | uint16(math.Ldexp(x, 24))
}

func halfValue(b uint16) float64 {
	m, exp := float64(b&0x3ff), int(b>>10&31)
	x := math.Ldexp(m, -24)
	switch {
	case exp == 31 && m != 0:
		return math.NaN()
	case exp == 31:
		x = math.Inf(1)
	case exp > 0:
		x = math.Ldexp(m+1024, exp-25)
	}
	if b&0x8000 != 0 {
		return -x
	}
	return x
}
