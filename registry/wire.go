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

// eachField visits the fields of a message in order, where at is the offset of
// b in the outermost message.
func eachField(b []byte, at int, visit func(f *field) error) error {
	var f field
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return malformed(at, "%s", plainError(protowire.ParseError(n)))
		}
		b, at = b[n:], at+n
		f.num, f.typ, f.at = num, typ, at
		if typ == protowire.BytesType {
			body, size := protowire.ConsumeBytes(b)
			if size < 0 {
				return malformed(at, "field %d: %s", num, plainError(protowire.ParseError(size)))
			}
			f.body, f.at, n = body, at+size-len(body), size
		} else {
			if n = protowire.ConsumeFieldValue(num, typ, b); n < 0 {
				return malformed(at, "field %d: %s", num, plainError(protowire.ParseError(n)))
			}
			f.body = b[:n]
		}
		if err := visit(&f); err != nil {
			return err
		}
		b, at = b[n:], at+n
	}
	return nil
}

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
