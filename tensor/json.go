package tensor

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/troupe-go/troupe/status"
)

// MarshalJSON returns the elements as JSON, in lists nested by the shape; a scalar is its
// element alone. What JSON has no form for is written as others do: numbers that are not
// finite as "NaN", "Infinity" and "-Infinity", complex numbers as [real, imaginary],
// strings that are not UTF-8 as {"b64": "…"}. Handles and variants are UNIMPLEMENTED.
func (t *Tensor) MarshalJSON() ([]byte, error) {
	switch t.dtype {
	case Resource, Variant:
		return nil, status.Errorf(status.Unimplemented, "JSON: a tensor of type %v cannot be written", t.dtype)
	}
	at := 0
	return t.appendJSON(nil, t.shape, &at), nil
}

// appendJSON appends the elements from *at on that dims hold.
func (t *Tensor) appendJSON(b []byte, dims []int64, at *int) []byte {
	if len(dims) == 0 {
		*at++
		return t.appendElement(b, *at-1)
	}
	b = append(b, '[')
	for i := range dims[0] {
		if i > 0 {
			b = append(b, ',')
		}
		b = t.appendJSON(b, dims[1:], at)
	}
	return append(b, ']')
}

func (t *Tensor) appendElement(b []byte, i int) []byte {
	switch t.dtype {
	case Float, Double, Half, Bfloat16, Float8e5m2, Float8e4m3fn, Float8e4m3fnuz, Float8e4m3b11fnuz, Float8e5m2fnuz:
		bits := 32
		if t.dtype == Double {
			bits = 64
		}
		return appendFloat(b, floatAt(t, i), bits)
	case Complex64, Complex128:
		bits, x := 32, complexAt(t, i)
		if t.dtype == Complex128 {
			bits = 64
		}
		b = appendFloat(append(b, '['), real(x), bits)
		b = appendFloat(append(b, ','), imag(x), bits)
		return append(b, ']')
	case String:
		s := elems[string](t)[i]
		if !utf8.ValidString(s) {
			b = append(b, `{"b64":"`...)
			b = base64.StdEncoding.AppendEncode(b, []byte(s))
			return append(b, `"}`...)
		}
		text, _ := json.Marshal(s) // which cannot fail
		return append(b, text...)
	}
	return append(b, elementText(t, i)...) // booleans and integers
}

// appendFloat appends the shortest number that is x among those of that many bits.
func appendFloat(b []byte, x float64, bits int) []byte {
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
