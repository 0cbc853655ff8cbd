package registry

import (
	"math"
	"strconv"
	"strings"
)

// String returns the value as [ParseAttr] reads it back, given its kind: "DT_FLOAT",
// `"text"`, "[1, 2]", "[2,?]" for a shape, `f[T=DT_INT32]` for a function,
// "$T" for a placeholder.
func (v AttrValue) String() string { return string(v.append(nil)) }

// Typed returns the value as [ParseTyped] reads it back: as String, after its kind
// where that is not plain to see, as in "shape [2,?]" and "list(int) []".
func (v AttrValue) Typed() string { return string(v.appendTyped(nil)) }

func (v *AttrValue) appendTyped(b []byte) []byte {
	switch {
	case v.Placeholder != "":
	case v.Kind.IsList():
		elem := v.Kind.Elem()
		if elem != KindNone && len(v.List) == 0 || elem == KindShape || elem == KindFunc {
			b = append(b, v.Kind.String()...)
			b = append(b, ' ')
		}
	case v.Kind == KindShape, v.Kind == KindFunc:
		b = append(b, v.Kind.String()...)
		b = append(b, ' ')
	}
	return v.append(b)
}

func (v *AttrValue) append(b []byte) []byte {
	if v.Flaw != nil {
		return append(b, "<"+v.Flaw.Reason+">"...)
	}
	if v.Kind.IsList() {
		b = append(b, '[')
		for i := range v.List {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = v.List[i].append(b)
		}
		return append(b, ']')
	}
	switch v.Kind {
	case KindString:
		return append(b, quote(v.S)...)
	case KindInt:
		return strconv.AppendInt(b, v.I, 10)
	case KindFloat:
		return appendFloat(b, v.F)
	case KindBool:
		return strconv.AppendBool(b, v.B)
	case KindType:
		return append(b, v.Type.ProtoName()...)
	case KindShape:
		return append(b, v.Shape.String()...)
	case KindTensor:
		return appendTensor(b, v.Tensor)
	case KindFunc:
		return v.Func.append(b)
	}
	if v.Placeholder != "" {
		return append(append(b, '$'), name(v.Placeholder)...)
	}
	return append(b, "none"...)
}

// appendFloat appends a float so that it cannot be taken for an integer.
func appendFloat(b []byte, f float32) []byte {
	switch {
	case math.IsInf(float64(f), 1):
		return append(b, "inf"...)
	case math.IsInf(float64(f), -1):
		return append(b, "-inf"...)
	case f != f:
		return append(b, "nan"...)
	}
	start := len(b)
	b = strconv.AppendFloat(b, float64(f), 'g', -1, 32)
	if !strings.ContainsAny(string(b[start:]), ".e") {
		b = append(b, ".0"...)
	}
	return b
}

// name returns a name as it is if it is a word, else quoted.
func name(s string) string {
	if sc := (scanner{text: s}); s != "" && sc.word() == s {
		return s
	}
	return quote(s)
}

// String is "[2,?]", or "?" for an unknown rank.
func (s Shape) String() string {
	if s.Unknown {
		return "?"
	}
	b := []byte{'['}
	for i, dim := range s.Dims {
		if i > 0 {
			b = append(b, ',')
		}
		if dim == -1 {
			b = append(b, '?')
		} else {
			b = strconv.AppendInt(b, dim, 10)
		}
	}
	return string(append(b, ']'))
}

// String returns the function's name, and its attributes in brackets: "f[n=2]".
func (f *Func) String() string { return string(f.append(nil)) }

func (f *Func) append(b []byte) []byte {
	if f == nil {
		return append(b, `""`...)
	}
	b = append(b, name(f.Name)...)
	if len(f.Attrs) == 0 {
		return b
	}
	return append(append(append(b, '['), f.Attrs.append(nil)...), ']')
}

// String returns the attributes as "a=1, b=shape [2]"; [ParseAttrs] reads it back.
func (a Attrs) String() string { return string(a.append(nil)) }

func (a Attrs) append(b []byte) []byte {
	for i := range a {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(append(b, name(a[i].Name)...), '=')
		b = a[i].Value.appendTyped(b)
	}
	return b
}
