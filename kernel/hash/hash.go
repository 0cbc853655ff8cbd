package hash

import (
	"unsafe"

	"github.com/dchest/siphash"
	"github.com/dgryski/go-farm"
)

// Fingerprint64 returns the 64-bit fingerprint of Google's FarmHash
// (https://github.com/google/farmhash, farmhashna::Hash64), which never changes.
func Fingerprint64(s string) uint64 { return farm.Fingerprint64(view(s)) }

// Sip24 is SipHash-2-4 (Aumasson and Bernstein, 2012) with the key k0, k1.
func Sip24(s string, k0, k1 uint64) uint64 { return siphash.Hash(k0, k1, view(s)) }

// view returns the bytes of s without a copy, for functions that only read them.
func view(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
