package registry

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

// MarshalAttr is v as a serialized AttrValue. It fails where a tensor cannot
// be serialized.
func MarshalAttr(v AttrValue) ([]byte, error) { return AppendAttr(nil, &v) }

// AppendAttr appends v as a serialized AttrValue to dst and returns the
// extended slice. Equal values give equal bytes.
func AppendAttr(dst []byte, v *AttrValue) ([]byte, error) {
	switch {
	case v.Flaw != nil:
		return append(dst, v.Flaw.Message...), nil
	case v.Kind.IsList():
		return appendMessage(dst, attrList, func(dst []byte) ([]byte, error) { return appendList(dst, v) })
	case v.Placeholder != "":
		return appendString(dst, attrPlaceholder, v.Placeholder), nil
	case v.Kind == KindFunc:
		return appendElem(dst, attrFunc, v)
	case v.Kind == KindNone:
		return dst, nil
	}
	return appendElem(dst, protowire.Number(v.Kind)+1, v)
}

// AppendAttrs appends the attributes as entries of the map that is field num
// of a message.
func AppendAttrs(dst []byte, num protowire.Number, attrs Attrs) ([]byte, error) {
	var err error
	for i := range attrs {
		a := &attrs[i]
		dst, err = appendMessage(dst, num, func(dst []byte) ([]byte, error) {
			dst = appendString(dst, entryKey, a.Name)
			return appendMessage(dst, entryValue, func(dst []byte) ([]byte, error) { return AppendAttr(dst, &a.Value) })
		})
		if err != nil {
			return dst, status.Within(err, "attr '%s'", a.Name)
		}
	}
	return dst, nil
}

// appendElem appends one value of a kind that is no list.
func appendElem(dst []byte, num protowire.Number, v *AttrValue) ([]byte, error) {
	switch v.Kind {
	case KindString:
		return appendString(dst, num, v.S), nil
	case KindFloat:
		dst = protowire.AppendTag(dst, num, protowire.Fixed32Type)
		return protowire.AppendFixed32(dst, math.Float32bits(v.F)), nil
	case KindInt, KindBool, KindType:
		return appendVarint(dst, num, v.bits()), nil
	case KindShape:
		return appendMessage(dst, num, func(dst []byte) ([]byte, error) { return appendShape(dst, v.Shape), nil })
	case KindTensor:
		return appendMessage(dst, num, func(dst []byte) ([]byte, error) {
			if v.Tensor == nil {
				return dst, nil
			}
			return tensorproto.Append(dst, v.Tensor)
		})
	case KindFunc:
		return appendMessage(dst, num, func(dst []byte) ([]byte, error) {
			if v.Func == nil {
				return dst, nil
			}
			if v.Func.Name != "" {
				dst = appendString(dst, funcName, v.Func.Name)
			}
			return AppendAttrs(dst, funcAttr, v.Func.Attrs)
		})
	}
	return dst, nil
}

// bits returns an int, bool or type as a varint field holds it.
func (v *AttrValue) bits() uint64 {
	switch v.Kind {
	case KindBool:
		return protowire.EncodeBool(v.B)
	case KindType:
		return uint64(v.Type)
	}
	return uint64(v.I)
}

func appendList(dst []byte, v *AttrValue) ([]byte, error) {
	if len(v.List) == 0 {
		return dst, nil
	}
	elem := v.Kind.Elem()
	num := protowire.Number(elem) + 1
	switch elem {
	case KindFloat:
		dst = protowire.AppendTag(dst, num, protowire.BytesType)
		dst = protowire.AppendVarint(dst, uint64(4*len(v.List)))
		for i := range v.List {
			dst = protowire.AppendFixed32(dst, math.Float32bits(v.List[i].F))
		}
		return dst, nil
	case KindInt, KindBool, KindType:
		return appendMessage(dst, num, func(dst []byte) ([]byte, error) {
			for i := range v.List {
				dst = protowire.AppendVarint(dst, v.List[i].bits())
			}
			return dst, nil
		})
	}
	var err error
	for i := range v.List {
		if dst, err = appendElem(dst, num, &v.List[i]); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func appendShape(dst []byte, s Shape) []byte {
	for _, dim := range s.Dims {
		if dim == 0 {
			dst = appendString(dst, shapeDim, "")
			continue
		}
		dst = protowire.AppendTag(dst, shapeDim, protowire.BytesType)
		dst = protowire.AppendVarint(dst, uint64(1+protowire.SizeVarint(uint64(dim))))
		dst = appendVarint(dst, dimSize, uint64(dim))
	}
	if s.Unknown {
		dst = appendBool(dst, shapeUnknown, true)
	}
	return dst
}
