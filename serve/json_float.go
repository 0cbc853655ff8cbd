package serve

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// longest is how many bytes a number takes at most, with a comma and a space in front.
const longest = 32

// appendFloats writes numbers of a line.
func appendFloats(b []byte, list []float32) []byte {
	const most = 1 << 10 // numbers for which there is room at a time
	for i, x := range list {
		if cap(b)-len(b) < longest {
			b = slices.Grow(b, longest*min(len(list)-i, most))
		}
		if i > 0 {
			b = append(b, ',', ' ')
		}
		if n := int32(x); float32(n) != x || n == 0 {
			if short, ok := appendShort(b, x); ok {
				b = short
				continue
			}
		}
		b = appendFloat(b, float64(x), 32)
	}
	return b
}

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
		if short, ok := appendShort(b, float32(x)); ok {
			return short
		}
	}
	from := len(b)
	b = strconv.AppendFloat(b, x, 'g', -1, size) // with as few digits as tell it apart
	all, normal := 17, 0x1p-1022
	if size == 32 {
		all, normal = 9, 0x1p-126
	}
	switch {
	case digits(b[from:]) > 6:
		b = strconv.AppendFloat(b[:from], x, 'g', all, size)
	case math.Abs(x) < normal: // or else these are the six: numbers are closer than those of six digits
		b = strconv.AppendFloat(b[:from], x, 'g', 6, size)
	}
	for _, c := range b[from:] {
		if c == '.' || c == 'e' {
			return b
		}
	}
	return append(b, ".0"...)
}

// digits counts the digits of a number, those of its exponent and zeros in front left out.
func digits(text []byte) (n int) {
	for _, c := range text {
		switch {
		case c == 'e':
			return n
		case c >= '1' && c <= '9', c == '0' && n > 0:
			n++
		}
	}
	return n
}

// exact are the powers of ten by which a float32 can be multiplied in a float64 without
// rounding: the product has 24 bits and those of 5^12.
var exact = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12}

// fives are powers of five of 64 bits.
var fives = func() (list [28]uint64) {
	list[0] = 1
	for i := range list[1:] {
		list[i+1] = 5 * list[i]
	}
	return list
}()

// tenths are negative powers of ten, the nearest to them. No float32 lies between one and
// the power.
var tenths = [...]float64{1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 1e-17, 1e-18, 1e-19}

// nine returns the nine digits nearest to a number between 1e-19 and 1e6, as a whole number
// and the power of ten of the first digit: n · 10^(power-8). Ties go to the even one.
func nine(f float32) (n uint32, power int) {
	x := float64(f)
	switch {
	case x >= 1e5:
		power = 5
	case x >= 1e4:
		power = 4
	case x >= 1e3:
		power = 3
	case x >= 1e2:
		power = 2
	case x >= 1e1:
		power = 1
	case x >= 1:
	default:
		// The power of two, times log10(2) and rounded down, is at most one too small.
		two := int(math.Float32bits(f)>>23) - 127
		power = two*19728>>16 + 1
		if x < tenths[-power] {
			power--
		}
	}
	places := 8 - power
	if places < len(exact) {
		n = uint32(math.RoundToEven(x * exact[places]))
	} else {
		// f is m·2^-e, and the number m·5^places·2^(places-e).
		bits32 := math.Float32bits(f)
		m, e := uint64(bits32&(1<<23-1)|1<<23), 150-int(bits32>>23)
		hi, lo := bits.Mul64(m, fives[places])
		shift := uint(e - places)
		whole, rest, half := hi<<(64-shift)|lo>>shift, lo<<(64-shift), uint64(1)<<63
		if rest > half || rest == half && whole&1 == 1 {
			whole++
		}
		n = uint32(whole)
	}
	if n == 1e9 {
		return 1e8, power + 1
	}
	return n, power
}

// pairs are the digits of the numbers below 100.
const pairs = "00010203040506070809" + "10111213141516171819" + "20212223242526272829" + "30313233343536373839" + "40414243444546474849" +
	"50515253545556575859" + "60616263646566676869" + "70717273747576777879" + "80818283848586878889" + "90919293949596979899"

// appendShort is appendFloat for numbers that are not whole, between 1e-19 and 1e6.
func appendShort(b []byte, f float32) ([]byte, bool) {
	if f < 0 {
		b, f = append(b, '-'), -f
	}
	if !(f >= 1.1e-19 && f < 1e6) {
		return b, false
	}
	n, power := nine(f)
	// A number of six digits that reads back the same is within half the distance of two
	// float32, which is less than 60 of the last of nine digits.
	if near := n % 1000; near < 64 || near > 1000-64 {
		six, at := (n+500)/1000, power
		if six == 1e6 {
			six, at = 1e5, power+1
		}
		short, ok := readsBack(six, 5-at, f)
		if !ok {
			return b, false
		}
		if short {
			n, power = six*1000, at
		}
	}
	if cap(b)-len(b) < longest {
		b = slices.Grow(b, longest)
	}
	// The digits, in their place if the first is that of ones.
	from := len(b)
	d := (*[longest]byte)(b[from : from+longest])
	at := 1
	switch {
	case power < -4:
		at = 0
	case power < 0:
		copy(d[:8], "0.000000")
		at = 1 - power
	}
	top := n / 1e8
	rest := n % 1e8
	high, low := rest/1e4, rest%1e4
	d[at] = byte('0' + top)
	put := func(i int, pair uint32) { d[i], d[i+1] = pairs[2*pair], pairs[2*pair+1] }
	put(at+1, high/100)
	put(at+3, high%100)
	last := at + 5
	if low > 0 {
		put(at+5, low/100)
		put(at+7, low%100)
		last = at + 9
	}
	for last > at+1 && d[last-1] == '0' {
		last--
	}
	switch {
	case power < -4:
		if last > 1 { // room for the point
			copy(d[2:last+1], d[1:last])
			d[1] = '.'
			last++
		}
		d[last], d[last+1], d[last+2], d[last+3] = 'e', '-', pairs[-2*power], pairs[-2*power+1]
		return b[:from+last+4], true
	case power < 0:
		return b[:from+last], true
	}
	// In front of the digits is a byte: those before the point move there.
	for i := range power + 1 {
		d[i] = d[i+1]
	}
	d[power+1] = '.'
	if last <= power+2 {
		for ; last < power+2; last++ { // zeros that were cut
			d[last-1] = '0'
		}
		d[power+2] = '0'
		return b[:from+power+3], true
	}
	return b[:from+last], true
}

// readsBack reports whether six·10^-places is read as a float32; ok is false if that is too
// close to tell.
func readsBack(six uint32, places int, f float32) (same, ok bool) {
	if places >= len(powers) {
		return false, false
	}
	x := float64(six)
	if places >= 0 {
		x /= powers[places]
	} else {
		x *= powers[-places]
	}
	return float32(x) == f, !middle(x)
}
