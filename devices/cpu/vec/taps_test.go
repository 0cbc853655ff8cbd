package vec

import (
	"math"
	"testing"
)

// vanish makes x so small, and every other element zero, that products are -0 if they are rounded.
func vanish(x []float32) []float32 {
	for i := range x {
		x[i] = float32(math.Copysign(0x1p-149, float64(x[i])) * float64(i%2))
	}
	return x
}

func TestTaps(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for channels := 1; channels < 150; channels += 1 + channels/20 {
			for _, taps := range []Taps{
				{Lines: 3, Columns: 3, Next: 10 * channels, Column: channels, WeightLine: 3 * channels, Pixels: 11, Step: channels},
				{Lines: 2, Columns: 1, Next: 7*channels + 5, Column: 1, WeightLine: 4*channels + 1, Pixels: 7, Step: 2 * channels},
				{Lines: 1, Columns: 5, Next: 0, Column: 2 * channels, WeightLine: 5 * channels, Pixels: 1, Step: 0},
			} {
				taps.Channels = channels
				src := mixed(t, (taps.Pixels-1)*taps.Step+(taps.Lines-1)*taps.Next+(taps.Columns-1)*taps.Column+channels)
				weights := mixed(t, (taps.Lines-1)*taps.WeightLine+taps.Columns*channels)
				if channels%2 == 0 {
					vanish(weights)
				}
				got, want := guarded[float32](t, taps.Pixels*channels), make([]float32, taps.Pixels*channels)
				for i := range want {
					p, c := i/channels, i%channels
					for l := range taps.Lines {
						for k := range taps.Columns {
							want[i] = multiplyAdd(src[p*taps.Step+l*taps.Next+k*taps.Column+c], weights[l*taps.WeightLine+k*channels+c], want[i])
						}
					}
					want[i] += 0 // never -0
				}
				taps.Multiply(got, src, weights)
				if !same(got, want) {
					t.Fatalf("%+v: %v, want %v", taps, got, want)
				}
				for i := range src {
					if i%5 == 0 {
						src[i] = special[i%len(special)]
					}
				}
				for i := range want {
					p, c := i/channels, i%channels
					want[i] = -math.MaxFloat32
					for l := range taps.Lines {
						for k := range taps.Columns {
							if x := src[p*taps.Step+l*taps.Next+k*taps.Column+c]; x > want[i] {
								want[i] = x
							}
						}
					}
				}
				taps.Largest(got, src)
				if !same(got, want) {
					t.Fatalf("the largest of %+v: %v, want %v", taps, got, want)
				}
				sums, wantSums := guarded[float32](t, len(src)), make([]float32, len(src))
				grad := mixed(t, taps.Pixels*channels)
				clear(sums)
				for i, g := range grad {
					at := i/channels*taps.Step + i%channels
					best := at
					for l := range taps.Lines {
						for k := range taps.Columns {
							if j := at + l*taps.Next + k*taps.Column; src[j] > src[best] {
								best = j
							}
						}
					}
					wantSums[best] += g
				}
				taps.Claim(sums, grad, src)
				if !same(sums, wantSums) {
					t.Fatalf("the gradient of the largest of %+v: %v, want %v", taps, sums, wantSums)
				}
				for name, f := range map[string]func(){
					"sums":         func() { taps.Claim(sums[1:], grad, src) },
					"grad":         func() { taps.Claim(sums, grad[1:], src) },
					"src, claimed": func() { taps.Claim(sums, grad, src[1:]) },
					"dst":          func() { taps.Multiply(got[1:], src, weights) },
					"src":          func() { taps.Multiply(got, src[1:], weights) },
					"dst, largest": func() { taps.Largest(got[1:], src) },
					"src, largest": func() { taps.Largest(got, src[1:]) },
					"weights":      func() { taps.Multiply(got, src, weights[1:]) },
				} {
					func() {
						defer func() {
							if recover() == nil {
								t.Errorf("%+v: %s was too short", taps, name)
							}
						}()
						f()
					}()
				}
			}
		}
	})
}
