package summary

import (
	"math"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/tensor"
)

// A Text is what is printed of tensors, one after another. What is between them
// may be written by who has it. The zero Text is empty.
type Text struct {
	strings.Builder
	// Room is asked before the text takes n bytes more than it has asked for so far;
	// nil: there is always room. After an error no more elements are printed.
	Room func(n int) error

	asked int
	calls int
	err   error
}

// Err returns the first error of Room.
func (t *Text) Err() error { return t.err }

// room reports whether n bytes more may be printed.
func (t *Text) room(n int) bool {
	if t.err != nil {
		return false
	}
	if n += t.Len(); n > t.asked && t.Room != nil {
		more := max(n-t.asked, t.asked, 1<<10) // what is asked for doubles, as the text's memory does
		t.err = t.Room(more)
		t.asked += more
	}
	if t.calls++; t.calls&1023 == 0 && t.Room != nil && t.err == nil { // time has passed
		t.err = t.Room(0)
	}
	return t.err == nil
}

// First prints the first max elements, all if max is negative: "1 2 3...", and
// in more than one dimension "[1 2][3...]...". It is what assertions print.
func First(v *tensor.Value, max int64) string {
	var t Text
	t.First(v, max)
	return t.String()
}

// First prints what the function First does.
func (t *Text) First(v *tensor.Value, max int64) {
	p := printer{Text: t, v: v, limit: bound(v, max)}
	switch {
	case irregular(v.DType()):
		p.opaque()
	case v.IsScalar():
		for range p.limit {
			p.element(p.next)
		}
	default:
		p.first(v.Dims())
	}
	if v.NumElements() > p.limit {
		p.WriteString("...")
	}
}

// Ends prints the first and the last max entries along each dimension, all if
// max is negative: "[[1 2]\n [3 4]]", "[1 2 ... 8 9]", with quotes around
// strings. It is what formatted strings hold.
func Ends(v *tensor.Value, max int64) string {
	var t Text
	t.Ends(v, max)
	return t.String()
}

// Ends prints what the function Ends does.
func (t *Text) Ends(v *tensor.Value, max int64) {
	p := printer{Text: t, v: v, limit: bound(v, max), quote: true}
	switch {
	case irregular(v.DType()):
		if v.Rank() > 0 {
			p.WriteByte('[')
		}
		p.opaque()
		if v.NumElements() > p.limit {
			p.WriteString("...")
		}
		if v.Rank() > 0 {
			p.WriteByte(']')
		}
	case !v.IsScalar():
		p.ends(0, 0)
	case p.limit > 0:
		p.element(0)
	default:
		p.WriteString("...")
	}
}

func bound(v *tensor.Value, max int64) int {
	if n := int64(v.NumElements()); max < 0 || max > n {
		return int(n)
	}
	return int(max)
}

type printer struct {
	*Text
	v     *tensor.Value
	limit int
	next  int // the next element that first prints
	quote bool
}

// first prints what is left below the limit of a part of that shape.
func (p *printer) first(dims []int64) {
	if len(dims) > 1 {
		for range dims[0] {
			if p.next >= p.limit || !p.room(2) {
				return
			}
			p.WriteByte('[')
			p.first(dims[1:])
			p.WriteByte(']')
		}
		return
	}
	for i := range dims[0] {
		if p.next >= p.limit {
			if p.v.Rank() > 1 {
				p.WriteString("...")
			}
			return
		}
		if i > 0 {
			p.WriteByte(' ')
		}
		if !p.element(p.next) {
			return
		}
		p.next++
	}
}

// ends prints the part along dimensions dim and on that begins at element at.
func (p *printer) ends(dim, at int) {
	dims := p.v.Dims()
	if dim == len(dims) {
		p.element(at)
		return
	}
	size := 1
	for _, d := range dims[dim+1:] {
		size *= int(d)
	}
	n := int(dims[dim])
	p.WriteByte('[')
	for i := range min(n, p.limit) {
		if !p.room(2 * len(dims)) {
			return
		}
		if i > 0 {
			p.space(dim)
		}
		p.ends(dim+1, at+i*size)
	}
	if n > 2*p.limit {
		p.space(dim)
		p.WriteString("...")
	}
	for i := max(p.limit, n-p.limit); i < n; i++ {
		if !p.room(2 * len(dims)) {
			return
		}
		p.space(dim)
		p.ends(dim+1, at+i*size)
	}
	p.WriteByte(']')
}

// space parts two entries of a dimension.
func (p *printer) space(dim int) {
	last := p.v.Rank() - 1
	if dim == last {
		p.WriteByte(' ')
		return
	}
	p.WriteString(strings.Repeat("\n", last-dim))
	p.WriteString(strings.Repeat(" ", dim+1))
}

// irregular reports whether elements of a type are printed in one row, whatever the shape.
func irregular(dt tensor.DType) bool {
	return dt.HasPointers() && dt != tensor.String || dt == tensor.Complex64 || dt == tensor.Complex128
}

// opaque prints elements that have no text: variants, handles and complex numbers.
func (p *printer) opaque() {
	for i := range p.limit {
		if !p.room(64) {
			return
		}
		if i > 0 {
			p.WriteByte(' ')
		}
		if dt := p.v.DType(); !dt.HasPointers() {
			p.WriteByte('?')
		} else if dt != tensor.Resource {
			p.WriteString("<?>")
		} else if h := tensor.Of[*tensor.Handle](p.v)[i]; h != nil {
			p.WriteString("ResourceHandle(name=\"" + h.Name + "\", device=\"" + h.Device + "\", container=\"" + h.Container + "\", type=\"" + h.Type + "\")")
		}
	}
}

// element prints element i, if there is room.
func (p *printer) element(i int) bool {
	v := p.v
	size := 64
	if v.DType() == tensor.String {
		size += 3 * len(tensor.Of[string](v)[i]) // one copy escaped, and one in quotes
	}
	if !p.room(size) {
		return false
	}
	switch dt := v.DType(); dt {
	case tensor.Bool:
		if tensor.Of[bool](v)[i] {
			p.WriteByte('1')
		} else {
			p.WriteByte('0')
		}
	case tensor.Float:
		p.WriteString(Float(float64(tensor.Of[float32](v)[i]), 32))
	case tensor.Double:
		p.WriteString(Float(tensor.Of[float64](v)[i], 64))
	case tensor.Half:
		p.WriteString(Float(float64(tensor.Of[tensor.Float16](v)[i].Float32()), 32))
	case tensor.Bfloat16:
		p.WriteString(Float(float64(tensor.Of[tensor.BFloat16](v)[i].Float32()), 32))
	case tensor.String:
		s := Escape(tensor.Of[string](v)[i])
		if p.quote {
			s = `"` + s + `"`
		}
		p.WriteString(s)
	default:
		t := tensor.ScalarAt(v, i).Tensor()
		p.WriteString(t.ElementText(0))
	}
	return true
}

// Float prints x, of that many bits, with 6 significant digits, or 15 for 64
// bits, if they tell it apart, else with 3 or 2 more.
func Float(x float64, bits int) string {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(x, 'g', -1, bits)), "+")
	}
	short, long := 6, 9
	if bits == 64 {
		short, long = 15, 17
	}
	s := General(x, short, false)
	if back, err := strconv.ParseFloat(s, bits); err != nil || back != x {
		s = General(x, long, false)
	}
	return s
}

// General prints a finite x with that many significant digits as C's %g does,
// or, with zeros, as its %#g: with zeros at the end.
func General(x float64, digits int, zeros bool) string {
	digits = max(digits, 1)
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', digits-1, 64), "e")
	n, _ := strconv.Atoi(exponent)
	if n >= -4 && n < digits {
		mantissa, exponent = strconv.FormatFloat(x, 'f', digits-1-n, 64), ""
	} else {
		exponent = "e" + exponent
	}
	if !zeros && strings.Contains(mantissa, ".") {
		mantissa = strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".")
	}
	return mantissa + exponent
}

// Escape writes s as a C string literal holds it, but for what is not ASCII,
// which stays.
func Escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '"', c == '\'', c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c == 0x7f:
			b.WriteByte('\\')
			b.WriteByte('0' + c>>6)
			b.WriteByte('0' + c>>3&7)
			b.WriteByte('0' + c&7)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
