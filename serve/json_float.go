package serve

import (
	"math"
	"strconv"
)

// appendFloat writes a number with six digits if that reads back the same, or else with
// as many as tell all numbers of its size apart. Whole numbers end in ".0".
func appendFloat(b []byte, x float64, size int) []byte {
	switch {
	case math.IsNaN(x):
		return append(b, "NaN"...)
	case math.IsInf(x, 1):
		return append(b, "Infinity"...)
	case math.IsInf(x, -1):
		return append(b, "-Infinity"...)
	}
	const most = 1e6 // from here on whole numbers of six digits have an exponent
	if n := int64(x); float64(n) == x && n > -most && n < most && (n != 0 || !math.Signbit(x)) {
		return append(strconv.AppendInt(b, n, 10), ".0"...)
	}
	if size == 32 {
		if short, ok := appendFixed(b, float32(x)); ok {
			return short
		}
	}
	from := len(b)
	b = strconv.AppendFloat(b, x, 'e', -1, size) // with as few digits as tell it apart
	digits := 0
	for _, c := range b[from:] {
		if c == 'e' {
			break
		}
		if c >= '0' && c <= '9' {
			digits++
		}
	}
	switch {
	case digits <= 6:
		digits = 6
	case size == 64:
		digits = 17
	default:
		digits = 9
	}
	b = strconv.AppendFloat(b[:from], x, 'g', digits, size)
	for _, c := range b[from:] {
		if c == '.' || c == 'e' {
			return b
		}
	}
	return append(b, ".0"...)
}

// exact are the powers of ten by which a float32 can be multiplied in a float64 without
// rounding: the product has 24 bits and those of 5^12.
var exact = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12}

// appendFixed is appendFloat for numbers that are not whole and need no exponent, between
// 1e-4 and 1e6: nine digits are the nearest whole number to an exact product.
func appendFixed(b []byte, f float32) ([]byte, bool) {
	x := math.Abs(float64(f))
	if !(x >= 1e-4 && x < 1e6) {
		return b, false
	}
	places := 8 // behind the point, of nine digits
	switch {
	case x >= 1e5:
		places = 3
	case x >= 1e4:
		places = 4
	case x >= 1e3:
		places = 5
	case x >= 1e2:
		places = 6
	case x >= 1e1:
		places = 7
	case x >= 1:
	case x >= 1e-1:
		places = 9
	case x >= 1e-2:
		places = 10
	case x >= 1e-3:
		places = 11
	default:
		places = 12
	}
	n := uint64(math.RoundToEven(x * exact[places]))
	six := math.RoundToEven(x * exact[places-3])
	near := six / exact[places-3]
	if middle(near) {
		return b, false
	}
	if float64(float32(near)) == x {
		n, places = uint64(six), places-3
	}
	if f < 0 {
		b = append(b, '-')
	}
	for places > 0 && n%10 == 0 {
		n /= 10
		places--
	}
	unit := uint64(exact[places])
	b = append(strconv.AppendUint(b, n/unit, 10), '.')
	if places == 0 {
		return append(b, '0'), true
	}
	from := len(b)
	b = append(b, "000000000000"[:places]...)
	for i, rest := len(b)-1, n%unit; i >= from && rest > 0; i-- {
		b[i] += byte(rest % 10)
		rest /= 10
	}
	return b, true
}
