package serve

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/troupe-go/troupe/status"
)

// A cursor reads JSON, in which NaN, Infinity and -Infinity are numbers. Values are kept
// as text until their type is known; tensors are read without intermediate values.
type cursor struct {
	b []byte
	i int
}

// deepest is how deep lists and objects may be nested.
const deepest = 256

func (c *cursor) fail(format string, args ...any) error {
	return status.Invalid("JSON Parse error: %s at offset: %d", fmt.Sprintf(format, args...), c.i)
}

// peek returns the next byte that is no space; 0 at the end.
func (c *cursor) peek() byte {
	for ; c.i < len(c.b); c.i++ {
		switch c.b[c.i] {
		case ' ', '\t', '\n', '\r':
		default:
			return c.b[c.i]
		}
	}
	return 0
}

func (c *cursor) expect(b byte) error {
	if c.peek() != b {
		return c.fail("'%c' is missing", b)
	}
	c.i++
	return nil
}

// members calls do with each member of an object, whose value do must read.
func (c *cursor) members(do func(name string) error) error {
	if err := c.expect('{'); err != nil {
		return err
	}
	if c.peek() == '}' {
		c.i++
		return nil
	}
	for {
		name, err := c.text()
		if err != nil {
			return err
		}
		if err := c.expect(':'); err != nil {
			return err
		}
		if err := do(name); err != nil {
			return err
		}
		switch c.peek() {
		case ',':
			c.i++
		case '}':
			c.i++
			return nil
		default:
			return c.fail("',' or '}' is missing")
		}
	}
}

// items calls do with the number of each item of a list, which do must read.
func (c *cursor) items(do func(i int) error) error {
	if err := c.expect('['); err != nil {
		return err
	}
	if c.peek() == ']' {
		c.i++
		return nil
	}
	for i := 0; ; i++ {
		if err := do(i); err != nil {
			return err
		}
		switch c.peek() {
		case ',':
			c.i++
		case ']':
			c.i++
			return nil
		default:
			return c.fail("',' or ']' is missing")
		}
	}
}

// text reads a string.
func (c *cursor) text() (string, error) {
	if c.peek() != '"' {
		return "", c.fail("a string is missing")
	}
	from := c.i
	for c.i++; c.i < len(c.b); c.i++ {
		switch b := c.b[c.i]; {
		case b == '"':
			c.i++
			raw := c.b[from:c.i]
			if verbatim(raw) {
				return string(raw[1 : len(raw)-1]), nil
			}
			var s string
			if err := json.Unmarshal(raw, &s); err != nil {
				c.i = from
				return "", c.fail("a string is malformed")
			}
			return s, nil
		case b == '\\':
			c.i++
		case b < ' ':
			return "", c.fail("a control character in a string")
		}
	}
	c.i = from
	return "", c.fail("a string does not end")
}

// verbatim reports whether a string stands for itself.
func verbatim(raw []byte) bool {
	for _, b := range raw {
		if b == '\\' {
			return false
		}
	}
	return utf8.Valid(raw)
}

// word reads a number or a literal.
func (c *cursor) word() []byte {
	c.peek()
	from := c.i
	for ; c.i < len(c.b); c.i++ {
		switch b := c.b[c.i]; {
		case b >= '0' && b <= '9', b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b == '-', b == '+', b == '.':
		default:
			return c.b[from:c.i]
		}
	}
	return c.b[from:]
}

// skip reads a value of whatever type, and returns its text.
func (c *cursor) skip(depth int) ([]byte, error) {
	if depth > deepest {
		return nil, c.fail("lists and objects are nested more than %d deep", deepest)
	}
	b := c.peek()
	from := c.i
	var err error
	switch b {
	case '{':
		err = c.members(func(string) error { _, err := c.skip(depth + 1); return err })
	case '[':
		err = c.items(func(int) error {
			if c.number() {
				return nil
			}
			_, err := c.skip(depth + 1)
			return err
		})
	case '"':
		_, err = c.text()
	default:
		if w := c.word(); !isLiteral(w) && !isNumber(w) {
			c.i = from
			err = c.fail("a value is missing")
		}
	}
	return c.b[from:c.i], err
}

// number skips a number without an exponent that something follows which ends it. It stays
// where it is, and returns false, at anything else.
func (c *cursor) number() bool {
	c.peek()
	i, b := c.i, c.b
	if i < len(b) && b[i] == '-' {
		i++
	}
	first := i
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	if i == first || b[first] == '0' && i > first+1 {
		return false
	}
	if i < len(b) && b[i] == '.' {
		point := i
		for i++; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		}
		if i == point+1 {
			return false
		}
	}
	if i == len(b) {
		return false
	}
	switch b[i] {
	case ',', ']', ' ', '\n', '\r', '\t', '}':
		c.i = i
		return true
	}
	return false
}

func isLiteral(w []byte) bool {
	switch string(w) {
	case "true", "false", "null":
		return true
	}
	return false
}

// isNumber reports whether a word is a number as JSON has it, NaN or an infinity.
func isNumber(w []byte) bool {
	switch string(w) {
	case "NaN", "Infinity", "-Infinity", "Inf", "-Inf":
		return true
	}
	i := 0
	digits := func() bool {
		from := i
		for i < len(w) && w[i] >= '0' && w[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(w) && w[i] == '-' {
		i++
	}
	zero := i < len(w) && w[i] == '0'
	from := i
	if !digits() || zero && i > from+1 {
		return false
	}
	if i < len(w) && w[i] == '.' {
		if i++; !digits() {
			return false
		}
	}
	if i < len(w) && (w[i] == 'e' || w[i] == 'E') {
		if i++; i < len(w) && (w[i] == '+' || w[i] == '-') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == len(w)
}

// isWhole reports whether a number has neither a fraction nor an exponent.
func isWhole(w []byte) bool {
	for _, b := range w {
		if b != '-' && (b < '0' || b > '9') {
			return false
		}
	}
	return true
}
