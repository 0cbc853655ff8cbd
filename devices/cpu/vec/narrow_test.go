package vec

import (
	"math"
	"testing"

	"github.com/troupe-go/troupe/tensor"
)

// TestNarrow compares conversions of every number of 16 bits, and of floats beside all
// places where they are rounded, with those of single numbers, bit by bit.
func TestNarrow(t *testing.T) {
	var floats []float32
	for high := range uint32(1 << 16) {
		for _, low := range []uint32{0, 1, 0xfff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001, 0xffff} {
			floats = append(floats, math.Float32frombits(high<<16|low))
		}
	}
	halves, bfloats := make([]tensor.Float16, 1<<16), make([]tensor.BFloat16, 1<<16)
	for i := range halves {
		halves[i], bfloats[i] = tensor.Float16(i), tensor.BFloat16(i)
	}
	eachISA(t, func(t *testing.T) {
		// Lengths that no vector divides, too.
		for _, n := range []int{0, 1, 7, 15, 31, 1<<16 - 1, 1 << 16} {
			wide := make([]float32, n)
			WidenHalf(wide, halves[:n])
			for i, x := range wide {
				if want := halves[i].Float32(); math.Float32bits(x) != math.Float32bits(want) {
					t.Fatalf("WidenHalf of %#04x is %v, not %v", i, x, want)
				}
			}
			WidenBfloat(wide, bfloats[:n])
			for i, x := range wide {
				if want := bfloats[i].Float32(); math.Float32bits(x) != math.Float32bits(want) {
					t.Fatalf("WidenBfloat of %#04x is %v, not %v", i, x, want)
				}
			}
		}
		h, b := make([]tensor.Float16, len(floats)-1), make([]tensor.BFloat16, len(floats)-1)
		NarrowHalf(h, floats[1:])
		NarrowBfloat(b, floats[1:])
		for i, x := range floats[1:] {
			if want := tensor.ToFloat16(x); h[i] != want {
				t.Fatalf("NarrowHalf of %#08x is %#04x, not %#04x", math.Float32bits(x), h[i], want)
			}
			if want := tensor.ToBFloat16(x); b[i] != want {
				t.Fatalf("NarrowBfloat of %#08x is %#04x, not %#04x", math.Float32bits(x), b[i], want)
			}
		}
	})
}
