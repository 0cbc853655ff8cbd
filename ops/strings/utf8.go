package strings

import (
	"iter"
	"unicode/utf8"
)

// decode returns the first character of s, which is not empty, and how many bytes
// it takes. What is malformed counts as one character for each longest
// beginning of a well-formed one (Unicode 16, section 3.9), else each byte.
func decode(s string) (r rune, size int, ok bool) {
	if r, size = utf8.DecodeRuneInString(s); r != utf8.RuneError || size > 1 {
		return r, size, true
	}
	lo, hi, more := byte(0x80), byte(0xbf), 0
	switch c := s[0]; {
	case c >= 0xc2 && c <= 0xdf:
		more = 1
	case c == 0xe0:
		lo, more = 0xa0, 2
	case c == 0xed:
		hi, more = 0x9f, 2
	case c >= 0xe1 && c <= 0xef:
		more = 2
	case c == 0xf0:
		lo, more = 0x90, 3
	case c >= 0xf1 && c <= 0xf3:
		more = 3
	case c == 0xf4:
		hi, more = 0x8f, 3
	}
	for size = 1; size <= more && size < len(s) && lo <= s[size] && s[size] <= hi; size++ {
		lo, hi = 0x80, 0xbf
	}
	return utf8.RuneError, size, false
}

// runes returns the characters of s with the bytes that each takes; U+FFFD for what
// is malformed.
func runes(s string) iter.Seq2[rune, int] {
	return func(yield func(rune, int) bool) {
		for len(s) > 0 {
			r, size, _ := decode(s)
			if !yield(r, size) {
				return
			}
			s = s[size:]
		}
	}
}

// begins reports whether a character begins with c, in text that is not looked at
// more closely: that is anywhere but in the middle.
func begins(c byte) bool { return c&0xc0 != 0x80 }

// characters returns how many characters begin in s.
func characters(s string) int {
	n := 0
	for i := range len(s) {
		if begins(s[i]) {
			n++
		}
	}
	return n
}
