package tensor

import (
	"math"
	"strconv"
	"strings"
)

// FloatAt returns element i of a floating-point tensor.
func (t *Tensor) FloatAt(i int) float64 {
	switch t.dtype {
	case Float:
		return float64(elems[float32](t)[i])
	case Double:
		return elems[float64](t)[i]
	case Half:
		return float64(elems[Float16](t)[i].Float32())
	case Bfloat16:
		return float64(elems[BFloat16](t)[i].Float32())
	}
	return float64(Float8Value(t.dtype, elems[uint8](t)[i]))
}

// ComplexAt returns element i of a complex tensor.
func (t *Tensor) ComplexAt(i int) complex128 {
	if t.dtype == Complex64 {
		return complex128(elems[complex64](t)[i])
	}
	return elems[complex128](t)[i]
}

// shortest is x, a value of dtype dt, in the shortest decimal digits that no
// other value of dt is nearer to; format is 'e' or 'f'.
func shortest(x float64, dt DType, format byte) string {
	switch dt {
	case Float:
		return strconv.FormatFloat(x, format, -1, 32)
	case Half:
		for digits := 0; digits < 5; digits++ {
			s := strconv.FormatFloat(x, 'e', digits, 64)
			if y, _ := strconv.ParseFloat(s, 32); float64(ToFloat16(float32(y)).Float32()) == x {
				y, _ = strconv.ParseFloat(s, 64)
				return strconv.FormatFloat(y, format, -1, 64)
			}
		}
	}
	return strconv.FormatFloat(x, format, -1, 64)
}

// digitsAfterPoint returns how many digits s has between its point and its exponent.
func digitsAfterPoint(s string) int {
	s, _, _ = strings.Cut(s, "e")
	_, frac, _ := strings.Cut(s, ".")
	return len(frac)
}

// atMost is shortest with no more than precision digits after the point, and a
// point always.
func atMost(x float64, dt DType, format byte, precision int) string {
	s := shortest(x, dt, format)
	if digitsAfterPoint(s) > precision {
		s = strconv.FormatFloat(x, format, precision, 64)
		head, exp, scientific := strings.Cut(s, "e")
		s = strings.TrimRight(head, "0")
		if scientific {
			s += "e" + exp
		}
	}
	if head, exp, scientific := strings.Cut(s, "e"); !strings.Contains(head, ".") {
		s = head + "."
		if scientific {
			s += "e" + exp
		}
	}
	return s
}

// floats decides how count values of dtype dt print together, and gives the
// function that prints the value of an element. With plus, positive numbers
// have their sign.
func (p Printer) floats(dt DType, count int, value func(k int) float64, plus bool, at func(i int) float64) func(i int) string {
	signed := func(x float64, s string) string {
		if plus && s[0] != '-' {
			return "+" + s
		}
		return s
	}

	smallest, largest, finite, nonFinite, negInf := math.Inf(1), 0.0, 0, false, plus
	for k := range count {
		switch x := value(k); {
		case math.IsNaN(x):
			nonFinite = true
		case math.IsInf(x, 0):
			nonFinite = true
			negInf = negInf || x < 0
		default:
			finite++
			if x != 0 {
				smallest, largest = min(smallest, math.Abs(x)), max(largest, math.Abs(x))
			}
		}
	}
	format, precision := byte('f'), p.Precision
	if largest > 0 && scientific(smallest, largest, dt) {
		format = 'e'
	}

	left, right, expSize := 0, 0, 0
	for k := range count {
		x := value(k)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		head, exp, _ := strings.Cut(signed(x, atMost(x, dt, format, precision)), "e")
		whole, frac, _ := strings.Cut(head, ".")
		left, right, expSize = max(left, len(whole)), max(right, len(frac)), max(expSize, len(exp))
	}
	if finite > 0 && format == 'e' {
		precision = right
		right += 1 + expSize // what follows the point
	}
	if nonFinite {
		left = max(left, 3-right-1)
		if negInf {
			left = max(left, 4-right-1)
		}
	}

	pad := func(s string) string {
		whole, rest, _ := strings.Cut(s, ".")
		return strings.Repeat(" ", max(left-len(whole), 0)) + s + strings.Repeat(" ", max(right-len(rest), 0))
	}
	return func(i int) string {
		x := at(i)
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
			s := signed(x, nonFiniteText(x))
			return strings.Repeat(" ", max(left+right+1-len(s), 0)) + s
		case format == 'f':
			return pad(signed(x, atMost(x, dt, 'f', precision)))
		}
		// The exact digits of a power of two, cut off, may be those of the number
		// below it, so those that tell it from its neighbours go first.
		s := atMost(x, dt, 'e', precision)
		if digitsAfterPoint(s) < precision {
			s = strconv.FormatFloat(x, 'e', precision, 64)
		}
		head, exp, _ := strings.Cut(signed(x, s), "e")
		if precision == 0 && !strings.HasSuffix(head, ".") {
			head += "."
		}
		if n := expSize - len(exp); n > 0 {
			exp = exp[:1] + strings.Repeat("0", n) + exp[1:]
		}
		return pad(head + "e" + exp)
	}
}

// scientific reports whether values between smallest and largest, both positive,
// are printed with an exponent. Arithmetic is dt's, as in NumPy.
func scientific(smallest, largest float64, dt DType) bool {
	switch dt {
	case Half:
		return largest >= 1e3 || smallest < float64(ToFloat16(1e-4).Float32()) ||
			ToFloat16(float32(largest/smallest)).Float32() > 1000
	case Float:
		return largest >= 1e6 || float32(smallest) < float32(1e-4) || float32(largest)/float32(smallest) > 1000
	}
	return largest >= 1e8 || smallest < 1e-4 || largest/smallest > 1000
}

func nonFiniteText(x float64) string {
	switch {
	case x != x:
		return "nan"
	case x < 0:
		return "-inf"
	}
	return "inf"
}

// scalarFloat returns a lone value of dtype dt: in full, with an exponent where it
// is small or, for its type, large. With point, an integer has ".0".
func scalarFloat(x float64, dt DType, point bool) string {
	if x != x || math.IsInf(x, 0) {
		return nonFiniteText(x)
	}
	limit := 1e16
	switch dt {
	case Half:
		limit = 1e3
	case Float:
		limit = 1e6
	}
	if a := math.Abs(x); a != 0 && (a < 1e-4 || a >= limit) {
		return shortest(x, dt, 'e')
	}
	s := shortest(x, dt, 'f')
	if point && !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// scalarComplex returns a lone value whose parts are of dtype part.
func scalarComplex(x complex128, part DType) string {
	im := scalarFloat(imag(x), part, false) + "j"
	if real(x) == 0 && !math.Signbit(real(x)) {
		return im
	}
	if im[0] != '-' {
		im = "+" + im
	}
	return "(" + scalarFloat(real(x), part, false) + im + ")"
}

// shortFloat is x with at most six digits, as C's %g: what the types print
// that NumPy knows from elsewhere.
func shortFloat(x float64) string {
	if x != x || math.IsInf(x, 0) {
		return nonFiniteText(x)
	}
	s := strconv.FormatFloat(x, 'e', 5, 64)
	_, e, _ := strings.Cut(s, "e")
	exp, _ := strconv.Atoi(e)
	if exp < -4 || exp >= 6 {
		head, exp, _ := strings.Cut(s, "e")
		return strings.TrimRight(strings.TrimRight(head, "0"), ".") + "e" + exp
	}
	s = strconv.FormatFloat(x, 'f', 5-exp, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
