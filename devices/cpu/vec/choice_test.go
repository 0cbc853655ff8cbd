package vec

import (
	"slices"
	"testing"
)

func TestComparisons(t *testing.T) {
	pairs := len(special) * len(special)
	eachISA(t, func(t *testing.T) {
		for _, c := range []struct {
			name    string
			vectors func(dst []bool, x, y []float32)
			scalar  func(dst []bool, x []float32, s float32)
			exact   func(x, y float32) bool
		}{
			{"Less", Less, LessScalar, func(x, y float32) bool { return x < y }},
			{"LessEqual", LessEqual, LessEqualScalar, func(x, y float32) bool { return x <= y }},
			{"Greater", Greater, GreaterScalar, func(x, y float32) bool { return x > y }},
			{"GreaterEqual", GreaterEqual, GreaterEqualScalar, func(x, y float32) bool { return x >= y }},
		} {
			for n := range 70 {
				x, y, dst, want := guarded[float32](t, n), guarded[float32](t, n), guarded[bool](t, n), make([]bool, n)
				for start := 0; start < pairs; start += max(n, 1) * 7 {
					for i := range x {
						p := (start + i*7) % pairs
						x[i], y[i] = special[p/len(special)], special[p%len(special)]
						want[i] = c.exact(x[i], y[i])
					}
					c.vectors(dst, x, y)
					if !slices.Equal(dst, want) {
						t.Fatalf("%s of %v and %v is %v, want %v", c.name, x, y, dst, want)
					}
					s := special[(start+n)%len(special)]
					for i := range want {
						want[i] = c.exact(x[i], s)
					}
					c.scalar(dst, x, s)
					if !slices.Equal(dst, want) {
						t.Fatalf("%s of %v and %v is %v, want %v", c.name, x, s, dst, want)
					}
				}
			}
		}
	})
}

func TestChoose(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for n := range 100 {
			dst, x, y, c := guarded[float32](t, n), mixed(t, n), guarded[float32](t, n), guarded[bool](t, n)
			want := make([]float32, n)
			for i := range n {
				y[i], c[i] = -1e9-float32(i), i*i%7 < 3
				if want[i] = y[i]; c[i] {
					want[i] = x[i]
				}
			}
			Choose(dst, c, x, y)
			if !same(dst, want) {
				t.Fatalf("of %v, %v and %v are chosen %v, want %v", c, x, y, dst, want)
			}
			Choose(x, c, x, y)
			if !same(x, want) {
				t.Fatalf("in place %v, want %v", x, want)
			}
		}
	})
}
