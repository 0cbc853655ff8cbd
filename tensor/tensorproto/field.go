package tensorproto

import (
	"fmt"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The fields of TensorProto.
const (
	fieldDtype       = protowire.Number(1)
	fieldShape       = protowire.Number(2)
	fieldContent     = protowire.Number(4)
	fieldFloat       = protowire.Number(5)
	fieldDouble      = protowire.Number(6)
	fieldInt         = protowire.Number(7)
	fieldString      = protowire.Number(8)
	fieldComplex64   = protowire.Number(9)
	fieldInt64       = protowire.Number(10)
	fieldBool        = protowire.Number(11)
	fieldComplex128  = protowire.Number(12)
	fieldHalf        = protowire.Number(13)
	fieldResource    = protowire.Number(14)
	fieldVariant     = protowire.Number(15)
	fieldUint32      = protowire.Number(16)
	fieldUint64      = protowire.Number(17)
	fieldFloat8      = protowire.Number(18)
	fieldDim         = protowire.Number(2) // of TensorShapeProto
	fieldUnknownRank = protowire.Number(3)
	fieldDimSize     = protowire.Number(1) // of TensorShapeProto.Dim

	fieldVariantName     = protowire.Number(1) // of VariantTensorDataProto
	fieldVariantMetadata = protowire.Number(2)
	fieldVariantTensor   = protowire.Number(3)
)

// elems returns t's memory as elements of type T, unchecked.
func elems[T tensor.Element](t *tensor.Tensor) []T { return tensor.Elements[T](t.Memory()) }

// first returns the address of t's first element.
func first[T tensor.Element](t *tensor.Tensor) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(elems[T](t)))
}

// malformed returns an error at an offset of the message.
func malformed(at int, format string, args ...any) error {
	return status.Invalid(messageName+" is malformed at byte %d: %s", at, fmt.Sprintf(format, args...))
}
