package registry

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// appendMessage appends a length-delimited field with what body appends.
func appendMessage(dst []byte, num protowire.Number, body func([]byte) ([]byte, error)) ([]byte, error) {
	dst = protowire.AppendTag(dst, num, protowire.BytesType)
	start := len(dst)
	dst, err := body(dst)
	if err != nil {
		return dst, err
	}
	size := len(dst) - start
	prefix := protowire.SizeVarint(uint64(size))
	dst = append(dst, make([]byte, prefix)...)
	copy(dst[start+prefix:], dst[start:start+size])
	protowire.AppendVarint(dst[:start], uint64(size))
	return dst, nil
}

func appendString(dst []byte, num protowire.Number, s string) []byte {
	dst = protowire.AppendTag(dst, num, protowire.BytesType)
	return protowire.AppendString(dst, s)
}

func appendVarint(dst []byte, num protowire.Number, v uint64) []byte {
	dst = protowire.AppendTag(dst, num, protowire.VarintType)
	return protowire.AppendVarint(dst, v)
}

func appendBool(dst []byte, num protowire.Number, v bool) []byte {
	return appendVarint(dst, num, protowire.EncodeBool(v))
}
