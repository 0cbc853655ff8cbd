package wire

import (
	"encoding/binary"
	"hash/crc32"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MaskedSum returns the CRC-32C of b as record files hold it: rotated and shifted,
// because a sum over data that holds sums would be weak.
func MaskedSum[T []byte | string](b T) uint32 {
	c := crc32.Checksum([]byte(b), castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

// AppendRecord appends a record of a TFRecord file, such as one of events: the
// length of body, the sum of that, body, and its sum.
func AppendRecord(b, body []byte) []byte {
	at := len(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(body)))
	b = binary.LittleEndian.AppendUint32(b, MaskedSum(b[at:]))
	b = append(b, body...)
	return binary.LittleEndian.AppendUint32(b, MaskedSum(body))
}
