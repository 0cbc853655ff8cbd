package bundle

import "hash/crc32"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mask returns what is stored for the CRC-32C c: a sum over data that holds sums
// would otherwise be weak.
func mask(c uint32) uint32 { return (c>>15 | c<<17) + 0xa282ead8 }

func checksum(b []byte) uint32 { return mask(crc32.Checksum(b, castagnoli)) }
