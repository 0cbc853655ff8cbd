package vec

import "math/bits"

// Philox sets dst to numbers of the generator Philox4x32-10 (package kernel/philox), four for
// each value of the counter, of which low and high are the halves. What is left behind a
// multiple of four is unchanged.
func Philox(dst []uint32, low, high, key uint64) {
	const together = 64 // numbers, which all steps of the assembly divide
	n := len(dst) &^ (together - 1)
	if _, overflow := bits.Add64(low, uint64(n/4), 0); overflow != 0 {
		n = 0
	}
	switch isa {
	case avx512:
		philoxAVX512(dst[:n], low, high, key)
	case avx2:
		philoxAVX2(dst[:n], low, high, key)
	default:
		n = 0
	}
	low += uint64(n / 4)
	philoxPortable(dst[n:], low, high, key)
}

func philoxPortable(dst []uint32, low, high, key uint64) {
	for ; len(dst) >= 4; dst = dst[4:] {
		c0, c1, c2, c3 := uint32(low), uint32(low>>32), uint32(high), uint32(high>>32)
		k0, k1 := uint32(key), uint32(key>>32)
		for range 10 {
			x, y := uint64(c0)*0xD2511F53, uint64(c2)*0xCD9E8D57
			c0, c1, c2, c3 = uint32(y>>32)^c1^k0, uint32(y), uint32(x>>32)^c3^k1, uint32(x)
			k0 += 0x9E3779B9
			k1 += 0xBB67AE85
		}
		dst[0], dst[1], dst[2], dst[3] = c0, c1, c2, c3
		if low++; low == 0 {
			high++
		}
	}
}
