// Package plain makes text that others wrote safe to print.
//
// Names, strings and messages that come from a model may hold whatever their author
// likes: sequences that move a terminal's cursor, set its title or clear it, characters
// that reverse the direction of what follows, bytes that are no text. [Text] replaces
// them by escapes such as \x1b, and [Line] replaces line breaks and tabs too, for text
// that must stay within its line. [Writer] does the same to all that passes through.
//
// Text that needs no escape is returned unchanged. A backslash is not escaped, so an
// escape cannot be told from the same characters in the text: the result is for reading.
package plain

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Text returns s with every character escaped that is not printed as itself, other than
// line feeds and tabs.
func Text(s string) string { return escape(s, true) }

// Line returns s with every character escaped that is not printed as itself, line feeds
// and tabs included.
func Line(s string) string { return escape(s, false) }

// Name is Line of a name in a message: of one of more than a kilobyte the beginning, and
// its length.
func Name(s string) string {
	const most = 1 << 10
	if len(s) <= most {
		return Line(s)
	}
	end := most / 2
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d bytes)", Line(s[:end]), len(s))
}

func escape(s string, breaks bool) string {
	at := 0 // all before it is printed as it is
	for at < len(s) {
		r, n := utf8.DecodeRuneInString(s[at:])
		if !printed(r, n, breaks) {
			break
		}
		at += n
	}
	if at == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:at])
	for at < len(s) {
		r, n := utf8.DecodeRuneInString(s[at:])
		if printed(r, n, breaks) {
			b.WriteString(s[at : at+n])
		} else {
			writeEscape(&b, r, s[at:at+n])
		}
		at += n
	}
	return b.String()
}

// printed reports whether a character of n bytes is printed as it is.
func printed(r rune, n int, breaks bool) bool {
	switch {
	case r >= ' ' && r < 0x7f:
		return true
	case r == '\n' || r == '\t':
		return breaks
	case r == utf8.RuneError:
		return n > 1 // else it is a byte that is no text
	case r == zeroWidthNonJoiner || r == zeroWidthJoiner:
		return true
	}
	return r > 0x9f && unicode.IsGraphic(r)
}

// Joiners are needed to write Persian, several scripts of India, and emoji. They change
// the shape of the characters next to them and nothing else.
const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// writeEscape writes a character as an escape. Those that an encoder of JSON leaves in a
// string become an escape of JSON, so that a JSON text remains one, of the same value.
func writeEscape(b *strings.Builder, r rune, raw string) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == utf8.RuneError:
		fmt.Fprintf(b, `\x%02x`, raw[0])
	case r < ' ':
		fmt.Fprintf(b, `\x%02x`, r)
	case r > 0xffff:
		r -= 0x10000
		fmt.Fprintf(b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}

// A Writer writes what passes through it as [Text]. It is safe for concurrent use.
type Writer struct {
	w    io.Writer
	mu   sync.Mutex
	left []byte // of a character that has begun
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Unwrap returns the writer below, for what is not text.
func (p *Writer) Unwrap() io.Writer { return p.w }

// Write writes b, and keeps a character whose end is still to come.
func (p *Writer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := b
	if len(p.left) > 0 {
		text = append(p.left, b...)
		p.left = nil
	}
	if whole := wholeCharacters(text); whole < len(text) {
		p.left = append([]byte(nil), text[whole:]...)
		text = text[:whole]
	}
	if len(text) == 0 {
		return len(b), nil
	}
	if _, err := io.WriteString(p.w, Text(string(text))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush writes what is left of a character whose end did not come.
func (p *Writer) Flush() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.left) == 0 {
		return nil
	}
	_, err := io.WriteString(p.w, Text(string(p.left)))
	p.left = nil
	return err
}

// wholeCharacters returns the length of b without a character at its end that may go on.
func wholeCharacters(b []byte) int {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}
