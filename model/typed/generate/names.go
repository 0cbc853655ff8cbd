package generate

import (
	"go/token"
	"strconv"
	"strings"
	"unicode"
)

// longest is how many letters an identifier has at most.
const longest = 60

// identifier returns an exported identifier for a name: its letters and digits, each word with
// a capital. It is "X" with digits or letters of scripts without capitals behind it, and "X"
// alone where nothing is left.
func identifier(name string) string {
	var b strings.Builder
	start, digit, n := true, false, 0
	for _, r := range strings.ToValidUTF8(name, "") {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			start = true
			continue
		}
		if n++; n > longest {
			break
		}
		if start {
			if digit && unicode.IsDigit(r) { // "1_2" is not 12
				b.WriteByte('_')
			}
			r = unicode.ToUpper(r)
		}
		start, digit = false, unicode.IsDigit(r)
		b.WriteRune(r)
	}
	id := b.String()
	if !token.IsExported(id) {
		id = "X" + id
	}
	if !token.IsIdentifier(id) {
		return "X"
	}
	return id
}

// A scope gives names identifiers, each its own.
type scope map[string]bool

func (s scope) add(name string) string {
	id := identifier(name)
	for i := 2; s[id]; i++ {
		id = identifier(name) + "_" + strconv.Itoa(i)
	}
	s[id] = true
	return id
}

// quote returns a name for a comment: as it is if it is a plain word, and quoted otherwise.
func quote(name string) string {
	for _, r := range name {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '/' && r != '.' && r != '-' && r != ':' {
			return shortened(strconv.Quote(name))
		}
	}
	if name == "" {
		return `""`
	}
	return shortened(name)
}

// shortened cuts what would make a comment unreadable.
func shortened(text string) string {
	const most = 200
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
