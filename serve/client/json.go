package client

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/troupe-go/troupe/status"
)

// A cursor reads the JSON of a reply, in which NaN, Infinity and -Infinity are numbers, which
// encoding/json refuses. Values are text until their type is known.
type cursor struct {
	b []byte
	i int
}

// deepest is how deep lists and objects may be nested.
const deepest = 300

func (c *cursor) fail(format string, args ...any) error {
	return status.Errorf(status.Internal, "the reply cannot be read: %s at byte %d", fmt.Sprintf(format, args...), c.i)
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

// series reads what is between brackets: items, each of which do must read.
func (c *cursor) series(open, end byte, do func() error) error {
	if c.peek() != open {
		return c.fail("%q is missing", open)
	}
	c.i++
	if c.peek() == end {
		c.i++
		return nil
	}
	for {
		if err := do(); err != nil {
			return err
		}
		switch c.peek() {
		case ',':
			c.i++
		case end:
			c.i++
			return nil
		default:
			return c.fail("%q is missing", end)
		}
	}
}

// members calls do with the name of each member of an object, whose value do must read.
func (c *cursor) members(do func(name string) error) error {
	return c.series('{', '}', func() error {
		name, err := c.text()
		if err != nil {
			return err
		}
		if c.peek() != ':' {
			return c.fail("':' is missing")
		}
		c.i++
		return do(name)
	})
}

// text reads a string.
func (c *cursor) text() (string, error) {
	if c.peek() != '"' {
		return "", c.fail("a string is missing")
	}
	from := c.i
	for c.i++; c.i < len(c.b); c.i++ {
		switch c.b[c.i] {
		case '\\':
			c.i++
		case '"':
			c.i++
			raw := c.b[from:c.i]
			if bytes.IndexByte(raw, '\\') < 0 {
				return string(raw[1 : len(raw)-1]), nil
			}
			var s string
			if err := json.Unmarshal(raw, &s); err != nil {
				c.i = from
				return "", c.fail("a string is malformed")
			}
			return s, nil
		}
	}
	c.i = from
	return "", c.fail("a string does not end")
}

// word reads a number or a literal.
func (c *cursor) word() []byte {
	c.peek()
	from := c.i
	for c.i < len(c.b) {
		b := c.b[c.i]
		if (b < '0' || b > '9') && (b < 'a' || b > 'z') && (b < 'A' || b > 'Z') && b != '-' && b != '+' && b != '.' {
			break
		}
		c.i++
	}
	return c.b[from:c.i]
}

// skip reads a value of any type, and returns its text.
func (c *cursor) skip(depth int) (_ []byte, err error) {
	if depth > deepest {
		return nil, c.fail("values are nested more than %d deep", deepest)
	}
	b := c.peek()
	from := c.i
	switch b {
	case '{':
		err = c.members(func(string) error { _, err := c.skip(depth + 1); return err })
	case '[':
		err = c.series('[', ']', func() error { _, err := c.skip(depth + 1); return err })
	case '"':
		_, err = c.text()
	default:
		if len(c.word()) == 0 {
			err = c.fail("a value is missing")
		}
	}
	return c.b[from:c.i], err
}
