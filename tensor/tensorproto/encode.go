package tensorproto

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// Marshal returns t as a serialized TensorProto; see [Append].
func Marshal(t *tensor.Tensor) ([]byte, error) { return Append(nil, t) }

// Append appends t as a serialized TensorProto to dst and returns the
// extended slice. Elements go into tensor_content; a single one, strings,
// handles, variants and integers of less than 8 bits into the repeated field
// of their dtype. It fails for reference types, and for a variant whose value
// is no [tensor.VariantMarshaler]; dst is then returned unchanged.
func Append(dst []byte, t *tensor.Tensor) ([]byte, error) { return appendMessage(dst, t, false) }

// AppendHead is [Append] for callers that write the elements themselves:
// content is the memory of the elements, which belong right behind what was appended. It
// must not be written, and is good as long as t. It is nil where all has been appended.
func AppendHead(dst []byte, t *tensor.Tensor) (head, content []byte, err error) {
	switch {
	case t.DType().IsRef() || t.NumElements() <= 1 || t.DType().HasPointers(), t.DType() == tensor.Int4, t.DType() == tensor.Uint4, t.DType() == tensor.Int2, t.DType() == tensor.Uint2:
		head, err = Append(dst, t)
		return head, nil, err
	}
	content, _ = t.Contents()
	dst = protowire.AppendTag(appendHead(dst, t), fieldContent, protowire.BytesType)
	return protowire.AppendVarint(dst, uint64(len(content))), content, nil
}

// MarshalContent is [Marshal], but a single element is content too,
// as some operations put it out, and so are strings: all lengths, and then all
// bytes.
func MarshalContent(t *tensor.Tensor) ([]byte, error) { return appendMessage(nil, t, true) }

func appendMessage(dst []byte, t *tensor.Tensor, content bool) ([]byte, error) {
	if t.DType().IsRef() {
		return dst, status.Invalid("a tensor of reference type %v cannot be serialized", t.DType())
	}
	start := len(dst)
	dst = appendHead(dst, t)
	if t.NumElements() == 0 {
		return dst, nil
	}
	dst, err := appendElements(dst, t, content)
	if err != nil {
		return dst[:start], err
	}
	return dst, nil
}

// appendHead appends dtype and shape.
func appendHead(dst []byte, t *tensor.Tensor) []byte {
	dst = protowire.AppendTag(dst, fieldDtype, protowire.VarintType)
	dst = protowire.AppendVarint(dst, uint64(t.DType()))
	dst = protowire.AppendTag(dst, fieldShape, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(shapeSize(t.Dims())))
	for _, d := range t.Dims() {
		dst = protowire.AppendTag(dst, fieldDim, protowire.BytesType)
		if d == 0 {
			dst = append(dst, 0)
			continue
		}
		dst = protowire.AppendVarint(dst, uint64(1+protowire.SizeVarint(uint64(d))))
		dst = protowire.AppendTag(dst, fieldDimSize, protowire.VarintType)
		dst = protowire.AppendVarint(dst, uint64(d))
	}
	return dst
}

// shapeSize returns the size of a serialized TensorShapeProto.
func shapeSize(shape []int64) int {
	size := 0
	for _, d := range shape {
		size += 2
		if d != 0 {
			size += 1 + protowire.SizeVarint(uint64(d))
		}
	}
	return size
}

func appendElements(dst []byte, t *tensor.Tensor, content bool) ([]byte, error) {
	switch {
	case t.DType() == tensor.String && content:
		var b []byte
		for _, s := range elems[string](t) {
			b = protowire.AppendVarint(b, uint64(len(s)))
		}
		for _, s := range elems[string](t) {
			b = append(b, s...)
		}
		return appendBytes(dst, fieldContent, b), nil
	case t.DType().HasPointers(), t.DType() == tensor.Int4, t.DType() == tensor.Uint4, t.DType() == tensor.Int2, t.DType() == tensor.Uint2:
	case t.NumElements() > 1 || content:
		return appendContents(dst, fieldContent, t)
	}
	return AppendValues(dst, t)
}

// AppendValues appends the fields of a TensorProto that hold the elements, each as
// a value of the repeated field of their dtype, without dtype and shape.
func AppendValues(dst []byte, t *tensor.Tensor) ([]byte, error) {
	if t.NumElements() == 0 {
		return dst, nil
	}
	switch t.DType() {
	case tensor.String:
		for _, s := range elems[string](t) {
			dst = protowire.AppendTag(dst, fieldString, protowire.BytesType)
			dst = protowire.AppendString(dst, s)
		}
	case tensor.Resource:
		for _, h := range elems[*tensor.Handle](t) {
			dst = appendBytes(dst, fieldResource, appendHandle(nil, h))
		}
	case tensor.Variant:
		b, err := marshalVariants(t, nil)
		return append(dst, b...), err
	case tensor.Float:
		return appendContents(dst, fieldFloat, t)
	case tensor.Double:
		return appendContents(dst, fieldDouble, t)
	case tensor.Complex64:
		return appendContents(dst, fieldComplex64, t)
	case tensor.Complex128:
		return appendContents(dst, fieldComplex128, t)
	case tensor.Float8e5m2, tensor.Float8e4m3fn, tensor.Float8e4m3fnuz, tensor.Float8e4m3b11fnuz, tensor.Float8e5m2fnuz:
		return appendContents(dst, fieldFloat8, t)
	case tensor.Bool:
		dst = appendVarints(dst, fieldBool, elems[uint8](t))
	case tensor.Int8, tensor.Qint8, tensor.Int4, tensor.Int2:
		dst = appendVarints(dst, fieldInt, elems[int8](t))
	case tensor.Uint8, tensor.Quint8, tensor.Uint4, tensor.Uint2:
		dst = appendVarints(dst, fieldInt, elems[uint8](t))
	case tensor.Int16, tensor.Qint16:
		dst = appendVarints(dst, fieldInt, elems[int16](t))
	case tensor.Uint16, tensor.Quint16:
		dst = appendVarints(dst, fieldInt, elems[uint16](t))
	case tensor.Int32, tensor.Qint32:
		dst = appendVarints(dst, fieldInt, elems[int32](t))
	case tensor.Half, tensor.Bfloat16:
		dst = appendVarints(dst, fieldHalf, elems[uint16](t))
	case tensor.Int64:
		dst = appendVarints(dst, fieldInt64, elems[int64](t))
	case tensor.Uint32:
		dst = appendVarints(dst, fieldUint32, elems[uint32](t))
	case tensor.Uint64:
		dst = appendVarints(dst, fieldUint64, elems[uint64](t))
	default:
		return dst, status.Errorf(status.Unimplemented, "tensor messages of type %v", t.DType())
	}
	return dst, nil
}

// appendContents appends the elements as a field of bytes.
func appendContents(dst []byte, num protowire.Number, t *tensor.Tensor) ([]byte, error) {
	b, err := t.Contents()
	if err != nil {
		return dst, err
	}
	return appendBytes(dst, num, b), nil
}

// appendBytes appends a field of bytes.
func appendBytes(dst []byte, num protowire.Number, b []byte) []byte {
	dst = protowire.AppendTag(dst, num, protowire.BytesType)
	return protowire.AppendBytes(dst, b)
}

// appendVarints appends a packed field; negative values take ten bytes, as
// int32 and int64 fields have it.
func appendVarints[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](dst []byte, num protowire.Number, vs []T) []byte {
	size := 0
	for _, v := range vs {
		size += protowire.SizeVarint(uint64(int64(v)))
	}
	dst = protowire.AppendTag(dst, num, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(size))
	for _, v := range vs {
		dst = protowire.AppendVarint(dst, uint64(int64(v)))
	}
	return dst
}

func appendHandle(dst []byte, h *tensor.Handle) []byte {
	if h == nil {
		return dst
	}
	for _, f := range []struct {
		num   protowire.Number
		value string
	}{{1, h.Device}, {2, h.Container}, {3, h.Name}, {5, h.Type}} {
		if f.value != "" {
			dst = protowire.AppendTag(dst, f.num, protowire.BytesType)
			dst = protowire.AppendString(dst, f.value)
		}
	}
	return dst
}

// To returns t as a message, in the encoding of [Append]. Elements are copied.
func To(t *tensor.Tensor) (*wire.TensorProto, error) {
	b, err := Marshal(t)
	if err != nil {
		return nil, err
	}
	p := &wire.TensorProto{}
	if err := proto.Unmarshal(b, p); err != nil {
		return nil, status.Errorf(status.Internal, "tensor message: %w", err)
	}
	return p, nil
}
