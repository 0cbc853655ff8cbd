package nn

import (
	"math/rand/v2"
	"testing"
)

// Windows that move by their size take their places, whatever padding and edges leave of
// them, from whichever pixel on: each element of the input is set to the number of the window
// element that it is in, and others are left alone.
func TestSetWindows(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := &convSizes{batch: 1 + rng.IntN(2), in: 1 + rng.IntN(3), out: 1, groups: 1, taps: 1}
		for i := range s.axes {
			size := 1 + rng.IntN(4)
			before, after := rng.IntN(2*size+1), rng.IntN(2*size+1)
			in := max(1, size-before-after) + rng.IntN(9)
			s.axes[i] = axis{in: in, out: (in+before+after-size)/size + 1, size: size, stride: size, dilation: 1, before: before}
			s.taps *= size
		}
		z, y, x := &s.axes[0], &s.axes[1], &s.axes[2]
		if !s.apart() {
			t.Fatalf("seed %d: windows of %+v are not apart", seed, s.axes)
		}
		windows := make([]int, s.pixels()*s.taps*s.in)
		for i := range windows {
			windows[i] = i + 1
		}
		dx := make([]int, s.batch*z.in*y.in*x.in*s.in)
		cols := s.taps * s.in
		for at := 0; at < s.pixels(); { // in pieces
			n := min(1+rng.IntN(2*x.out), s.pixels()-at)
			setWindows(s, dx, windows[at*cols:(at+n)*cols], at)
			at += n
		}
		covered := z.covered() && y.covered() && x.covered()
		for i, got := range dx {
			c, p := i%s.in, i/s.in
			dims := [3]int{p / x.in / y.in % z.in, p / x.in % y.in, p % x.in}
			pixel, tap, outside := p/x.in/y.in/z.in, 0, false
			for d, a := range s.axes {
				at := dims[d] + a.before
				outside = outside || at/a.stride >= a.out
				pixel, tap = pixel*a.out+at/a.stride, tap*a.size+at%a.stride
			}
			want := (pixel*s.taps+tap)*s.in + c + 1
			if outside {
				want = 0
			}
			if got != want {
				t.Fatalf("seed %d, %+v: element %d is of window element %d, want %d", seed, s, i, got, want)
			}
			if outside && covered {
				t.Fatalf("seed %d: element %d of %+v is in no window", seed, i, s.axes)
			}
		}
	}
}
