package vec

import (
	"bytes"
	"math"
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

// TestFrequencies compares what each instruction set makes of blocks with cosines in floating
// point, from which integers differ by rounding, and to the bit with the portable function.
func TestFrequencies(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	eachISA(t, func(t *testing.T) {
		for n := range 2000 {
			stride := 8 + rng.IntN(9)
			samples := make([]uint8, 7*stride+8)
			for i := range samples {
				switch n % 4 {
				case 0:
					samples[i] = uint8(rng.IntN(256))
				case 1:
					samples[i] = uint8(255 * rng.IntN(2))
				case 2:
					samples[i] = uint8(n + rng.IntN(2))
				default: // half of a period of one of the cosines, as large as can be
					u, v := n>>2&7, n>>5&7
					samples[i] = uint8(127.5 + 127.5*ripple(i/stride, v)*ripple(i%stride, u))
				}
			}
			var by [64]int32
			var d Divisors
			for i := range by {
				by[i] = 8 * int32(1+rng.IntN(255)>>rng.IntN(8))
				d.Set(i, by[i])
			}
			var got, want [64]int16
			nonzero := Frequencies(&got, samples, stride, &d)
			if other := frequenciesPortable(&want, samples, stride, &d); got != want || nonzero != other {
				t.Fatalf("block %d: %v %x, want %v %x", n, got, nonzero, want, other)
			}
			for i, q := range got {
				if q != 0 != (nonzero>>i&1 != 0) {
					t.Fatalf("block %d: place %d is %d, bits %x", n, i, q, nonzero)
				}
			}
			for i := range by {
				x := float64(coefficient(samples, stride, i/8, i%8))
				if q := float64(got[natural[i]]); math.Abs(q*float64(by[i])-x) > float64(by[i])/2+4 {
					t.Fatalf("block %d, coefficient %d: %v times %d for %v", n, i, q, by[i], x)
				}
			}
		}
	})
}

func ripple(x, u int) float64 { return math.Cos(float64(2*x+1) * float64(u) * math.Pi / 16) }

// coefficient is 8 times that of a cosine transform.
func coefficient(samples []uint8, stride, v, u int) (sum float64) {
	for y := range 8 {
		for x := range 8 {
			sum += (float64(samples[y*stride+x]) - 128) * ripple(y, v) * ripple(x, u)
		}
	}
	for _, k := range []int{u, v} {
		if k == 0 {
			sum *= math.Sqrt2 / 2
		}
	}
	return 2 * sum
}

func BenchmarkFrequencies(b *testing.B) {
	samples := make([]uint8, 64)
	for i := range samples {
		samples[i] = uint8(i * i * 7)
	}
	var d Divisors
	for i := range 64 {
		d.Set(i, int32(8+i))
	}
	var to [64]int16
	for b.Loop() {
		Frequencies(&to, samples, 8, &d)
	}
}
