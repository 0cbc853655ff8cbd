package serve

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A printer writes elements of a tensor as JSON.
type printer struct {
	dims  []int64
	print func(b []byte, i int) []byte       // element i
	all   func(b []byte, from, n int) []byte // n elements on a line; nil: print does it
}

// printerOf returns what writes a tensor. Strings of a name that ends in "_bytes" are
// written in base 64.
func printerOf(name string, t *tensor.Tensor) (*printer, error) {
	p := &printer{dims: t.Shape()}
	if lists := empty(p.dims); lists > mostEmpty {
		return nil, status.Errorf(status.ResourceExhausted, "output '%s' has %d lists without elements", name, lists)
	}
	v := tensor.ValueOf(t)
	switch t.DType() {
	case tensor.Float:
		x := tensor.Of[float32](&v)
		p.print = func(b []byte, i int) []byte { return appendFloat(b, float64(x[i]), 32) }
		p.all = func(b []byte, from, n int) []byte { return appendFloats(b, x[from:from+n]) }
	case tensor.Double:
		x := tensor.Of[float64](&v)
		p.print = func(b []byte, i int) []byte { return appendFloat(b, x[i], 64) }
	case tensor.Int8:
		p.print = whole(tensor.Of[int8](&v))
	case tensor.Int16:
		p.print = whole(tensor.Of[int16](&v))
	case tensor.Int32:
		p.print = whole(tensor.Of[int32](&v))
	case tensor.Int64:
		p.print = whole(tensor.Of[int64](&v))
	case tensor.Uint8:
		p.print = whole(tensor.Of[uint8](&v))
	case tensor.Uint32:
		p.print = whole(tensor.Of[uint32](&v))
	case tensor.Uint64:
		x := tensor.Of[uint64](&v)
		p.print = func(b []byte, i int) []byte { return strconv.AppendUint(b, x[i], 10) }
	case tensor.Bool:
		x := tensor.Of[bool](&v)
		p.print = func(b []byte, i int) []byte { return strconv.AppendBool(b, x[i]) }
	case tensor.String:
		x := tensor.Of[string](&v)
		if strings.HasSuffix(name, "_bytes") {
			p.print = func(b []byte, i int) []byte {
				b = append(b, `{"b64": "`...)
				b = base64.StdEncoding.AppendEncode(b, []byte(x[i]))
				return append(b, `"}`...)
			}
		} else {
			p.print = func(b []byte, i int) []byte { return appendText(b, x[i]) }
		}
	default:
		return nil, status.Invalid("output '%s' is %v, which JSON has no values for", name, t.DType())
	}
	return p, nil
}

// mostEmpty bounds how many lists without elements are written.
const mostEmpty = 1 << 20

// empty returns how many lists without elements a shape has.
func empty(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		if d == 0 {
			return n
		}
		n *= d
	}
	return 0
}

func whole[T int8 | int16 | int32 | int64 | uint8 | uint32](x []T) func(b []byte, i int) []byte {
	return func(b []byte, i int) []byte { return strconv.AppendInt(b, int64(x[i]), 10) }
}

// size returns the number of elements of one item below level lists.
func (p *printer) size(level int) int {
	n := 1
	for _, d := range p.dims[level:] {
		n *= int(d)
	}
	return n
}

// line writes, on one line, what begins with element i below level lists.
func (p *printer) line(b []byte, level, i int) []byte {
	if level == len(p.dims) {
		return p.print(b, i)
	}
	b = append(b, '[')
	if level == len(p.dims)-1 && p.all != nil {
		return append(p.all(b, i, int(p.dims[level])), ']')
	}
	if level == len(p.dims)-1 {
		for k := range int(p.dims[level]) {
			if k > 0 {
				b = append(b, ", "...)
			}
			b = p.print(b, i+k)
		}
		return append(b, ']')
	}
	n := p.size(level + 1)
	for k := range int(p.dims[level]) {
		if k > 0 {
			b = append(b, ", "...)
		}
		b = p.line(b, level+1, i+k*n)
	}
	return append(b, ']')
}

// lines writes it on as many lines as it takes, indented.
func (p *printer) lines(b []byte, level, i, indent int) []byte {
	if level == len(p.dims) {
		return p.print(b, i)
	}
	if p.dims[level] == 0 {
		return append(b, "[]"...)
	}
	b = append(b, '[')
	n := p.size(level + 1)
	for k := range int(p.dims[level]) {
		if k > 0 {
			b = append(b, ',')
		}
		b = newline(b, indent+1)
		b = p.lines(b, level+1, i+k*n, indent+1)
	}
	return append(newline(b, indent), ']')
}

func newline(b []byte, indent int) []byte {
	b = append(b, '\n')
	for range indent {
		b = append(b, "    "...)
	}
	return b
}

// appendText writes a string. What is no UTF-8 is replaced.
func appendText(b []byte, s string) []byte {
	plain := true
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			plain = false
			break
		}
	}
	if plain {
		return append(append(append(b, '"'), s...), '"')
	}
	text, _ := json.Marshal(s) // which cannot fail
	return append(b, text...)
}

// room returns about how many bytes tensors take as text, up to a bound.
func room(list []*printer) int {
	const each, most = 16, 1 << 20
	n := 64
	for _, p := range list {
		n += each * p.size(0)
	}
	return min(n, most)
}

// appendRows writes the reply to a request of rows: for each item its value, or an object
// of them.
func appendRows(b []byte, outputs map[string]*tensor.Tensor) ([]byte, error) {
	names := sorted.Keys(outputs)
	list := make([]*printer, len(names))
	rows := int64(-1)
	for i, name := range names {
		p, err := printerOf(name, outputs[name])
		if err != nil {
			return nil, err
		}
		if len(p.dims) == 0 {
			return nil, status.Invalid("Tensor name: %s has no shape information ", name)
		}
		if rows >= 0 && rows != p.dims[0] {
			return nil, status.Invalid("Tensor name: %s has inconsistent batch size: %d expecting: %d", name, p.dims[0], rows)
		}
		list[i], rows = p, p.dims[0]
	}
	b = slices.Grow(b, room(list))
	b = append(b, "{\n    \"predictions\": "...)
	if len(list) == 1 {
		b = list[0].line(b, 0, 0)
		return append(b[:len(b)-1], "\n    ]\n}"...), nil
	}
	b = append(b, '[')
	for k := range int(max(rows, 0)) {
		if k > 0 {
			b = append(b, ',')
		}
		b = append(newline(b, 2), '{')
		for i, p := range list {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(newline(b, 3), names[i]), ": "...)
			b = p.line(b, 1, k*p.size(1))
		}
		b = append(newline(b, 2), '}')
	}
	return append(b, "\n    ]\n}"...), nil
}

// appendColumns writes the reply to a request of whole inputs.
func appendColumns(b []byte, outputs map[string]*tensor.Tensor) ([]byte, error) {
	b = append(b, "{\n    \"outputs\": "...)
	names := sorted.Keys(outputs)
	if len(names) != 1 {
		b = append(b, '{')
	}
	for i, name := range names {
		p, err := printerOf(name, outputs[name])
		if err != nil {
			return nil, err
		}
		indent := 1
		if len(names) != 1 {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(newline(b, 2), name), ": "...)
			indent = 2
		}
		b = p.lines(b, 0, 0, indent)
	}
	if len(names) != 1 {
		b = append(newline(b, 1), '}')
	}
	return append(b, "\n}"...), nil
}
