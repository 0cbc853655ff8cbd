package registry

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/troupe-go/troupe/status"
)

// A scanner reads the text of values and definitions. White space separates
// tokens and means nothing else.
type scanner struct {
	text  string
	at    int
	depth int // of nested values
}

// of adds to an error of the scanner which text it is about.
func (s *scanner) of(err error) error {
	if err == nil {
		return nil
	}
	return status.Within(err, "text %s", quote(clip(s.text)))
}

// errorf returns an error at the present place.
func (s *scanner) errorf(format string, args ...any) error {
	return status.Invalid("%s (character %d)", fmt.Sprintf(format, args...), s.at)
}

// clip shortens a text for a message.
func clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}

func (s *scanner) skipSpace() {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
}

// done reports whether only white space is left.
func (s *scanner) done() bool {
	s.skipSpace()
	return s.at == len(s.text)
}

// rest returns what is left, for messages.
func (s *scanner) rest() string {
	s.skipSpace()
	if s.at == len(s.text) {
		return "the end"
	}
	return quote(clip(s.text[s.at:]))
}

// peek reports whether token comes next.
func (s *scanner) peek(token string) bool {
	s.skipSpace()
	return strings.HasPrefix(s.text[s.at:], token)
}

// eat reads token if it comes next.
func (s *scanner) eat(token string) bool {
	if !s.peek(token) {
		return false
	}
	s.at += len(token)
	return true
}

// expect reads token or fails.
func (s *scanner) expect(token string) error {
	if !s.eat(token) {
		return s.errorf("expected '%s', found %s", token, s.rest())
	}
	return nil
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// word reads a letter or '_' followed by letters, digits and '_'; "" if none
// comes next.
func (s *scanner) word() string {
	s.skipSpace()
	end := s.at
	for end < len(s.text) {
		c := s.text[end]
		if !isLetter(c) && c != '_' && (end == s.at || !isDigit(c)) {
			break
		}
		end++
	}
	w := s.text[s.at:end]
	s.at = end
	return w
}

// peekWord returns the word that comes next, which stays unread.
func (s *scanner) peekWord() string {
	at := s.at
	w := s.word()
	s.at = at
	return w
}

// eatWord reads w if it is the word that comes next.
func (s *scanner) eatWord(w string) bool {
	if s.peekWord() != w {
		return false
	}
	s.word()
	return true
}

// number reads what a number can consist of.
func (s *scanner) number() string {
	s.skipSpace()
	end := s.at
	for end < len(s.text) {
		c := s.text[end]
		if !isLetter(c) && !isDigit(c) && strings.IndexByte("+-._", c) < 0 {
			break
		}
		end++
	}
	w := s.text[s.at:end]
	s.at = end
	return w
}

// integer reads an int64, decimal or with Go's prefix of another base.
func (s *scanner) integer() (int64, error) {
	at := s.at
	w := s.number()
	if v, err := strconv.ParseInt(w, 0, 64); err == nil {
		return v, nil
	}
	s.at = at
	return 0, s.errorf("expected an integer, found %s", s.rest())
}

// quoted reports whether a quoted string comes next.
func (s *scanner) quoted() bool { return s.peek(`"`) || s.peek("'") }

// str reads a string in single or double quotes, with the escapes of C.
func (s *scanner) str() (string, error) {
	start := s.at
	if !s.quoted() {
		return "", s.errorf("expected a quoted string, found %s", s.rest())
	}
	mark := s.text[s.at]
	s.at++
	var b []byte
	for s.at < len(s.text) && s.text[s.at] != mark {
		if s.text[s.at] != '\\' {
			b = append(b, s.text[s.at])
			s.at++
			continue
		}
		var ok bool
		if b, ok = s.escape(b); !ok {
			return "", s.errorf("unknown escape in a string")
		}
	}
	if s.at == len(s.text) {
		s.at = start
		return "", s.errorf("a string is not closed")
	}
	s.at++
	return string(b), nil
}

// strs reads quoted strings that follow each other as one, as C does.
func (s *scanner) strs() (string, error) {
	text, err := s.str()
	if err != nil || !s.quoted() {
		return text, err
	}
	parts := []string{text}
	for s.quoted() {
		if text, err = s.str(); err != nil {
			return "", err
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ""), nil
}

// escape reads an escape sequence and appends what it stands for.
func (s *scanner) escape(b []byte) ([]byte, bool) {
	rest := s.text[s.at+1:]
	if rest == "" {
		return b, false
	}
	const names, values = "abfnrtv?\\'\"", "\a\b\f\n\r\t\v?\\'\""
	if i := strings.IndexByte(names, rest[0]); i >= 0 {
		s.at += 2
		return append(b, values[i]), true
	}
	digits, base, most := rest, 8, 3
	if rest[0] == 'x' || rest[0] == 'X' {
		digits, base, most = rest[1:], 16, 2
	}
	n := 0
	for n < most && n < len(digits) {
		if _, err := strconv.ParseUint(digits[n:n+1], base, 8); err != nil {
			break
		}
		n++
	}
	v, err := strconv.ParseUint(digits[:n], base, 8)
	if err != nil {
		return b, false
	}
	s.at += len(s.text[s.at:]) - len(digits) + n
	return append(b, byte(v)), true
}

// quote is s in double quotes as [scanner.str] reads it: printable UTF-8
// as it is, the rest escaped.
func quote(s string) string {
	b := append(make([]byte, 0, len(s)+2), '"')
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', s[0])
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == utf8.RuneError && n == 1 || !strconv.IsPrint(r):
			for i := range n {
				b = fmt.Appendf(b, `\%03o`, s[i])
			}
		default:
			b = append(b, s[:n]...)
		}
		s = s[n:]
	}
	return string(append(b, '"'))
}
