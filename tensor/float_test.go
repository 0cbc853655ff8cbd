package tensor

import (
	"math"
	"testing"

	"github.com/x448/float16"
)

func TestFloat16IsExhaustivelyRight(t *testing.T) {
	for i := range 1 << 16 {
		h := Float16(i)
		got, want := h.Float32(), float16.Frombits(uint16(i)).Float32()
		if got != want && !(got != got && want != want) || math.Signbit(float64(got)) != math.Signbit(float64(want)) {
			t.Fatalf("Float16(%#04x).Float32() = %v, want %v", i, got, want)
		}
		if got == got && ToFloat16(got) != h {
			t.Fatalf("ToFloat16(%v) = %#04x, want %#04x", got, ToFloat16(got), i)
		}
	}
	// All exponents, and mantissas around every rounding boundary.
	for hi := range uint32(1 << 16) {
		for _, lo := range []uint32{0, 1, 0x0fff, 0x1000, 0x1001, 0x7fff, 0x8000, 0xffff} {
			f := math.Float32frombits(hi<<16 | lo)
			got, want := ToFloat16(f), float16.Fromfloat32(f)
			if uint16(got) != want.Bits() && !(f != f && want.IsNaN() && got.Float32() != got.Float32()) {
				t.Fatalf("ToFloat16(%v, %#08x) = %#04x, want %#04x", f, hi<<16|lo, got, want.Bits())
			}
		}
	}
}

func TestBFloat16RoundsToNearestEven(t *testing.T) {
	for hi := range uint32(1 << 16) {
		for _, lo := range []uint32{0, 1, 0x7fff, 0x8000, 0x8001, 0xffff} {
			f := math.Float32frombits(hi<<16 | lo)
			got := ToBFloat16(f)
			if f != f {
				if got.Float32() == got.Float32() {
					t.Fatalf("ToBFloat16(NaN %#08x) = %#04x", hi<<16|lo, got)
				}
				continue
			}
			// Of the neighbours by truncation, the nearer; if tied, the even one.
			down, up := BFloat16(hi), BFloat16(hi+1)
			want := down
			if lo > 0x8000 || lo == 0x8000 && hi&1 == 1 {
				want = up
			}
			if got != want {
				t.Fatalf("ToBFloat16(%#08x) = %#04x, want %#04x", hi<<16|lo, got, want)
			}
		}
	}
}

func TestNarrowFloatSlices(t *testing.T) {
	in := []float32{0, 1, -2.5, 65504, float32(math.Inf(-1))}
	if got := AppendFloat32s(nil, AppendFloat16s(nil, in)); !equalFloats(got, in) {
		t.Errorf("by way of half: %v", got)
	}
	in[3] = 65536
	if got := AppendFloat32s(nil, AppendBFloat16s(nil, in)); !equalFloats(got, in) {
		t.Errorf("by way of bfloat16: %v", got)
	}
}

func equalFloats(a, b []float32) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}
