package hash

// Sip24 is SipHash-2-4 (Aumasson and Bernstein, 2012) with the key k0, k1.
func Sip24(s string, k0, k1 uint64) uint64 {
	v0, v1 := k0^0x736f6d6570736575, k1^0x646f72616e646f6d
	v2, v3 := k0^0x6c7967656e657261, k1^0x7465646279746573
	round := func() {
		v0 += v1
		v1 = rotate(v1, 51) ^ v0
		v0 = rotate(v0, 32)
		v2 += v3
		v3 = rotate(v3, 48) ^ v2
		v0 += v3
		v3 = rotate(v3, 43) ^ v0
		v2 += v1
		v1 = rotate(v1, 47) ^ v2
		v2 = rotate(v2, 32)
	}
	take := func(m uint64) {
		v3 ^= m
		round()
		round()
		v0 ^= m
	}
	last := uint64(len(s)) << 56
	for ; len(s) >= 8; s = s[8:] {
		take(word(s, 0))
	}
	for i := range len(s) {
		last |= uint64(s[i]) << (8 * i)
	}
	take(last)
	v2 ^= 0xff
	for range 4 {
		round()
	}
	return v0 ^ v1 ^ v2 ^ v3
}
