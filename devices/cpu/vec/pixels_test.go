package vec

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestPixels compares what each instruction set makes of rows and blocks with what is
// written out here, or with the portable functions.
func TestPixels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []uint8 {
		b := make([]uint8, n)
		for i := range b {
			if b[i] = uint8(rng.IntN(256)); rng.IntN(4) == 0 {
				b[i] = uint8(255 * rng.IntN(2))
			}
		}
		return b
	}
	eachISA(t, func(t *testing.T) {
		for n := range 100 {
			row, other, third := random(n), random(n), random(n)
			if n >= 2 {
				got, want, both := make([]uint8, 2*n), make([]uint8, 2*n), make([]uint8, 2*n)
				between := func(x, by int) (a, b, c, d int) {
					x2 := min(max(x+by, 0), n-1)
					return int(row[x]), int(row[x2]), int(other[x]), int(other[x2])
				}
				for x := range n {
					a, b, c, d := between(x, -1)
					want[2*x], both[2*x] = uint8((3*a+b+1)/4), uint8((9*a+3*b+3*c+d+8)/16)
					a, b, c, d = between(x, 1)
					want[2*x+1], both[2*x+1] = uint8((3*a+b+2)/4), uint8((9*a+3*b+3*c+d+7)/16)
				}
				if Triangle(got, row); !bytes.Equal(got, want) {
					t.Fatalf("Triangle of %d: %v, want %v", n, got, want)
				}
				if Triangles(got, row, other); !bytes.Equal(got, both) {
					t.Fatalf("Triangles of %d: %v, want %v", n, got, both)
				}
			}
			got, want := make([]uint8, 3*n+1), make([]uint8, 3*n)
			Colors(got, row, other, third)
			colorsPortable(want, row, other, third)
			if !bytes.Equal(got[:3*n], want) || got[3*n] != 0 {
				t.Fatalf("Colors of %d: %v, want %v", n, got, want)
			}
		}
		// All colors of some brightnesses.
		y, b, r := make([]uint8, 256), make([]uint8, 256), make([]uint8, 256)
		got, want := make([]uint8, 768), make([]uint8, 768)
		for i := range 256 {
			for k := range 256 {
				y[k], b[k], r[k] = uint8(100+i/8+k/8), uint8(i), uint8(k)
			}
			Colors(got, y, b, r)
			colorsPortable(want, y, b, r)
			if !bytes.Equal(got, want) {
				t.Fatalf("Colors of differences to blue of %d: %v, want %v", i, got, want)
			}
		}
		for range 2000 {
			var block, scale [64]int16
			most := 1 + rng.IntN(1<<rng.IntN(17))
			for i := range block {
				if rng.IntN(3) == 0 {
					block[i] = int16(rng.IntN(2*most) - most)
				}
				scale[i] = int16(rng.IntN(1 << rng.IntN(17)))
			}
			got, want := make([]uint8, 8*11), make([]uint8, 8*11)
			Cosines(got, 11, &block, &scale)
			cosinesPortable(want, 11, &block, &scale)
			if !bytes.Equal(got, want) {
				t.Fatalf("Cosines of %v times %v: %v, want %v", block, scale, got, want)
			}
		}
	})
}
