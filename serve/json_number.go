package serve

import (
	"math"
	"strconv"
)

// powers are those of ten that a float64 holds.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// decimal reads a number of few digits, behind which something follows that ends it: a
// whole number below 2^53 and a power of ten up to 10^22 are exact, so one division or
// multiplication rounds correctly (Clinger, "How to Read Floating Point Numbers
// Accurately", 1990). It stays where it is, and returns false, at anything else.
func (c *cursor) decimal() (float64, bool) {
	c.peek()
	x, i, ok := decimalAt(c.b, c.i)
	if ok {
		c.i = i
	}
	return x, ok
}

// decimalAt is decimal at an offset, and returns the one behind the number.
func decimalAt(b []byte, i int) (x float64, end int, ok bool) {
	n, e := uint64(0), 0
	negative := i < len(b) && b[i] == '-'
	if negative {
		i++
	}
	first := i
	for ; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		n = n*10 + uint64(b[i]-'0')
	}
	const most = 15 // digits
	if i == first || i > first+most || b[first] == '0' && i > first+1 {
		return 0, i, false
	}
	if i < len(b) && b[i] == '.' {
		point := i
		for i++; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
			n = n*10 + uint64(b[i]-'0')
		}
		if e = point + 1 - i; e == 0 || i > first+most+3 || n >= 1<<53 {
			return 0, i, false
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		down := i < len(b) && b[i] == '-'
		if i < len(b) && (b[i] == '-' || b[i] == '+') {
			i++
		}
		from, x := i, 0
		for ; i < len(b) && b[i] >= '0' && b[i] <= '9' && i < from+3; i++ {
			x = x*10 + int(b[i]-'0')
		}
		if i == from {
			return 0, i, false
		}
		if down {
			x = -x
		}
		e += x
	}
	if i == len(b) || e >= len(powers) || -e >= len(powers) {
		return 0, i, false
	}
	switch b[i] {
	case ',', ']', ' ', '\n', '\r', '\t', '}':
	default:
		return 0, i, false
	}
	x = float64(n)
	if e < 0 {
		x /= powers[-e]
	} else {
		x *= powers[e]
	}
	if negative {
		x = -x
	}
	return x, i, true
}

// middle reports whether a float64 may be the middle of two float32, so that rounding it
// is not rounding what it was rounded from.
func middle(x float64) bool { return math.Float64bits(x)<<35 == 1<<63 }

func float32Of(c *cursor) (float32, bool) {
	from := c.i
	if x, ok := c.decimal(); ok && !middle(x) {
		return float32(x), true
	}
	c.i = from
	x, ok := parseFloat(c.word(), 32)
	return float32(x), ok
}

func float64Of(c *cursor) (float64, bool) {
	if x, ok := c.decimal(); ok {
		return x, true
	}
	return parseFloat(c.word(), 64)
}

// follows returns the offset of what follows a comma and perhaps a space; -1 if there is none.
func follows(b []byte, i int) int {
	switch {
	case i+1 >= len(b) || b[i] != ',':
		return -1
	case b[i+1] == ' ':
		return i + 2
	}
	return i + 1
}

func float32sOf(c *cursor, to []float32) []float32 {
	for at := follows(c.b, c.i); at >= 0; at = follows(c.b, c.i) {
		x, end, ok := decimalAt(c.b, at)
		if !ok || middle(x) {
			break
		}
		to, c.i = append(to, float32(x)), end
	}
	return to
}

func float64sOf(c *cursor, to []float64) []float64 {
	for at := follows(c.b, c.i); at >= 0; at = follows(c.b, c.i) {
		x, end, ok := decimalAt(c.b, at)
		if !ok {
			break
		}
		to, c.i = append(to, x), end
	}
	return to
}

func parseFloat(w []byte, size int) (float64, bool) {
	if !isNumber(w) {
		return 0, false
	}
	switch string(w) {
	case "NaN":
		return math.NaN(), true
	case "Infinity", "Inf":
		return math.Inf(1), true
	case "-Infinity", "-Inf":
		return math.Inf(-1), true
	}
	x, err := strconv.ParseFloat(string(w), size)
	return x, err == nil || !math.IsNaN(x) // beyond the range it is infinite
}

// digits reads a number; "" if it is none.
func (c *cursor) digits() string {
	w := c.word()
	if !isNumber(w) {
		return ""
	}
	return string(w)
}

// narrowOf reads a whole number of 32 bits, of which a narrower type takes the lowest.
func narrowOf[T int8 | int16 | int32 | uint8](c *cursor) (T, bool) {
	n, err := strconv.ParseInt(c.digits(), 10, 32)
	return T(n), err == nil
}
