package strings

import (
	"strings"
	"unicode"
	"unsafe"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("StringUpper").
		Input("input: string").Output("output: string").
		Attr("encoding: string = ''").
		Doc(`Converts letters to upper case.

encoding: "utf-8" for all of Unicode; empty for ASCII letters only.`)
	registry.Define("StringLower").
		Input("input: string").Output("output: string").
		Attr("encoding: string = ''").
		Doc(`Converts letters to lower case.

encoding: "utf-8" for all of Unicode; empty for ASCII letters only.`)
	kernel.ForAll(newCase(upperASCII, upper), "StringUpper")
	kernel.ForAll(newCase(lowerASCII, lower), "StringLower")
}

func newCase(ascii, all func(string) string) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		f := ascii
		switch encoding := c.Str("encoding"); encoding {
		case "":
		case "utf-8":
			f = all
		default:
			return nil, c.Errorf("only utf-8 or '' (no encoding) is supported, received %s", encoding)
		}
		return &text{func(s string) (string, error) { return f(s), nil }, 6}, nil
	}
}

func upperASCII(s string) string { return mapASCII(s, 'a', 'z') }
func lowerASCII(s string) string { return mapASCII(s, 'A', 'Z') }

// mapASCII changes the case of the letters from lo to hi.
func mapASCII(s string, lo, hi byte) string {
	if s == "" {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if lo <= c && c <= hi {
			b[i] = c ^ 0x20
		}
	}
	return unsafe.String(&b[0], len(b)) // nobody else has b
}

// upper maps s as Unicode's full case mapping does, which may make a letter
// several.
func upper(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for r := range runes(s) {
		if more, ok := specialUpper[r]; ok {
			b.WriteString(more)
		} else {
			b.WriteRune(unicode.ToUpper(r))
		}
	}
	return b.String()
}

// lower maps s as Unicode's full case mapping does; a sigma at the end of a
// word has a form of its own.
func lower(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	inWord := false // a cased letter came before, and nothing but ignorable characters since
	at := 0
	for r, n := range runes(s) {
		at += n
		switch {
		case r == 'İ':
			b.WriteString("i\u0307")
		case r == 'Σ' && inWord && !wordGoesOn(s[at:]):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		inWord = cased(r) || inWord && ignorable(r)
	}
	return b.String()
}

// wordGoesOn reports whether a cased letter comes next in s, but for ignorable
// characters.
func wordGoesOn(s string) bool {
	for r := range runes(s) {
		if cased(r) {
			return true
		}
		if !ignorable(r) {
			return false
		}
	}
	return false
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

func ignorable(r rune) bool {
	switch r {
	case '\'', '.', ':', '\u00b7', '\u0387', '\u055f', '\u05f4', '\u2018', '\u2019', '\u2024', '\u2027',
		'\ufe13', '\ufe52', '\ufe55', '\uff07', '\uff0e', '\uff1a':
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

// specialUpper is the letters whose capitals are several, as Unicode's
// SpecialCasing lists them.
var specialUpper = map[rune]string{
	'ß': "SS", 'ŉ': "ʼN", 'ǰ': "J\u030c", 'ΐ': "Ι\u0308\u0301", 'ΰ': "Υ\u0308\u0301", 'և': "ԵՒ",
	'ẖ': "H\u0331", 'ẗ': "T\u0308", 'ẘ': "W\u030a", 'ẙ': "Y\u030a", 'ẚ': "Aʾ",
	'ﬀ': "FF", 'ﬁ': "FI", 'ﬂ': "FL", 'ﬃ': "FFI", 'ﬄ': "FFL", 'ﬅ': "ST", 'ﬆ': "ST",
	'ﬓ': "ՄՆ", 'ﬔ': "ՄԵ", 'ﬕ': "ՄԻ", 'ﬖ': "ՎՆ", 'ﬗ': "ՄԽ",
	'ὐ': "Υ\u0313", 'ὒ': "Υ\u0313\u0300", 'ὔ': "Υ\u0313\u0301", 'ὖ': "Υ\u0313\u0342",
	'ᾶ': "Α\u0342", 'ῆ': "Η\u0342", 'ῖ': "Ι\u0342", 'ῦ': "Υ\u0342", 'ῶ': "Ω\u0342",
	'ῒ': "Ι\u0308\u0300", '\u1fd3': "Ι\u0308\u0301", 'ῗ': "Ι\u0308\u0342",
	'ῢ': "Υ\u0308\u0300", '\u1fe3': "Υ\u0308\u0301", 'ῧ': "Υ\u0308\u0342", 'ῤ': "Ρ\u0313",
	'ᾳ': "ΑΙ", 'ᾼ': "ΑΙ", 'ῃ': "ΗΙ", 'ῌ': "ΗΙ", 'ῳ': "ΩΙ", 'ῼ': "ΩΙ",
	'ᾲ': "\u1fbaΙ", 'ᾴ': "ΆΙ", 'ῂ': "\u1fcaΙ", 'ῄ': "ΉΙ", 'ῲ': "\u1ffaΙ", 'ῴ': "ΏΙ",
	'ᾷ': "Α\u0342Ι", 'ῇ': "Η\u0342Ι", 'ῷ': "Ω\u0342Ι",
}

func init() {
	// Greek vowels with breathings, each with a small or large iota beside it.
	for _, block := range []struct{ first, capital rune }{{0x1f80, 0x1f08}, {0x1f90, 0x1f28}, {0x1fa0, 0x1f68}} {
		for i := range rune(8) {
			both := string(block.capital+i) + "Ι"
			specialUpper[block.first+i], specialUpper[block.first+8+i] = both, both
		}
	}
}
