package tensor

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// MarshalProto is t as a serialized TensorProto; see [Tensor.AppendProto].
func (t *Tensor) MarshalProto() ([]byte, error) { return t.AppendProto(nil) }

// AppendProto appends t as a serialized TensorProto to dst and returns the
// extended slice. Elements go into tensor_content; a single one, strings,
// handles, variants and integers of less than 8 bits into the repeated field
// of their dtype. It fails for reference types, and for a variant whose value
// is no [VariantMarshaler]; dst is then returned unchanged.
func (t *Tensor) AppendProto(dst []byte) ([]byte, error) { return t.appendProto(dst, false) }

// AppendProtoHead is [Tensor.AppendProto] for callers that write the elements themselves:
// content is the memory of the elements, which belong right behind what was appended. It
// must not be written, and is good as long as t. It is nil where all has been appended.
func (t *Tensor) AppendProtoHead(dst []byte) (head, content []byte, err error) {
	switch {
	case t.dtype.IsRef() || t.n <= 1 || t.dtype.HasPointers(), t.dtype == Int4, t.dtype == Uint4, t.dtype == Int2, t.dtype == Uint2:
		head, err = t.AppendProto(dst)
		return head, nil, err
	}
	content = t.littleEndian()
	dst = protowire.AppendTag(t.appendHead(dst), fieldContent, protowire.BytesType)
	return protowire.AppendVarint(dst, uint64(len(content))), content, nil
}

// MarshalContent is [Tensor.MarshalProto], but a single element is content too,
// as some operations put it out, and so are strings: all lengths, and then all
// bytes.
func (t *Tensor) MarshalContent() ([]byte, error) { return t.appendProto(nil, true) }

func (t *Tensor) appendProto(dst []byte, content bool) ([]byte, error) {
	if t.dtype.IsRef() {
		return dst, status.Invalid("a tensor of reference type %v cannot be serialized", t.dtype)
	}
	start := len(dst)
	dst = t.appendHead(dst)
	if t.n == 0 {
		return dst, nil
	}
	dst, err := t.appendElements(dst, content)
	if err != nil {
		return dst[:start], err
	}
	return dst, nil
}

// appendHead appends dtype and shape.
func (t *Tensor) appendHead(dst []byte) []byte {
	dst = protowire.AppendTag(dst, fieldDtype, protowire.VarintType)
	dst = protowire.AppendVarint(dst, uint64(t.dtype))
	dst = protowire.AppendTag(dst, fieldShape, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(shapeSize(t.shape)))
	for _, d := range t.shape {
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

func (t *Tensor) appendElements(dst []byte, content bool) ([]byte, error) {
	switch {
	case t.dtype == String && content:
		var b []byte
		for _, s := range elems[string](t) {
			b = protowire.AppendVarint(b, uint64(len(s)))
		}
		for _, s := range elems[string](t) {
			b = append(b, s...)
		}
		return appendMessage(dst, fieldContent, b), nil
	case t.dtype.HasPointers(), t.dtype == Int4, t.dtype == Uint4, t.dtype == Int2, t.dtype == Uint2:
	case t.n > 1 || content:
		return appendMessage(dst, fieldContent, t.littleEndian()), nil
	}
	return t.AppendValues(dst)
}

// AppendValues appends the fields of a TensorProto that hold the elements, each as
// a value of the repeated field of their dtype, without dtype and shape.
func (t *Tensor) AppendValues(dst []byte) ([]byte, error) {
	if t.n == 0 {
		return dst, nil
	}
	switch t.dtype {
	case String:
		for _, s := range elems[string](t) {
			dst = protowire.AppendTag(dst, fieldString, protowire.BytesType)
			dst = protowire.AppendString(dst, s)
		}
	case Resource:
		for _, h := range elems[*Handle](t) {
			dst = appendMessage(dst, fieldResource, appendHandle(nil, h))
		}
	case Variant:
		b, err := marshalVariants(t, nil)
		return append(dst, b...), err
	case Float:
		dst = appendMessage(dst, fieldFloat, t.littleEndian())
	case Double:
		dst = appendMessage(dst, fieldDouble, t.littleEndian())
	case Complex64:
		dst = appendMessage(dst, fieldComplex64, t.littleEndian())
	case Complex128:
		dst = appendMessage(dst, fieldComplex128, t.littleEndian())
	case Float8e5m2, Float8e4m3fn, Float8e4m3fnuz, Float8e4m3b11fnuz, Float8e5m2fnuz:
		dst = appendMessage(dst, fieldFloat8, t.rawBytes())
	case Bool:
		dst = appendVarints(dst, fieldBool, elems[uint8](t))
	case Int8, Qint8, Int4, Int2:
		dst = appendVarints(dst, fieldInt, elems[int8](t))
	case Uint8, Quint8, Uint4, Uint2:
		dst = appendVarints(dst, fieldInt, elems[uint8](t))
	case Int16, Qint16:
		dst = appendVarints(dst, fieldInt, elems[int16](t))
	case Uint16, Quint16:
		dst = appendVarints(dst, fieldInt, elems[uint16](t))
	case Int32, Qint32:
		dst = appendVarints(dst, fieldInt, elems[int32](t))
	case Half, Bfloat16:
		dst = appendVarints(dst, fieldHalf, elems[uint16](t))
	case Int64:
		dst = appendVarints(dst, fieldInt64, elems[int64](t))
	case Uint32:
		dst = appendVarints(dst, fieldUint32, elems[uint32](t))
	case Uint64:
		dst = appendVarints(dst, fieldUint64, elems[uint64](t))
	default:
		return dst, status.Errorf(status.Unimplemented, "tensor messages of type %v", t.dtype)
	}
	return dst, nil
}

// appendMessage appends a field of bytes.
func appendMessage(dst []byte, num protowire.Number, b []byte) []byte {
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

func appendHandle(dst []byte, h *Handle) []byte {
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

// ToProto returns t as a message, in the encoding of [Tensor.AppendProto]. Elements
// are copied. It is no method: every package that knows the type would compile what
// messages need.
func ToProto(t *Tensor) (*wire.TensorProto, error) {
	b, err := t.MarshalProto()
	if err != nil {
		return nil, err
	}
	p := &wire.TensorProto{}
	if err := proto.Unmarshal(b, p); err != nil {
		return nil, status.Errorf(status.Internal, "tensor message: %w", err)
	}
	return p, nil
}
