package tensor

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"github.com/troupe-go/troupe/status"
)

// Parse reads a tensor of type dt from text: a scalar, "3", or brackets whose
// nesting makes the shape, "[[1.5, 2], [3, 4]]". Commas, white space or both
// stand between elements, so that it reads JSON and, complex numbers apart,
// what [Tensor.String] prints.
//
// Integers are decimal, or have Go's prefix of another base, and must fit; floats may be nan
// or inf and are rounded to dt; complex numbers are written 1+2j or 1+2i;
// booleans true, false, True, False, 1 and 0. Strings are bare words or quoted as in Go, JSON or
// Python, with or without a b before the quote; a string scalar may be any
// text that does not begin with a bracket or a quote. Ragged brackets are an
// error, as is anything else, with the offset of the character at fault.
func Parse(text string, dt DType) (*Tensor, error) {
	switch dt {
	case Bool:
		return parse(text, dt, parseBool)
	case Int8, Qint8:
		return parse(text, dt, parseInt[int8](8))
	case Int4:
		return parse(text, dt, parseInt[int8](4))
	case Int2:
		return parse(text, dt, parseInt[int8](2))
	case Int16, Qint16:
		return parse(text, dt, parseInt[int16](16))
	case Int32, Qint32:
		return parse(text, dt, parseInt[int32](32))
	case Int64:
		return parse(text, dt, parseInt[int64](64))
	case Uint8, Quint8:
		return parse(text, dt, parseUint[uint8](8))
	case Uint4:
		return parse(text, dt, parseUint[uint8](4))
	case Uint2:
		return parse(text, dt, parseUint[uint8](2))
	case Uint16, Quint16:
		return parse(text, dt, parseUint[uint16](16))
	case Uint32:
		return parse(text, dt, parseUint[uint32](32))
	case Uint64:
		return parse(text, dt, parseUint[uint64](64))
	case Float:
		return parse(text, dt, func(w word) (float32, error) { x, err := parseFloat(w, 32); return float32(x), err })
	case Double:
		return parse(text, dt, func(w word) (float64, error) { return parseFloat(w, 64) })
	case Half:
		return parse(text, dt, func(w word) (Float16, error) { x, err := parseFloat(w, 32); return ToFloat16(float32(x)), err })
	case Bfloat16:
		return parse(text, dt, func(w word) (BFloat16, error) { x, err := parseFloat(w, 32); return ToBFloat16(float32(x)), err })
	case Float8e5m2, Float8e4m3fn, Float8e4m3fnuz, Float8e4m3b11fnuz, Float8e5m2fnuz:
		return parse(text, dt, func(w word) (uint8, error) { x, err := parseFloat(w, 32); return ToFloat8(dt, float32(x)), err })
	case Complex64:
		return parse(text, dt, func(w word) (complex64, error) { x, err := parseComplex(w, 64); return complex64(x), err })
	case Complex128:
		return parse(text, dt, func(w word) (complex128, error) { return parseComplex(w, 128) })
	case String:
		if s := strings.TrimSpace(text); s == "" || !strings.ContainsRune("[\"'`", rune(s[0])) && !isBytesLiteral(s) {
			return FromScalar(s), nil
		}
		return parse(text, dt, func(w word) (string, error) { return w.text, nil })
	}
	return nil, status.Invalid("a tensor of type %v cannot be parsed from text", dt)
}

// A word is the text of one element.
type word struct {
	text   string // unquoted
	quoted bool
}

func parseBool(w word) (bool, error) {
	switch w.text {
	case "true", "True", "1":
		return true, nil
	case "false", "False", "0":
		return false, nil
	}
	return false, strconv.ErrSyntax
}

// base is for strconv: 0 for numbers with a prefix such as 0x, else 10, for
// leading zeros are no octal here.
func base(s string) int {
	if s = strings.TrimLeft(s, "+-"); len(s) > 2 && s[0] == '0' && (s[1] < '0' || s[1] > '9') {
		return 0
	}
	return 10
}

func parseInt[T int8 | int16 | int32 | int64](bits int) func(word) (T, error) {
	return func(w word) (T, error) {
		x, err := strconv.ParseInt(w.text, base(w.text), bits)
		return T(x), err
	}
}

func parseUint[T uint8 | uint16 | uint32 | uint64](bits int) func(word) (T, error) {
	return func(w word) (T, error) {
		x, err := strconv.ParseUint(w.text, base(w.text), bits)
		return T(x), err
	}
}

// parseFloat takes a number too large for bits as an infinity.
func parseFloat(w word, bits int) (float64, error) {
	x, err := strconv.ParseFloat(w.text, bits)
	if math.IsInf(x, 0) {
		err = nil
	}
	return x, err
}

func parseComplex(w word, bits int) (complex128, error) {
	s := w.text
	if strings.HasSuffix(s, "j)") {
		s = s[:len(s)-2] + "i)"
	} else if strings.HasSuffix(s, "j") {
		s = s[:len(s)-1] + "i"
	}
	return strconv.ParseComplex(s, bits)
}

// A parser reads nested brackets. dims[d] is the length of the lists at depth
// d, -1 while none of them is complete; words stand at depth len(dims) alone.
type parser[T any] struct {
	text string
	at   int
	dims []int64
	leaf bool // a word has been seen, so that dims is as deep as it gets
	conv func(word) (T, error)
	data []T
	dt   DType
}

func parse[T Element](text string, dt DType, conv func(word) (T, error)) (*Tensor, error) {
	p := parser[T]{text: text, conv: conv, dt: dt}
	p.skipSpace()
	if err := p.item(0); err != nil {
		return nil, err
	}
	if p.skipSpace(); p.at < len(text) {
		return nil, p.errorf(p.at, "text goes on after the tensor")
	}
	n, err := NumElements(dt, p.dims)
	if err != nil {
		return nil, err
	}
	t := &Tensor{dtype: dt, n: n}
	t.setShape(p.dims)
	if n > 0 {
		t.data = unsafe.Pointer(unsafe.SliceData(p.data))
	}
	t.shared.Store(true)
	return t, nil
}

func (p *parser[T]) errorf(at int, format string, args ...any) error {
	return status.Invalid("tensor text, character %d: %s", at, fmt.Sprintf(format, args...))
}

// wanted describes the elements of a type, with an example, for errors.
func wanted(dt DType) string {
	switch dt {
	case Bool:
		return "a bool: true or false"
	case Complex64, Complex128:
		return fmt.Sprintf("a %v, such as 1+2j", dt)
	case Float, Double, Half, Bfloat16, Float8e5m2, Float8e4m3fn, Float8e4m3fnuz, Float8e4m3b11fnuz, Float8e5m2fnuz:
		return fmt.Sprintf("a %v, such as 1.5", dt)
	case Int2, Int4, Int8, Int16, Int32, Int64:
		return fmt.Sprintf("an %v, such as 3", dt)
	}
	return fmt.Sprintf("a %v, such as 3", dt)
}

func (p *parser[T]) skipSpace() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// item reads a word or a bracket at a depth.
func (p *parser[T]) item(depth int) error {
	if p.at == len(p.text) {
		return p.errorf(p.at, "text ends where an element should be")
	}
	if p.text[p.at] == '[' {
		return p.list(depth)
	}
	if depth < len(p.dims) {
		return p.errorf(p.at, "ragged: an element where a list of depth %d should be", len(p.dims)-depth)
	}
	p.leaf = true
	start := p.at
	w, err := p.word()
	if err != nil {
		return err
	}
	x, err := p.conv(w)
	if errors.Is(err, strconv.ErrRange) {
		return p.errorf(start, "%q is out of the range of %v", w.text, p.dt)
	}
	if err != nil {
		return p.errorf(start, "%q is not %s", w.text, wanted(p.dt))
	}
	p.data = append(p.data, x)
	return nil
}

func (p *parser[T]) list(depth int) error {
	start := p.at
	if depth == len(p.dims) {
		if p.leaf || depth > 0 && p.dims[depth-1] == 0 {
			return p.errorf(start, "ragged: a list where an element should be")
		}
		if depth == MaxRank {
			return p.errorf(start, "more than %d dimensions", MaxRank)
		}
		p.dims = append(p.dims, -1)
	}
	p.at++
	n := int64(0)
	p.skipSpace()
	for {
		if p.at == len(p.text) {
			return p.errorf(start, "a bracket is not closed")
		}
		if p.text[p.at] == ']' {
			p.at++
			break
		}
		if err := p.item(depth + 1); err != nil {
			return err
		}
		n++
		p.skipSpace()
		if p.at < len(p.text) && p.text[p.at] == ',' {
			p.at++
			p.skipSpace()
		}
	}
	if p.dims[depth] >= 0 && p.dims[depth] != n {
		return p.errorf(start, "ragged: a list of length %d where others have %d", n, p.dims[depth])
	}
	p.dims[depth] = n
	return nil
}

// word reads one element's text.
func (p *parser[T]) word() (word, error) {
	start, rest := p.at, p.text[p.at:]
	if isBytesLiteral(rest) {
		rest = rest[1:]
		p.at++
	}
	switch rest[0] {
	case '"', '\'', '`':
		s, length, ok := unquote(rest)
		if !ok {
			return word{}, p.errorf(start, "a string is not closed or not well-formed")
		}
		p.at += length
		return word{s, true}, nil
	}
	end := strings.IndexAny(rest, " \t\r\n,[]")
	switch end {
	case -1:
		end = len(rest)
	case 0:
		return word{}, p.errorf(start, "%q where an element should be", rest[0])
	}
	p.at += end
	return word{rest[:end], false}, nil
}

func isBytesLiteral(s string) bool {
	return len(s) > 1 && s[0] == 'b' && (s[1] == '"' || s[1] == '\'')
}

// unquote reads the quoted string that s begins with, and says how long it is
// in s. Both kinds of quotes allow the escapes of Go, JSON and Python.
func unquote(s string) (text string, length int, ok bool) {
	quote := s[0]
	if quote == '`' {
		end := strings.IndexByte(s[1:], '`')
		if end < 0 {
			return "", 0, false
		}
		return s[1 : end+1], end + 2, true
	}
	var b []byte
	rest := s[1:]
	for rest != "" && rest[0] != quote {
		switch {
		case rest[0] != '\\':
			b = append(b, rest[0])
			rest = rest[1:]
		case len(rest) > 1 && (rest[1] == '/' || rest[1] == '\'' || rest[1] == '"'):
			b = append(b, rest[1])
			rest = rest[2:]
		default:
			r, multibyte, tail, err := strconv.UnquoteChar(rest, quote)
			if err != nil {
				return "", 0, false
			}
			if multibyte {
				b = append(b, string(r)...)
			} else {
				b = append(b, byte(r))
			}
			rest = tail
		}
	}
	if rest == "" {
		return "", 0, false
	}
	return string(b), len(s) - len(rest) + 1, true
}
