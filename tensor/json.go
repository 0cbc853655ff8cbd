package tensor

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor/jsontext"
)

// MarshalJSON returns the elements as JSON, in lists nested by the shape, as package
// tensor/jsontext describes. Handles and variants are UNIMPLEMENTED.
func (t *Tensor) MarshalJSON() ([]byte, error) {
	switch t.dtype {
	case Resource, Variant:
		return nil, status.Errorf(status.Unimplemented, "JSON: a tensor of type %v cannot be written", t.dtype)
	}
	return jsontext.Append(nil, t.shape, t.appendJSON), nil
}

// appendJSON appends element i.
func (t *Tensor) appendJSON(b []byte, i int) []byte {
	switch t.dtype {
	case Double:
		return jsontext.AppendFloat(b, t.FloatAt(i), 64)
	case Float, Half, Bfloat16, Float8e5m2, Float8e4m3fn, Float8e4m3fnuz, Float8e4m3b11fnuz, Float8e5m2fnuz:
		return jsontext.AppendFloat(b, t.FloatAt(i), 32)
	case Complex64:
		return jsontext.AppendComplex(b, t.ComplexAt(i), 32)
	case Complex128:
		return jsontext.AppendComplex(b, t.ComplexAt(i), 64)
	case String:
		return jsontext.AppendString(b, elems[string](t)[i])
	}
	return append(b, elementText(t, i)...) // booleans and integers
}
