package tensor

import (
	"slices"
	"sync"

	"github.com/troupe-go/troupe/status"
)

// VariantData is the serialized form of a Variant's element: what an [Object]
// holds when it comes from a message. Code that knows the type decodes it; until
// then it is carried unchanged.
type VariantData struct {
	TypeName string   // such as "tensorflow::TensorList"
	Metadata []byte   // not to be written
	Tensors  [][]byte // serialized TensorProtos, each as package tensorproto reads it; not to be written

	// Part is, of a value that is about to be serialized, its Parts tensors, in place of
	// Tensors: values are nested too deep for each to serialize those within it.
	Part  func(i int) Value
	Parts int
}

// TotalBytes returns what v takes. See [Value.TotalBytes].
func (v *VariantData) TotalBytes() int64 {
	size := len(v.Metadata)
	for _, b := range v.Tensors {
		size += len(b) + 24
	}
	return int64(size)
}

// A VariantMarshaler is an [Object]'s value that has a serialized form, which refers
// to the tensors within it instead of containing them.
type VariantMarshaler interface {
	MarshalVariant() (*VariantData, error)
}

// MarshalVariant is v itself.
func (v *VariantData) MarshalVariant() (*VariantData, error) { return v, nil }

var (
	variantsMu      sync.RWMutex // not a sync.Map, of which each package compiles the methods
	variantDecoders = map[string]func(*VariantData) (any, error){}
)

// RegisterVariant says how elements of a type name are read: decode makes what
// an [Object] of that kind holds. The package that knows the type calls it when
// it is initialized.
func RegisterVariant(typeName string, decode func(*VariantData) (any, error)) {
	variantsMu.Lock()
	defer variantsMu.Unlock()
	variantDecoders[typeName] = decode
}

// variantForm returns the serialized form of a tensor of variants.
var variantForm = func(*Tensor) ([]byte, error) {
	return nil, status.Errorf(status.Unimplemented, "package tensorproto is not linked")
}

// RegisterVariantForm says how [Compare] serializes variants. Package tensorproto calls it,
// which knows the form, when it is initialized.
func RegisterVariantForm(marshal func(*Tensor) ([]byte, error)) { variantForm = marshal }

// DecodeVariants is v, a Variant tensor, with the elements decoded whose type
// names are registered; the others stay serialized.
func DecodeVariants(v Value) (Value, error) {
	elements := slices.Clone(Of[*Object](&v))
	for i, o := range elements {
		if o == nil {
			continue
		}
		d, ok := o.Value.(*VariantData)
		if !ok {
			continue
		}
		variantsMu.RLock()
		decode, ok := variantDecoders[d.TypeName]
		variantsMu.RUnlock()
		if !ok {
			continue
		}
		x, err := decode(d)
		if err != nil {
			return Value{}, err
		}
		elements[i] = &Object{Value: x}
	}
	t, err := FromSlice(elements, v.Dims()...)
	if err != nil {
		return Value{}, err
	}
	return ValueOf(t), nil
}
