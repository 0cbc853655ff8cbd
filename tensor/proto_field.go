package tensor

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
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
)

// A protoField is one field of a message as it stands on the wire.
type protoField struct {
	num protowire.Number
	typ protowire.Type
	raw []byte // the value; without its length for bytes
	at  int    // offset of raw in the outermost message
}

// varint is the value of a field of wire type varint.
func (f protoField) varint() uint64 {
	v, _ := protowire.ConsumeVarint(f.raw)
	return v
}

func (f protoField) isBytes(num protowire.Number) bool {
	return f.num == num && f.typ == protowire.BytesType
}

func (f protoField) isVarint(num protowire.Number) bool {
	return f.num == num && f.typ == protowire.VarintType
}

// malformed is an error at an offset of the message.
func malformed(at int, format string, args ...any) error {
	return status.Invalid("tensor message, byte %d: %s", at, fmt.Sprintf(format, args...))
}

// eachField visits the fields of b in order; base is b's offset in the
// outermost message.
func eachField(b []byte, base int, visit func(protoField) error) error {
	for at := 0; at < len(b); {
		num, typ, n := protowire.ConsumeTag(b[at:])
		if n < 0 {
			return malformed(base+at, "%v", protowire.ParseError(n))
		}
		at += n
		n = protowire.ConsumeFieldValue(num, typ, b[at:])
		if n < 0 {
			return malformed(base+at, "field %d: %v", num, protowire.ParseError(n))
		}
		f := protoField{num: num, typ: typ, raw: b[at : at+n], at: base + at}
		if typ == protowire.BytesType {
			_, prefix := protowire.ConsumeVarint(f.raw)
			f.raw, f.at = f.raw[prefix:], f.at+prefix
		}
		if err := visit(f); err != nil {
			return err
		}
		at += n
	}
	return nil
}
