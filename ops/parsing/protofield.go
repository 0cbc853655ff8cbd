package parsing

import (
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/troupe-go/troupe/tensor"
)

// A protoField is a field of messages and the type that tensors of it have.
type protoField struct {
	fd protoreflect.FieldDescriptor
	dt tensor.DType
}

// protoTypes is the types that tensors may have, by the kind of the field.
var protoTypes = map[protoreflect.Kind][]tensor.DType{
	protoreflect.DoubleKind:   {tensor.Double},
	protoreflect.FloatKind:    {tensor.Float, tensor.Double},
	protoreflect.Int64Kind:    {tensor.Int64},
	protoreflect.Sint64Kind:   {tensor.Int64},
	protoreflect.Sfixed64Kind: {tensor.Int64},
	protoreflect.Uint64Kind:   {tensor.Uint64},
	protoreflect.Fixed64Kind:  {tensor.Uint64},
	protoreflect.Int32Kind:    {tensor.Int32, tensor.Int64},
	protoreflect.Sint32Kind:   {tensor.Int32, tensor.Int64},
	protoreflect.Sfixed32Kind: {tensor.Int32, tensor.Int64},
	protoreflect.Uint32Kind:   {tensor.Uint32, tensor.Uint64},
	protoreflect.Fixed32Kind:  {tensor.Uint32, tensor.Uint64},
	protoreflect.BoolKind:     {tensor.Bool},
	protoreflect.EnumKind:     {tensor.Int32},
	protoreflect.StringKind:   {tensor.String},
	protoreflect.BytesKind:    {tensor.String},
	protoreflect.MessageKind:  {tensor.String},
	protoreflect.GroupKind:    {tensor.String},
}

func (f *protoField) fits() bool { return slices.Contains(protoTypes[f.fd.Kind()], f.dt) }

// wireType returns the wire type of a value that is not packed.
func (f *protoField) wireType() protowire.Type {
	switch f.fd.Kind() {
	case protoreflect.DoubleKind, protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		return protowire.Fixed64Type
	case protoreflect.FloatKind, protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		return protowire.Fixed32Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	}
	return protowire.VarintType
}

// set sets element at of v to a value from the wire.
func (f *protoField) set(v *tensor.Value, at int, x fieldValue) {
	if x.none {
		f.setDefault(v, at)
		return
	}
	raw := x.number
	switch f.fd.Kind() {
	case protoreflect.DoubleKind:
		tensor.Of[float64](v)[at] = math.Float64frombits(raw)
	case protoreflect.FloatKind:
		f.setFloat(v, at, math.Float32frombits(uint32(raw)))
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind, protoreflect.EnumKind:
		f.setInt(v, at, int64(int32(raw)))
	case protoreflect.Sint32Kind:
		f.setInt(v, at, int64(int32(protowire.DecodeZigZag(raw&math.MaxUint32))))
	case protoreflect.Sint64Kind:
		f.setInt(v, at, protowire.DecodeZigZag(raw))
	case protoreflect.Int64Kind, protoreflect.Sfixed64Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		f.setInt(v, at, int64(raw))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		f.setInt(v, at, int64(uint32(raw)))
	case protoreflect.BoolKind:
		tensor.Of[bool](v)[at] = raw != 0
	default:
		tensor.Of[string](v)[at] = string(x.bytes)
	}
}

func (f *protoField) setFloat(v *tensor.Value, at int, x float32) {
	if f.dt == tensor.Double {
		tensor.Of[float64](v)[at] = float64(x)
		return
	}
	tensor.Of[float32](v)[at] = x
}

func (f *protoField) setInt(v *tensor.Value, at int, x int64) {
	switch f.dt {
	case tensor.Int32:
		tensor.Of[int32](v)[at] = int32(x)
	case tensor.Int64:
		tensor.Of[int64](v)[at] = x
	case tensor.Uint32:
		tensor.Of[uint32](v)[at] = uint32(x)
	default:
		tensor.Of[uint64](v)[at] = uint64(x)
	}
}

// setDefault sets element at of v to what stands for a value that is not there:
// the field's default, nothing for fields that are repeated.
func (f *protoField) setDefault(v *tensor.Value, at int) {
	var d protoreflect.Value
	if !f.fd.IsList() && f.fd.Message() == nil {
		d = f.fd.Default()
	}
	switch kind := f.fd.Kind(); {
	case f.dt == tensor.String && d.IsValid() && kind == protoreflect.StringKind:
		tensor.Of[string](v)[at] = d.String()
	case f.dt == tensor.String && d.IsValid():
		tensor.Of[string](v)[at] = string(d.Bytes())
	case f.dt == tensor.String:
		tensor.Of[string](v)[at] = ""
	case f.dt == tensor.Bool:
		tensor.Of[bool](v)[at] = d.IsValid() && d.Bool()
	case kind == protoreflect.DoubleKind:
		tensor.Of[float64](v)[at] = floatOr0(d)
	case kind == protoreflect.FloatKind:
		f.setFloat(v, at, float32(floatOr0(d)))
	case !d.IsValid():
		f.setInt(v, at, 0)
	case kind == protoreflect.EnumKind:
		f.setInt(v, at, int64(d.Enum()))
	case f.dt == tensor.Uint32, f.dt == tensor.Uint64:
		f.setInt(v, at, int64(d.Uint()))
	default:
		f.setInt(v, at, d.Int())
	}
}

func floatOr0(d protoreflect.Value) float64 {
	if d.IsValid() {
		return d.Float()
	}
	return 0
}

// append appends n values of v, from element at on, as the field's.
func (f *protoField) append(b []byte, v *tensor.Value, at, n int) []byte {
	number, wire := f.fd.Number(), f.wireType()
	if f.fd.IsPacked() && n > 0 {
		var packed []byte
		for i := range n {
			packed = appendNumber(packed, wire, f.number(v, at+i))
		}
		return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), packed)
	}
	for i := range n {
		b = protowire.AppendTag(b, number, wire)
		switch wire {
		case protowire.BytesType:
			b = protowire.AppendString(b, tensor.Of[string](v)[at+i])
		case protowire.StartGroupType:
			b = append(b, tensor.Of[string](v)[at+i]...)
			b = protowire.AppendTag(b, number, protowire.EndGroupType)
		default:
			b = appendNumber(b, wire, f.number(v, at+i))
		}
	}
	return b
}

func appendNumber(b []byte, wire protowire.Type, x uint64) []byte {
	switch wire {
	case protowire.Fixed32Type:
		return protowire.AppendFixed32(b, uint32(x))
	case protowire.Fixed64Type:
		return protowire.AppendFixed64(b, x)
	}
	return protowire.AppendVarint(b, x)
}

// number is element at of v as it goes over the wire.
func (f *protoField) number(v *tensor.Value, at int) uint64 {
	var x int64
	switch f.dt {
	case tensor.Float:
		return uint64(math.Float32bits(tensor.Of[float32](v)[at]))
	case tensor.Double:
		d := tensor.Of[float64](v)[at]
		if f.fd.Kind() == protoreflect.FloatKind {
			return uint64(math.Float32bits(float32(d)))
		}
		return math.Float64bits(d)
	case tensor.Bool:
		return uint64(protowire.EncodeBool(tensor.Of[bool](v)[at]))
	case tensor.Int32:
		x = int64(tensor.Of[int32](v)[at])
	case tensor.Int64:
		x = tensor.Of[int64](v)[at]
	case tensor.Uint32:
		x = int64(tensor.Of[uint32](v)[at])
	default:
		x = int64(tensor.Of[uint64](v)[at])
	}
	switch f.fd.Kind() {
	case protoreflect.Int32Kind:
		return uint64(int64(int32(x)))
	case protoreflect.Uint32Kind:
		return uint64(uint32(x))
	case protoreflect.Sint32Kind:
		return protowire.EncodeZigZag(int64(int32(x)))
	case protoreflect.Sint64Kind:
		return protowire.EncodeZigZag(x)
	}
	return uint64(x)
}
