package parsing

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(decodeJSON), nil }, "DecodeJSONExample")
}

// decodeJSON returns the kernel of DecodeJSONExample.
func decodeJSON(ctx *kernel.Context, in, out []tensor.Value) error {
	v, err := ctx.Alloc(tensor.String, in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	o := tensor.Of[string](&out[0])
	for i, text := range tensor.Of[string](&in[0]) {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := jsonText{text: text}
		b, err := p.example()
		if err != nil {
			return err
		}
		o[i] = string(b)
	}
	return nil
}

// A jsonText is JSON that is being read, and written as a message field by field.
// As protobuf's reader does, it takes more than JSON: names without quotes,
// single quotes, and commas behind the last value.
type jsonText struct {
	text string
	at   int
}

func (p *jsonText) errorf(format string, args ...any) error {
	args = append(args, p.at)
	return status.Invalid("Error while parsing JSON: "+format+" (offset %d)", args...)
}

func (p *jsonText) example() ([]byte, error) {
	b, err := p.message(func(name string) ([]byte, error) {
		if name != "features" {
			return nil, p.errorf("no such field: '%s'", name)
		}
		return p.field(1, p.features)
	})
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(p.text) {
		return nil, p.errorf("extraneous characters after end of JSON object")
	}
	return b, nil
}

// field returns a field that is a message; null is none.
func (p *jsonText) field(number byte, read func() ([]byte, error)) ([]byte, error) {
	if p.null() {
		return nil, nil
	}
	b, err := read()
	return appendField(nil, number, b), err
}

// appendField appends a field of bytes.
func appendField(dst []byte, number byte, b []byte) []byte {
	dst = append(dst, number<<3|2)
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

func (p *jsonText) features() ([]byte, error) {
	return p.message(func(name string) ([]byte, error) {
		switch {
		case name != "feature":
			return nil, p.errorf("no such field: '%s'", name)
		case p.null():
			return nil, nil
		}
		seen := map[string]bool{}
		return p.message(func(key string) ([]byte, error) {
			if seen[key] {
				return nil, p.errorf("repeated map key: '%s'", key)
			}
			seen[key] = true
			value, err := p.field(2, p.feature)
			return appendField(nil, 1, append(appendField(nil, 1, []byte(key)), value...)), err
		})
	})
}

func (p *jsonText) feature() ([]byte, error) {
	set := false
	return p.message(func(name string) ([]byte, error) {
		var kind byte
		var element func() ([]byte, error)
		switch name {
		case "bytesList", "bytes_list":
			kind, element = 1, p.bytes
		case "floatList", "float_list":
			kind, element = 2, p.float
		case "int64List", "int64_list":
			kind, element = 3, p.integer
		default:
			return nil, p.errorf("no such field: '%s'", name)
		}
		if p.null() {
			return nil, nil
		}
		if set {
			return nil, p.errorf("'%s' has already been set (either directly or as part of a oneof)", name)
		}
		set = true
		return p.field(kind, func() ([]byte, error) {
			return p.message(func(name string) ([]byte, error) {
				switch {
				case name != "value":
					return nil, p.errorf("no such field: '%s'", name)
				case p.null():
					return nil, nil
				}
				return p.list(nil, element, 0)
			})
		})
	})
}

// maxNesting bounds how deep lists may be nested.
const maxNesting = 100

// list appends the elements of a list, of lists within it, or a single one.
func (p *jsonText) list(dst []byte, element func() ([]byte, error), depth int) ([]byte, error) {
	if depth > maxNesting {
		return nil, p.errorf("JSON content was too deeply nested")
	}
	if !p.take('[') {
		b, err := element()
		return append(dst, b...), err
	}
	for {
		if p.take(']') {
			return dst, nil
		}
		var err error
		if dst, err = p.list(dst, element, depth+1); err != nil {
			return nil, err
		}
		if !p.take(',') && !p.at1(']') {
			return nil, p.errorf("expected ',' or ']'")
		}
	}
}

// message reads an object whose values field reads.
func (p *jsonText) message(field func(name string) ([]byte, error)) ([]byte, error) {
	if !p.take('{') {
		if p.at >= len(p.text) {
			return nil, p.errorf("unexpected EOF")
		}
		return nil, p.errorf("unexpected character: '%c'; expected '{'", p.text[p.at])
	}
	var b []byte
	for {
		if p.take('}') {
			return b, nil
		}
		name, err := p.name()
		if err != nil {
			return nil, err
		}
		if !p.take(':') {
			return nil, p.errorf("expected ':'")
		}
		value, err := field(name)
		if err != nil {
			return nil, err
		}
		b = append(b, value...)
		if !p.take(',') && !p.at1('}') {
			return nil, p.errorf("expected ',' or '}'")
		}
	}
}

func (p *jsonText) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// at1 reports whether c is next.
func (p *jsonText) at1(c byte) bool {
	p.space()
	return p.at < len(p.text) && p.text[p.at] == c
}

// take reads c if it is next.
func (p *jsonText) take(c byte) bool {
	if !p.at1(c) {
		return false
	}
	p.at++
	return true
}

func (p *jsonText) null() bool {
	p.space()
	if rest := p.text[p.at:]; strings.HasPrefix(rest, "null") {
		p.at += len("null")
		return true
	}
	return false
}

// word returns the characters up to white space or punctuation.
func (p *jsonText) word() string {
	p.space()
	start := p.at
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n,:]}[{\"'", p.text[p.at]) < 0 {
		p.at++
	}
	return p.text[start:p.at]
}

func (p *jsonText) name() (string, error) {
	if p.at1('"') || p.at1('\'') {
		return p.quoted()
	}
	w := p.word()
	if w == "" || w[0] >= '0' && w[0] <= '9' {
		return "", p.errorf("expected a name")
	}
	return w, nil
}

// scalar returns a string without its quotes, or a word.
func (p *jsonText) scalar() (text string, quoted bool, err error) {
	if p.at1('"') || p.at1('\'') {
		text, err = p.quoted()
		return text, true, err
	}
	if text = p.word(); text == "" {
		return "", false, p.errorf("expected a value")
	}
	return text, false, nil
}

func (p *jsonText) integer() ([]byte, error) {
	if p.null() {
		return []byte{1 << 3, 0}, nil
	}
	text, _, err := p.scalar()
	if err != nil {
		return nil, err
	}
	x, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		f, err := number(text)
		if err != nil || f != math.Trunc(f) || f < -1<<63 || f >= 1<<63 {
			return nil, p.errorf("invalid number: '%s' of int64", text)
		}
		x = int64(f)
	}
	return binary.AppendUvarint([]byte{1 << 3}, uint64(x)), nil
}

// number reads a number as JSON has them.
func number(text string) (float64, error) {
	if strings.Trim(text, "+-.eE0123456789") != "" || text == "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}

func (p *jsonText) float() ([]byte, error) {
	if p.null() {
		return []byte{1<<3 | 5, 0, 0, 0, 0}, nil
	}
	text, quoted, err := p.scalar()
	if err != nil {
		return nil, err
	}
	var x float64
	switch {
	case quoted && text == "NaN":
		x = math.NaN()
	case quoted && text == "Infinity":
		x = math.Inf(1)
	case quoted && text == "-Infinity":
		x = math.Inf(-1)
	default:
		if x, err = number(text); err != nil || math.Abs(x) > math.MaxFloat32 {
			return nil, p.errorf("invalid number: '%s' of float", text)
		}
	}
	bits := math.Float32bits(float32(x))
	if x != x {
		bits = 0x7fc00000
	}
	return binary.LittleEndian.AppendUint32([]byte{1<<3 | 5}, bits), nil
}

func (p *jsonText) bytes() ([]byte, error) {
	if p.null() {
		return []byte{1<<3 | 2, 0}, nil
	}
	text, quoted, err := p.scalar()
	if err != nil {
		return nil, err
	}
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || !quoted {
		return nil, p.errorf("invalid base64")
	}
	return appendField(nil, 1, b), nil
}

// quoted reads a string, whose first quote is next.
func (p *jsonText) quoted() (string, error) {
	quote := p.text[p.at]
	p.at++
	var b []byte
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case c == quote:
			p.at++
			if !utf8.Valid(b) {
				return "", p.errorf("invalid UTF-8 in a string")
			}
			return string(b), nil
		case c < ' ':
			return "", p.errorf("invalid control character 0x%02x in a string", c)
		case c != '\\':
			b = append(b, c)
			p.at++
		default:
			r, err := p.escaped()
			if err != nil {
				return "", err
			}
			b = utf8.AppendRune(b, r)
		}
	}
	return "", p.errorf("unexpected EOF")
}

// escaped reads what follows a backslash.
func (p *jsonText) escaped() (rune, error) {
	rest := p.text[p.at:]
	if len(rest) < 2 {
		return 0, p.errorf("unexpected EOF")
	}
	if i := strings.IndexByte(`"'\/bfnrt`, rest[1]); i >= 0 {
		p.at += 2
		return rune("\"'\\/\b\f\n\r\t"[i]), nil
	}
	unit := func(s string) (rune, bool) {
		if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
			return 0, false
		}
		x, err := strconv.ParseUint(s[2:6], 16, 16)
		return rune(x), err == nil
	}
	r, ok := unit(rest)
	if !ok {
		return 0, p.errorf("invalid escape in a string")
	}
	p.at += 6
	if utf16.IsSurrogate(r) {
		low, ok := unit(rest[6:])
		if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
			return 0, p.errorf("invalid surrogate in a string")
		}
		p.at += 6
	}
	return r, nil
}
