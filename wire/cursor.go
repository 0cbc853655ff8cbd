package wire

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
)

// A Cursor goes through the fields of a serialized message, in order, without
// decoding what nobody asks for:
//
//	c := wire.NewCursor("GraphDef", def)
//	for c.Next() {
//		if c.IsBytes(1) {
//			node := c.Message("NodeDef")
//			...
//		}
//	}
//	return c.Err()
//
// It reads no byte outside its message, allocates nothing but an error, and
// needs no stack for groups, of which up to [MaxGroups] may be nested, as many
// messages as TensorFlow's parser takes. Offsets are those in the outermost
// message, also of the cursors of messages within it.
//
// A Cursor is a value: a copy goes on by itself.
type Cursor struct {
	// The present field: its number and wire type, where its tag and its value
	// begin and where both end. The length of a length-delimited field is part
	// of neither Lo to Hi nor the value; the end marker of a group is.
	Num           protowire.Number
	Type          protowire.Type
	Value         uint64 // of a varint, fixed32 or fixed64 field
	Start, Lo, Hi int

	buf     []byte // the outermost message
	pos     int    // of the next field; not beyond end
	end     int    // not beyond buf
	message string
	err     *status.Error
}

// MaxGroups is how deep groups, the nested fields of the oldest messages, are
// followed.
const MaxGroups = 100

// NewCursor begins with a message, whose name is for errors and may be empty.
func NewCursor(message string, b []byte) Cursor {
	return Cursor{buf: b, end: len(b), message: message}
}

// Section begins with the part of a buffer from lo to hi, in which offsets are
// those of the buffer.
func Section(message string, b []byte, lo, hi int) Cursor {
	_ = b[lo:hi]
	return Cursor{buf: b, pos: lo, end: hi, message: message}
}

// Message begins with the present field, which is length-delimited, as a message.
func (c *Cursor) Message(message string) Cursor {
	return Cursor{buf: c.buf, pos: c.Lo, end: c.Hi, message: message}
}

// Next goes on to the next field. It is false at the end of the message, and
// for good at the first field that is malformed.
func (c *Cursor) Next() bool {
	if c.pos >= c.end {
		return false
	}
	b, at := c.buf[:c.end], c.pos
	// Nearly all tags and lengths are one byte.
	tag, n := uint64(b[at]), 1
	if tag >= 0x80 {
		tag, n = protowire.ConsumeVarint(b[at:])
	}
	c.Start = at
	if n < 0 || tag < 8 || tag >= 8<<29 {
		return c.failTag(n)
	}
	at += n
	c.Num, c.Type, c.Lo = protowire.Number(tag>>3), protowire.Type(tag&7), at
	switch c.Type {
	case protowire.BytesType:
		var size uint64
		if at < len(b) && b[at] < 0x80 {
			size, n = uint64(b[at]), 1
		} else if size, n = protowire.ConsumeVarint(b[at:]); n < 0 {
			return c.failValue(n)
		}
		at += n
		if size > uint64(len(b)-at) {
			return c.fail(c.Lo, "field %d: a length of %d points past the end of the message at byte %d", c.Num, size, c.end)
		}
		c.Lo = at
		at += int(size)
	case protowire.VarintType:
		if at < len(b) && b[at] < 0x80 {
			c.Value, n = uint64(b[at]), 1
		} else if c.Value, n = protowire.ConsumeVarint(b[at:]); n < 0 {
			return c.failValue(n)
		}
		at += n
	case protowire.Fixed32Type:
		if len(b)-at < 4 {
			return c.failValue(truncated)
		}
		c.Value = uint64(binary.LittleEndian.Uint32(b[at:]))
		at += 4
	case protowire.Fixed64Type:
		if len(b)-at < 8 {
			return c.failValue(truncated)
		}
		c.Value = binary.LittleEndian.Uint64(b[at:])
		at += 8
	case protowire.StartGroupType:
		if at = c.skipGroup(at); at < 0 {
			return false
		}
	case protowire.EndGroupType:
		return c.fail(c.Lo, "field %d: the end of a group that has not begun", c.Num)
	default:
		return c.fail(c.Lo, "field %d: wire type %d does not exist", c.Num, c.Type)
	}
	c.Hi, c.pos = at, at
	return true
}

// skipGroup returns where the group ends whose first field is at; -1 if it is
// malformed, which it reports. It goes through groups as one flat sequence of
// fields and remembers the numbers of those that are open.
func (c *Cursor) skipGroup(at int) int {
	var open [MaxGroups]protowire.Number
	open[0] = c.Num
	depth := 1
	b := c.buf[:c.end]
	for depth > 0 {
		num, typ, n := protowire.ConsumeTag(b[at:])
		if n < 0 {
			c.fail(at, "field %d: %s", c.Num, problem(n))
			return -1
		}
		at += n
		switch typ {
		case protowire.StartGroupType:
			if depth == MaxGroups {
				c.fail(at, "field %d: groups nested more than %d deep", c.Num, MaxGroups)
				return -1
			}
			open[depth] = num
			depth++
		case protowire.EndGroupType:
			depth--
			if open[depth] != num {
				c.fail(at, "field %d: group %d ends as group %d", c.Num, open[depth], num)
				return -1
			}
		default:
			if n = protowire.ConsumeFieldValue(num, typ, b[at:]); n < 0 {
				c.fail(at, "field %d: %s", c.Num, problem(n))
				return -1
			}
			at += n
		}
	}
	return at
}

// Err returns what is wrong with the field at which Next gave up: INVALID_ARGUMENT,
// with the offset. It is nil before, and at the end of the message.
func (c *Cursor) Err() error {
	if c.err == nil {
		return nil
	}
	return c.err
}

// Is reports whether the present field has this number and wire type. A field of a
// known number and another type is an unknown field.
func (c *Cursor) Is(num protowire.Number, typ protowire.Type) bool {
	return c.Num == num && c.Type == typ
}

// IsBytes reports whether the present field has this number and is length-delimited.
func (c *Cursor) IsBytes(num protowire.Number) bool { return c.Is(num, protowire.BytesType) }

// IsVarint reports whether the present field has this number and is a varint.
func (c *Cursor) IsVarint(num protowire.Number) bool { return c.Is(num, protowire.VarintType) }

// Body returns the bytes of the present field's value, those of the message itself.
func (c *Cursor) Body() []byte { return c.buf[c.Lo:c.Hi:c.Hi] }

// Rest returns the fields that are yet to be read.
func (c *Cursor) Rest() []byte { return c.buf[c.pos:c.end] }

// End returns where the message ends.
func (c *Cursor) End() int { return c.end }

// Buffer returns the outermost message, which offsets count in.
func (c *Cursor) Buffer() []byte { return c.buf }

// Errorf returns an INVALID_ARGUMENT error about the byte at an offset.
func (c *Cursor) Errorf(at int, format string, args ...any) *status.Error {
	verb := "malformed"
	if c.message != "" {
		verb = c.message + " is malformed"
	}
	return status.Invalid("%s at byte %d: %s", verb, at, fmt.Sprintf(format, args...))
}

// CheckUTF8 checks that the present field is valid as a string.
func (c *Cursor) CheckUTF8(what string) error {
	b := c.Body()
	if utf8.Valid(b) {
		return nil
	}
	const shown = 100
	more := ""
	if len(b) > shown {
		b, more = b[:shown], "..."
	}
	return c.Errorf(c.Lo, "the %s %q%s is not UTF-8", what, b, more)
}

// Text returns the present field as a string, which has to be UTF-8.
func (c *Cursor) Text(what string) (string, error) {
	if err := c.CheckUTF8(what); err != nil {
		return "", err
	}
	return string(c.Body()), nil
}

// fail ends the reading.
func (c *Cursor) fail(at int, format string, args ...any) bool {
	c.err = c.Errorf(at, format, args...)
	c.pos = c.end
	return false
}

func (c *Cursor) failTag(n int) bool {
	if n >= 0 {
		return c.fail(c.Start, "invalid field number")
	}
	return c.fail(c.Start, "%s", problem(n))
}

func (c *Cursor) failValue(n int) bool {
	return c.fail(c.Lo, "field %d: %s", c.Num, problem(n))
}

// Codes of package protowire: for bytes that end too soon, and for a varint of
// more than 64 bits.
var (
	_, truncated = protowire.ConsumeVarint(nil)
	_, overflow  = protowire.ConsumeVarint([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
)

// problem returns what a code of package protowire stands for. The texts of its
// errors vary with the build, so that nobody relies on them.
func problem(code int) string {
	switch code {
	case truncated:
		return "unexpected EOF"
	case overflow:
		return "variable length integer overflow"
	}
	return "invalid field number or wire type"
}

// Numbers returns the values of a repeated field of numbers, as far as the present
// field has them: one, or, if it is length-delimited, any number of them packed.
// typ is the wire type of each: varint, fixed32 or fixed64.
//
//	for n := c.Numbers(protowire.VarintType); n.Next(); {
//		... n.Value
//	}
//
// [Numbers.Err] says in the end whether there was one that is malformed.
func (c *Cursor) Numbers(typ protowire.Type) Numbers {
	return Numbers{c: c, typ: typ, b: c.Body()}
}

// Numbers goes through the values of a field; see [Cursor.Numbers].
type Numbers struct {
	Value uint64

	c    *Cursor
	typ  protowire.Type
	b    []byte
	at   int // where in b the next number begins
	code int // what is wrong with it; 0 while that is not known
}

// Next goes on to the next value. It is false after the last, and for good at
// one that is malformed.
func (n *Numbers) Next() bool {
	var one [1]uint64
	if n.Read(one[:]) == 0 {
		return false
	}
	n.Value = one[0]
	return true
}

// Read is Next for as many values as dst has room for; it says how many there
// were.
func (n *Numbers) Read(dst []uint64) int {
	b := n.b[n.at:]
	for i := range dst {
		if len(b) == 0 {
			dst = dst[:i]
			break
		}
		size := 1
		if v := uint64(b[0]); n.typ == protowire.VarintType && v < 0x80 {
			dst[i] = v
		} else if dst[i], size = number(b, n.typ); size < 0 {
			n.code = size
			dst = dst[:i]
			break
		}
		b = b[size:]
	}
	n.at = len(n.b) - len(b)
	return len(dst)
}

// number returns the number that b begins with, and its size, or what is wrong.
func number(b []byte, typ protowire.Type) (uint64, int) {
	switch {
	case typ == protowire.VarintType && len(b) > 1 && b[1] < 0x80:
		return uint64(b[0]&0x7f) | uint64(b[1])<<7, 2
	case typ == protowire.VarintType:
		return protowire.ConsumeVarint(b)
	case typ == protowire.Fixed32Type && len(b) >= 4:
		return uint64(binary.LittleEndian.Uint32(b)), 4
	case typ == protowire.Fixed64Type && len(b) >= 8:
		return binary.LittleEndian.Uint64(b), 8
	}
	return 0, truncated
}

// Offset returns where the next value begins.
func (n *Numbers) Offset() int { return n.c.Lo + n.at }

// Err returns what is wrong with the value at which Next gave up, if it did.
func (n *Numbers) Err() error {
	if n.code == 0 {
		return nil
	}
	return n.c.Errorf(n.Offset(), "field %d: %s", n.c.Num, problem(n.code))
}
