package hash

import (
	"encoding/binary"
	"math/bits"
)

// Fingerprint64 is the 64-bit fingerprint of Google's FarmHash
// (https://github.com/google/farmhash, farmhashna::Hash64), which stays the
// same for good.
func Fingerprint64(s string) uint64 {
	switch n := len(s); {
	case n <= 16:
		return farm16(s)
	case n <= 32:
		mul := farmK2 + uint64(n)*2
		a, b, c, d := word(s, 0)*farmK1, word(s, 8), word(s, n-8)*mul, word(s, n-16)*farmK2
		return farmMix(rotate(a+b, 43)+rotate(c, 30)+d, a+rotate(b+farmK2, 18)+c, mul)
	case n <= 64:
		return farm64(s)
	}
	return farmLong(s)
}

const (
	farmK0 uint64 = 0xc3a5c85c97cb3127
	farmK1 uint64 = 0xb492b66fbe98f273
	farmK2 uint64 = 0x9ae16a3b2f90404f
)

// word is 8 bytes of s from i on.
func word(s string, i int) uint64 { return binary.LittleEndian.Uint64([]byte(s[i : i+8])) }

// halfWord is 4 bytes of s from i on.
func halfWord(s string, i int) uint64 { return uint64(binary.LittleEndian.Uint32([]byte(s[i : i+4]))) }

// rotate turns x right.
func rotate(x uint64, by int) uint64 { return bits.RotateLeft64(x, -by) }

func shiftMix(x uint64) uint64 { return x ^ x>>47 }

// farmMix hashes two words.
func farmMix(u, v, mul uint64) uint64 {
	a := shiftMix((u ^ v) * mul)
	return shiftMix((v^a)*mul) * mul
}

// farm16 hashes up to 16 bytes.
func farm16(s string) uint64 {
	n := len(s)
	mul := farmK2 + uint64(n)*2
	switch {
	case n >= 8:
		a, b := word(s, 0)+farmK2, word(s, n-8)
		return farmMix(rotate(b, 37)*mul+a, (rotate(a, 25)+b)*mul, mul)
	case n >= 4:
		return farmMix(uint64(n)+halfWord(s, 0)<<3, halfWord(s, n-4), mul)
	case n > 0:
		y := uint32(s[0]) + uint32(s[n>>1])<<8
		z := uint32(n) + uint32(s[n-1])<<2
		return shiftMix(uint64(y)*farmK2^uint64(z)*farmK0) * farmK2
	}
	return farmK2
}

// farm64 hashes 33 to 64 bytes.
func farm64(s string) uint64 {
	n := len(s)
	mul := farmK2 + uint64(n)*2
	a, b, c, d := word(s, 0)*farmK2, word(s, 8), word(s, n-8)*mul, word(s, n-16)*farmK2
	y := rotate(a+b, 43) + rotate(c, 30) + d
	z := farmMix(y, a+rotate(b+farmK2, 18)+c, mul)
	e, f, g, h := word(s, 16)*mul, word(s, 24), (y+word(s, n-32))*mul, (z+word(s, n-24))*mul
	return farmMix(rotate(e+f, 43)+rotate(g, 30)+h, e+rotate(f+a, 18)+g, mul)
}

// A farmPair is 128 bits of a running hash.
type farmPair struct{ a, b uint64 }

// farmWeak takes 32 bytes of s, from i on, into a pair.
func farmWeak(s string, i int, a, b uint64) farmPair {
	w, x, y, z := word(s, i), word(s, i+8), word(s, i+16), word(s, i+24)
	a += w
	b = rotate(b+a+z, 21)
	c := a
	a += x + y
	return farmPair{a + z, b + rotate(a, 44) + c}
}

// farmLong hashes more than 64 bytes: whole blocks of 64, then the last 64.
func farmLong(s string) uint64 {
	var x, y uint64 = 81, 81
	y = y*farmK1 + 113
	z := shiftMix(y*farmK2+113) * farmK2
	var v, w farmPair
	x = x*farmK2 + word(s, 0)
	block := func(i int, mul, by uint64) {
		x = rotate(x+y+v.a+word(s, i+8), 37) * mul
		y = rotate(y+v.b+word(s, i+48), 42) * mul
		x ^= by * w.b
		y += by*v.a + word(s, i+40)
		z = rotate(z+w.a, 33) * mul
		v = farmWeak(s, i, v.b*mul, x+w.a)
		w = farmWeak(s, i+32, z+w.b, y+word(s, i+16))
		z, x = x, z
	}
	last := len(s) - 1
	for i := 0; i < last/64*64; i += 64 {
		block(i, farmK1, 1)
	}
	mul := farmK1 + z&0xff<<1
	w.a += uint64(last & 63)
	v.a += w.a
	w.a += v.a
	block(len(s)-64, mul, 9)
	return farmMix(farmMix(v.a, w.a, mul)+shiftMix(y)*farmK0+z, farmMix(v.b, w.b, mul)+x, mul)
}
