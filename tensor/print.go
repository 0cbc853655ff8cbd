package tensor

import (
	"fmt"
	"strings"
)

// A Printer prints tensors the way NumPy prints arrays (its version 2.4): an
// axis is a pair of brackets, columns are aligned, floats have the shortest
// digits that tell them apart, cut at Precision, and share one notation.
// Fields that are 0 mean NumPy's defaults.
type Printer struct {
	Threshold int // elements from which on the middle of long axes is left out; default 1000
	EdgeItems int // elements that stay at each end of such an axis; default 3
	Width     int // columns of a line; default 75
	Precision int // digits after a float's point; default 8
}

// String prints t with NumPy's defaults: "[[1 2]\n [3 4]]" or, for a scalar,
// "3.5".
func (t *Tensor) String() string { return Printer{}.Sprint(t) }

// String prints v as [Tensor.String] does; it leaves v's ownership as it is.
func (v Value) String() string {
	switch {
	case v.t == nil:
		return "<no value>"
	case v.IsRef():
		return "<" + v.t.dtype.String() + ">"
	case v.inside():
		t := &Tensor{dtype: v.t.dtype, n: 1}
		t.reserve(1)
		*(*uint64)(t.data) = v.bits
		return t.String()
	}
	return v.t.String()
}

// Sprint prints t.
func (p Printer) Sprint(t *Tensor) string {
	set := func(field *int, value int) {
		if *field <= 0 {
			*field = value
		}
	}
	set(&p.Threshold, 1000)
	set(&p.EdgeItems, 3)
	set(&p.Width, 75)
	set(&p.Precision, 8)
	switch {
	case t.dtype.IsRef():
		return "<" + t.dtype.String() + ">"
	case len(t.shape) == 0:
		return scalarText(t)
	case t.n == 0:
		return "[]"
	}
	l := layout{t: t, shape: t.shape, edge: p.EdgeItems, summary: t.n > p.Threshold}
	var shown []int
	l.visit(0, 0, t.n, func(i int) { shown = append(shown, i) })
	l.element = p.formatter(t, shown)
	return l.text(0, 0, t.n, 1, p.Width)
}

// A layout arranges elements in brackets and lines.
type layout struct {
	t       *Tensor
	shape   []int64
	edge    int
	summary bool
	element func(i int) string
}

// items is which entries of an axis are shown: those before head, and those
// from tail on. They are all shown if head is tail.
func (l *layout) items(axis int) (head, tail, n int) {
	n = int(l.shape[axis])
	if l.summary && n > 2*l.edge {
		return l.edge, n - l.edge, n
	}
	return 0, 0, n
}

// visit calls f with the shown elements of the part of the tensor that starts
// at element at and has size of them, along the axes from axis on.
func (l *layout) visit(axis, at, size int, f func(i int)) {
	if axis == len(l.shape) {
		f(at)
		return
	}
	head, tail, n := l.items(axis)
	step := size / n
	for i := 0; i < n; i++ {
		if i == head && tail > head {
			i = tail
		}
		l.visit(axis+1, at+i*step, step, f)
	}
}

// text returns that part of the tensor in brackets; continued lines are indented by
// indent, and none is longer than width where that can be helped.
func (l *layout) text(axis, at, size, indent, width int) string {
	head, tail, n := l.items(axis)
	step := size / n
	if axis < len(l.shape)-1 {
		var parts []string
		for i := 0; i < n; i++ {
			if i == head && tail > head {
				parts = append(parts, "...")
				i = tail
			}
			parts = append(parts, l.text(axis+1, at+i*step, step, indent+1, width-1))
		}
		between := strings.Repeat("\n", len(l.shape)-1-axis) + strings.Repeat(" ", indent)
		return "[" + strings.Join(parts, between) + "]"
	}

	var b strings.Builder // complete lines
	line := strings.Repeat(" ", indent)
	add := func(word string) {
		if len(line)+len(word) > width-1 && len(line) > indent {
			b.WriteString(strings.TrimRight(line, " "))
			b.WriteByte('\n')
			line = strings.Repeat(" ", indent)
		}
		line += word
	}
	for i := 0; i < n; i++ {
		if i == head && tail > head {
			add("...")
			line += " "
			i = tail
		}
		add(l.element(at + i))
		if i < n-1 {
			line += " "
		}
	}
	b.WriteString(line)
	return "[" + b.String()[indent:] + "]"
}

// formatter returns how the elements print that are shown together.
func (p Printer) formatter(t *Tensor, shown []int) func(i int) string {
	switch t.dtype {
	case Bool:
		return func(i int) string {
			if elems[bool](t)[i] {
				return " True"
			}
			return "False"
		}
	case Float, Double, Half:
		return p.floats(t.dtype, len(shown), func(k int) float64 { return t.FloatAt(shown[k]) }, false, func(i int) float64 { return t.FloatAt(i) })
	case Complex64, Complex128:
		part := Float
		if t.dtype == Complex128 {
			part = Double
		}
		re := p.floats(part, len(shown), func(k int) float64 { return real(t.ComplexAt(shown[k])) }, false,
			func(i int) float64 { return real(t.ComplexAt(i)) })
		im := p.floats(part, len(shown), func(k int) float64 { return imag(t.ComplexAt(shown[k])) }, true,
			func(i int) float64 { return imag(t.ComplexAt(i)) })
		return func(i int) string {
			s := im(i)
			digits := strings.TrimRight(s, " ")
			return re(i) + digits + "j" + s[len(digits):]
		}
	case Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Qint8, Qint16, Qint32, Quint8, Quint16:
		width := 0
		for _, i := range shown {
			width = max(width, len(elementText(t, i)))
		}
		return func(i int) string { return fmt.Sprintf("%*s", width, elementText(t, i)) }
	}
	return func(i int) string { return elementText(t, i) }
}

// scalarText returns a tensor of rank 0: as an element, but floats have a digit
// after the point and complex numbers parentheses.
func scalarText(t *Tensor) string {
	switch t.dtype {
	case Float, Double, Half:
		return scalarFloat(t.FloatAt(0), t.dtype, true)
	case Complex64, Complex128:
		part := Float
		if t.dtype == Complex128 {
			part = Double
		}
		return scalarComplex(t.ComplexAt(0), part)
	case Bool:
		if elems[bool](t)[0] {
			return "True"
		}
		return "False"
	}
	return elementText(t, 0)
}

// elementText is element i on its own.
func elementText(t *Tensor, i int) string {
	switch t.dtype {
	case Bool:
		return fmt.Sprint(elems[bool](t)[i])
	case Int8, Qint8, Int4, Int2:
		return fmt.Sprint(elems[int8](t)[i])
	case Int16, Qint16:
		return fmt.Sprint(elems[int16](t)[i])
	case Int32, Qint32:
		return fmt.Sprint(elems[int32](t)[i])
	case Int64:
		return fmt.Sprint(elems[int64](t)[i])
	case Uint8, Quint8, Uint4, Uint2:
		return fmt.Sprint(elems[uint8](t)[i])
	case Uint16, Quint16:
		return fmt.Sprint(elems[uint16](t)[i])
	case Uint32:
		return fmt.Sprint(elems[uint32](t)[i])
	case Uint64:
		return fmt.Sprint(elems[uint64](t)[i])
	case Float, Double, Half:
		return scalarFloat(t.FloatAt(i), t.dtype, true)
	case Bfloat16, Float8e5m2, Float8e4m3fn, Float8e4m3fnuz, Float8e4m3b11fnuz, Float8e5m2fnuz:
		return shortFloat(t.FloatAt(i))
	case Complex64:
		return scalarComplex(t.ComplexAt(i), Float)
	case Complex128:
		return scalarComplex(t.ComplexAt(i), Double)
	case String:
		return bytesText(elems[string](t)[i])
	case Resource:
		h := elems[*Handle](t)[i]
		if h == nil || h.Name == "" && h.Type == "" {
			return "<Resource>"
		}
		return fmt.Sprintf("<Resource %s %q>", h.Type, h.Container+"/"+h.Name)
	case Variant:
		return variantText(elems[*Object](t)[i])
	}
	return "?"
}

func variantText(o *Object) string {
	if o == nil || o.Value == nil {
		return "<Variant>"
	}
	switch v := o.Value.(type) {
	case *VariantData:
		return fmt.Sprintf("<Variant %q>", v.TypeName)
	case fmt.Stringer:
		return "<Variant " + v.String() + ">"
	}
	return fmt.Sprintf("<Variant %T>", o.Value)
}

// bytesText is s as Python writes bytes: b'a\x00'.
func bytesText(s string) string {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	b := append(make([]byte, 0, len(s)+3), 'b', quote)
	for i := range len(s) {
		switch c := s[i]; {
		case c == quote || c == '\\':
			b = append(b, '\\', c)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c < ' ' || c >= 0x7f:
			b = fmt.Appendf(b, `\x%02x`, c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, quote))
}
