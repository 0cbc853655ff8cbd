// Package jsontext writes arrays as JSON, in lists nested by the shape. What JSON has no
// form for is written as others do: numbers that are not finite as "NaN", "Infinity" and
// "-Infinity", complex numbers as [real, imaginary], strings that are not UTF-8 as
// {"b64": "…"}.
//
// It knows no tensors: package tensor calls it, as encoding/json looks for a method.
package jsontext

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"
)

// Append appends an array of shape dims to b; element appends element i, counted in
// row-major order. A scalar is its element alone.
func Append(b []byte, dims []int64, element func(b []byte, i int) []byte) []byte {
	w := writer{b: b, element: element}
	w.list(dims)
	return w.b
}

// A writer writes elements from at on.
type writer struct {
	b       []byte
	at      int
	element func(b []byte, i int) []byte
}

// list writes as many elements as dims hold.
func (w *writer) list(dims []int64) {
	if len(dims) == 0 {
		w.b = w.element(w.b, w.at)
		w.at++
		return
	}
	w.b = append(w.b, '[')
	for i := range dims[0] {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.list(dims[1:])
	}
	w.b = append(w.b, ']')
}

// AppendFloat appends the shortest number that is x among those of that many bits.
func AppendFloat(b []byte, x float64, bits int) []byte {
	switch {
	case math.IsNaN(x):
		return append(b, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(b, `"-Infinity"`...)
	}
	form := byte('f')
	if a := math.Abs(x); a != 0 && (a < 1e-6 || a >= 1e21) {
		form = 'e'
	}
	return strconv.AppendFloat(b, x, form, -1, bits)
}

// AppendComplex appends x, whose parts have that many bits.
func AppendComplex(b []byte, x complex128, bits int) []byte {
	b = AppendFloat(append(b, '['), real(x), bits)
	b = AppendFloat(append(b, ','), imag(x), bits)
	return append(b, ']')
}

// AppendString appends bytes that may be text.
func AppendString(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		b = append(b, `{"b64":"`...)
		b = base64.StdEncoding.AppendEncode(b, []byte(s))
		return append(b, `"}`...)
	}
	text, _ := json.Marshal(s) // which cannot fail
	return append(b, text...)
}
