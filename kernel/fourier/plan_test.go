package fourier_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe/kernel/fourier"
)

// slowly returns the transform by its definition.
func slowly(x []complex128) []complex128 {
	n := len(x)
	y := make([]complex128, n)
	for k := range y {
		for j, v := range x {
			y[k] += v * cmplx.Rect(1, -2*math.Pi*float64(j*k%n)/float64(n))
		}
	}
	return y
}

func distance(x, y []complex128) (d float64) {
	for i := range x {
		d = max(d, cmplx.Abs(x[i]-y[i]))
	}
	return d
}

func random(n int) []complex128 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]complex128, n)
	for i := range x {
		x[i] = complex(r.NormFloat64(), r.NormFloat64())
	}
	return x
}

func TestTransformEqualsDefinition(t *testing.T) {
	lengths := []int{256, 360, 961, 992, 1000, 1009, 37 * 41}
	for n := 1; n <= 140; n++ {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		x := random(n)
		p := fourier.NewPlan(n, nil)
		y := append([]complex128(nil), x...)
		scratch := make([]complex128, p.Scratch())
		p.Transform(y, scratch, false, nil)
		limit := 1e-14 * math.Sqrt(float64(n)) * math.Log2(float64(n)+2)
		if d := distance(y, slowly(x)); d > limit {
			t.Errorf("n = %d: off by %g", n, d)
		}
		p.Transform(y, scratch, true, nil)
		for i := range y {
			y[i] /= complex(float64(n), 0)
		}
		if d := distance(y, x); d > limit {
			t.Errorf("n = %d: the inverse is off by %g", n, d)
		}
	}
}

// A large prime length keeps its accuracy: a single oscillation gives a single
// line.
func TestLongPrime(t *testing.T) {
	const n = 100003
	x := make([]complex128, n)
	for j := range x {
		x[j] = cmplx.Rect(1, 2*math.Pi*float64(j*5%n)/n)
	}
	p := fourier.NewPlan(n, nil)
	p.Transform(x, make([]complex128, p.Scratch()), false, nil)
	x[5] -= n
	if d := distance(x, make([]complex128, n)); d > 1e-8 {
		t.Errorf("off by %g", d)
	}
}

func BenchmarkTransform(b *testing.B) {
	for _, n := range []int{256, 1000, 1009, 4096, 1 << 16} {
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			p := fourier.NewPlan(n, nil)
			x, scratch := random(n), make([]complex128, p.Scratch())
			for b.Loop() {
				p.Transform(x, scratch, false, nil)
				p.Transform(x, scratch, true, nil)
				for i := range x {
					x[i] *= complex(1/float64(n), 0)
				}
			}
		})
	}
}

func TestTransformReal(t *testing.T) {
	for n := 2; n <= 1000; n += 2 {
		p := fourier.NewPlan(n, nil)
		if !p.Halves() {
			continue // it has a large prime factor
		}
		full := random(n)
		for i := range full {
			full[i] = complex(real(full[i]), 0)
		}
		x, scratch := make([]complex128, n/2+1), make([]complex128, p.Scratch())
		for i := range n / 2 {
			x[i] = complex(real(full[2*i]), real(full[2*i+1]))
		}
		given := append([]complex128(nil), x[:n/2]...)
		p.Transform(full, scratch, false, nil)
		p.TransformReal(x, scratch, false, nil)
		limit := 1e-14 * math.Sqrt(float64(n)) * math.Log2(float64(n)+2)
		if d := distance(x, full[:n/2+1]); d > limit {
			t.Errorf("n = %d: off by %g", n, d)
		}
		p.TransformReal(x, scratch, true, nil)
		for i := range given {
			x[i] /= complex(float64(n), 0)
		}
		if d := distance(x[:n/2], given); d > limit {
			t.Errorf("n = %d: there and back is off by %g", n, d)
		}
	}
}
