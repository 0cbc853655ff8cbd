package registry

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
)

// A field is one field of a message as it stands on the wire.
type field struct {
	num  protowire.Number
	typ  protowire.Type
	body []byte // of a length-delimited field; else the value's own bytes
	at   int    // offset of body in the outermost message
}

func (f *field) isBytes(num protowire.Number) bool {
	return f.num == num && f.typ == protowire.BytesType
}

func (f *field) isVarint(num protowire.Number) bool {
	return f.num == num && f.typ == protowire.VarintType
}

// varint is the value of a field of wire type varint.
func (f *field) varint() uint64 {
	v, _ := protowire.ConsumeVarint(f.body)
	return v
}

// text is a string field, which has to be UTF-8.
func (f *field) text() (string, error) {
	if !utf8.Valid(f.body) {
		return "", malformed(f.at, "a string is not UTF-8")
	}
	return string(f.body), nil
}

func malformed(at int, format string, args ...any) error {
	return status.Invalid("malformed at byte %d: %s", at, fmt.Sprintf(format, args...))
}

// plainError is the text of an error of the protobuf runtime, which varies the
// spaces it prints so that nobody relies on them.
func plainError(err error) string {
	return strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: ")
}

// A fields goes through the fields of a message in order:
//
//	f := fieldsOf(b, at)
//	for f.next() {
//		...
//	}
//	return f.err
type fields struct {
	field
	rest []byte
	pos  int // offset of rest in the outermost message
	err  error
}

// fieldsOf begins with a message, of which at is the offset in the outermost one.
func fieldsOf(b []byte, at int) fields { return fields{rest: b, pos: at} }

// next goes on to the next field; it is false at the end and on an error.
func (f *fields) next() bool {
	if len(f.rest) == 0 {
		return false
	}
	num, typ, n := protowire.ConsumeTag(f.rest)
	if n < 0 {
		f.err = malformed(f.pos, "%s", plainError(protowire.ParseError(n)))
		return false
	}
	f.advance(n)
	f.num, f.typ, f.at = num, typ, f.pos
	if typ == protowire.BytesType {
		f.body, n = protowire.ConsumeBytes(f.rest)
		f.at += n - len(f.body)
	} else if n = protowire.ConsumeFieldValue(num, typ, f.rest); n >= 0 {
		f.body = f.rest[:n]
	}
	if n < 0 {
		f.err = malformed(f.pos, "field %d: %s", num, plainError(protowire.ParseError(n)))
		return false
	}
	f.advance(n)
	return true
}

func (f *fields) advance(n int) { f.rest, f.pos = f.rest[n:], f.pos+n }

// appendMessage appends a length-delimited field with what body appends.
func appendMessage(dst []byte, num protowire.Number, body func([]byte) ([]byte, error)) ([]byte, error) {
	dst = protowire.AppendTag(dst, num, protowire.BytesType)
	start := len(dst)
	dst, err := body(dst)
	if err != nil {
		return dst, err
	}
	size := len(dst) - start
	prefix := protowire.SizeVarint(uint64(size))
	dst = append(dst, make([]byte, prefix)...)
	copy(dst[start+prefix:], dst[start:start+size])
	protowire.AppendVarint(dst[:start], uint64(size))
	return dst, nil
}

func appendString(dst []byte, num protowire.Number, s string) []byte {
	dst = protowire.AppendTag(dst, num, protowire.BytesType)
	return protowire.AppendString(dst, s)
}

func appendVarint(dst []byte, num protowire.Number, v uint64) []byte {
	dst = protowire.AppendTag(dst, num, protowire.VarintType)
	return protowire.AppendVarint(dst, v)
}

func appendBool(dst []byte, num protowire.Number, v bool) []byte {
	return appendVarint(dst, num, protowire.EncodeBool(v))
}

// within prefixes an error's message with where it happened.
func within(err error, format string, args ...any) error {
	e := *status.From(err)
	e.Message = fmt.Sprintf(format, args...) + ": " + e.Message
	return &e
}
