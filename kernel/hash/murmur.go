package hash

import "encoding/binary"

// Murmur64 is MurmurHash64A (Appleby, 2008), except that the length is mixed with the
// seed as in TensorFlow's original string hash.
func Murmur64(s string, seed uint64) uint64 {
	const mul = 0xc6a4a7935bd1e995
	h := seed ^ uint64(len(s))*mul
	for ; len(s) >= 8; s = s[8:] {
		k := binary.LittleEndian.Uint64([]byte(s[:8])) * mul
		k ^= k >> 47
		h = (h ^ k*mul) * mul
	}
	if len(s) > 0 {
		for i := range len(s) {
			h ^= uint64(s[i]) << (8 * i)
		}
		h *= mul
	}
	h = (h ^ h>>47) * mul
	return h ^ h>>47
}
