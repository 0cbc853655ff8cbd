package wire

import "google.golang.org/protobuf/encoding/protowire"

// AppendField appends a length-delimited field: bytes, a string or a message.
func AppendField[T []byte | string](b []byte, num protowire.Number, body T) []byte {
	b = protowire.AppendTag(b, num, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(len(body)))
	return append(b, body...)
}

// AppendNumber appends a varint field.
func AppendNumber(b []byte, num protowire.Number, v uint64) []byte {
	b = protowire.AppendTag(b, num, protowire.VarintType)
	return protowire.AppendVarint(b, v)
}
