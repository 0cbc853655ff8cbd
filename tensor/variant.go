package tensor

// VariantData is the serialized form of a Variant's element: what an [Object]
// holds when it comes from a message. Whoever knows the type decodes it; until
// then it is carried as it is.
type VariantData struct {
	TypeName string   // such as "tensorflow::TensorList"
	Metadata []byte   // not to be written
	Tensors  [][]byte // serialized TensorProtos, each as UnmarshalProto reads it; not to be written
}

// A VariantMarshaler is an [Object]'s value that has a serialized form.
type VariantMarshaler interface {
	MarshalVariant() (*VariantData, error)
}

// MarshalVariant is v itself.
func (v *VariantData) MarshalVariant() (*VariantData, error) { return v, nil }
