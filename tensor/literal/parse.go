// Package literal reads tensors as people write them: "[[1.5, 2], [3, 4]]".
package literal

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Parse reads a tensor of type dt from text: a scalar, "3", or brackets whose
// nesting makes the shape, "[[1.5, 2], [3, 4]]". Commas, white space or both
// stand between elements, so that it reads JSON and, complex numbers apart,
// what [tensor.Tensor.String] prints.
//
// Integers are decimal, or have Go's prefix of another base, and must fit; floats may be nan
// or inf and are rounded to dt; complex numbers are written 1+2j or 1+2i;
// booleans true, false, True, False, 1 and 0. Strings are bare words or quoted as in Go, JSON or
// Python, with or without a b before the quote; a string scalar may be any
// text that does not begin with a bracket or a quote. Ragged brackets are an
// error, as is anything else, with the offset of the character at fault.
func Parse(text string, dt tensor.DType) (*tensor.Tensor, error) {
	switch dt {
	case tensor.Bool:
		return parse(text, dt, parseBool)
	case tensor.Int8, tensor.Qint8:
		return parse(text, dt, parseInt[int8](8))
	case tensor.Int4:
		return parse(text, dt, parseInt[int8](4))
	case tensor.Int2:
		return parse(text, dt, parseInt[int8](2))
	case tensor.Int16, tensor.Qint16:
		return parse(text, dt, parseInt[int16](16))
	case tensor.Int32, tensor.Qint32:
		return parse(text, dt, parseInt[int32](32))
	case tensor.Int64:
		return parse(text, dt, parseInt[int64](64))
	case tensor.Uint8, tensor.Quint8:
		return parse(text, dt, parseUint[uint8](8))
	case tensor.Uint4:
		return parse(text, dt, parseUint[uint8](4))
	case tensor.Uint2:
		return parse(text, dt, parseUint[uint8](2))
	case tensor.Uint16, tensor.Quint16:
		return parse(text, dt, parseUint[uint16](16))
	case tensor.Uint32:
		return parse(text, dt, parseUint[uint32](32))
	case tensor.Uint64:
		return parse(text, dt, parseUint[uint64](64))
	case tensor.Float:
		return parse(text, dt, func(w word) (float32, error) { x, err := parseFloat(w, 32); return float32(x), err })
	case tensor.Double:
		return parse(text, dt, func(w word) (float64, error) { return parseFloat(w, 64) })
	case tensor.Half:
		return parse(text, dt, func(w word) (tensor.Float16, error) {
			x, err := parseFloat(w, 32)
			return tensor.ToFloat16(float32(x)), err
		})
	case tensor.Bfloat16:
		return parse(text, dt, func(w word) (tensor.BFloat16, error) {
			x, err := parseFloat(w, 32)
			return tensor.ToBFloat16(float32(x)), err
		})
	case tensor.Float8e5m2, tensor.Float8e4m3fn, tensor.Float8e4m3fnuz, tensor.Float8e4m3b11fnuz, tensor.Float8e5m2fnuz:
		return parse(text, dt, func(w word) (uint8, error) { x, err := parseFloat(w, 32); return tensor.ToFloat8(dt, float32(x)), err })
	case tensor.Complex64:
		return parse(text, dt, func(w word) (complex64, error) { x, err := parseComplex(w, 64); return complex64(x), err })
	case tensor.Complex128:
		return parse(text, dt, func(w word) (complex128, error) { return parseComplex(w, 128) })
	case tensor.String:
		if s := strings.TrimSpace(text); s == "" || !strings.ContainsRune("[\"'`", rune(s[0])) && !isBytesLiteral(s) {
			return tensor.FromScalar(s), nil
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

// A parser reads nested brackets, of elements of any type: add takes an element. dims[d] is the length of the lists at depth
// d, -1 while none of them is complete; words stand at depth len(dims) alone.
type parser struct {
	text string
	at   int
	dims []int64
	leaf bool // a word has been seen, so that dims is as deep as it gets
	add  func(word) error
	dt   tensor.DType
}

func parse[T tensor.Element](text string, dt tensor.DType, conv func(word) (T, error)) (*tensor.Tensor, error) {
	var data []T
	p := parser{text: text, dt: dt, add: func(w word) error {
		x, err := conv(w)
		data = append(data, x)
		return err
	}}
	t, err := p.tensor()
	if err != nil {
		return nil, err
	}
	copy(tensor.Elements[T](t.Memory()), data)
	return t, nil
}

// tensor reads the whole text, and returns a tensor for its elements.
func (p *parser) tensor() (*tensor.Tensor, error) {
	p.skipSpace()
	if err := p.item(0); err != nil {
		return nil, err
	}
	if p.skipSpace(); p.at < len(p.text) {
		return nil, p.errorf(p.at, "text goes on after the tensor")
	}
	return tensor.New(p.dt, p.dims...)
}

func (p *parser) errorf(at int, format string, args ...any) error {
	return status.Invalid("tensor text, character %d: %s", at, fmt.Sprintf(format, args...))
}

// wanted describes the elements of a type, with an example, for errors.
func wanted(dt tensor.DType) string {
	switch dt {
	case tensor.Bool:
		return "a bool: true or false"
	case tensor.Complex64, tensor.Complex128:
		return fmt.Sprintf("a %v, such as 1+2j", dt)
	case tensor.Float, tensor.Double, tensor.Half, tensor.Bfloat16, tensor.Float8e5m2, tensor.Float8e4m3fn, tensor.Float8e4m3fnuz, tensor.Float8e4m3b11fnuz, tensor.Float8e5m2fnuz:
		return fmt.Sprintf("a %v, such as 1.5", dt)
	case tensor.Int2, tensor.Int4, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64:
		return fmt.Sprintf("an %v, such as 3", dt)
	}
	return fmt.Sprintf("a %v, such as 3", dt)
}

func (p *parser) skipSpace() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// item reads a word or a bracket at a depth.
func (p *parser) item(depth int) error {
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
	err = p.add(w)
	if errors.Is(err, strconv.ErrRange) {
		return p.errorf(start, "%q is out of the range of %v", w.text, p.dt)
	}
	if err != nil {
		return p.errorf(start, "%q is not %s", w.text, wanted(p.dt))
	}
	return nil
}

func (p *parser) list(depth int) error {
	start := p.at
	if depth == len(p.dims) {
		if p.leaf || depth > 0 && p.dims[depth-1] == 0 {
			return p.errorf(start, "ragged: a list where an element should be")
		}
		if depth == tensor.MaxRank {
			return p.errorf(start, "more than %d dimensions", tensor.MaxRank)
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
func (p *parser) word() (word, error) {
	start, rest := p.at, p.text[p.at:]
	if isBytesLiteral(rest) {
		rest = rest[1:]
		p.at++
	}
	switch rest[0] {
	case '"', '\'', '`':
		s, length, ok := Unquote(rest)
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

// Unquote reads the quoted string that s begins with, and says how long it is
// in s. Both kinds of quotes allow the escapes of Go, JSON and Python.
func Unquote(s string) (text string, length int, ok bool) {
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
