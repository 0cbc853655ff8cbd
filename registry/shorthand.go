package registry

import (
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// A shorthand is a name for a set of types in definitions. The order is that
// of the definitions that TensorFlow exports.
type shorthand struct {
	name  string
	types []tensor.DType
}

var shorthands = []shorthand{
	{"numbertype", []tensor.DType{
		tensor.Float, tensor.Double, tensor.Int32, tensor.Uint8, tensor.Int16, tensor.Int8, tensor.Complex64,
		tensor.Int64, tensor.Qint8, tensor.Quint8, tensor.Qint32, tensor.Bfloat16, tensor.Qint16, tensor.Quint16,
		tensor.Uint16, tensor.Complex128, tensor.Half, tensor.Uint32, tensor.Uint64,
	}},
	{"realnumbertype", []tensor.DType{
		tensor.Float, tensor.Double, tensor.Int32, tensor.Uint8, tensor.Int16, tensor.Int8, tensor.Int64,
		tensor.Bfloat16, tensor.Uint16, tensor.Half, tensor.Uint32, tensor.Uint64,
	}},
	{"quantizedtype", []tensor.DType{tensor.Qint8, tensor.Quint8, tensor.Qint32, tensor.Qint16, tensor.Quint16}},
}

// shorthandTypes returns the set that a word stands for, nil if it stands for none.
func shorthandTypes(word string) []tensor.DType {
	for _, s := range shorthands {
		if s.name == word {
			return s.types
		}
	}
	return nil
}

func (a *AttrDef) isShorthand(s shorthand) bool {
	return a.Kind.Elem() == KindType && slices.Equal(a.AllowedTypes, s.types)
}
