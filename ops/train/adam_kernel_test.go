package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Vectors give the bits of a plain loop that rounds every operation, wherever the
// elements lie, also where results take the place of what they are made of.
func TestAdamVectors(t *testing.T) {
	odd := []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.NaN()), 1e-42, -3e38, 1}
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int, positive bool) []float32 {
		x := make([]float32, n)
		for i := range x {
			if x[i] = float32(rng.NormFloat64()); rng.IntN(9) == 0 {
				x[i] = odd[rng.IntN(len(odd))]
			}
			if positive {
				x[i] = float32(math.Abs(float64(x[i])))
			}
		}
		return x
	}
	h := []float32{0.81, 0.998, 0.02, 0.9, 0.999, 1e-5}
	for _, n := range []int{0, 1, 15, 255, 256, 257, 1000} {
		for _, nesterov := range []bool{false, true} {
			g, w, m, v := draw(n, false), draw(n, false), draw(n, false), draw(n, true)
			want := [3][]float32{make([]float32, n), make([]float32, n), make([]float32, n)}
			rate := float32(h[2]*float32(math.Sqrt(float64(1-h[1])))) / (1 - h[0])
			for i := range n {
				nextM := m[i] + float32(float32(g[i]-m[i])*(1-h[3]))
				nextV := v[i] + float32(float32(float32(g[i]*g[i])-v[i])*(1-h[4]))
				step := nextM
				if nesterov {
					step = float32(g[i]*(1-h[3])) + float32(h[3]*nextM)
				}
				root := float32(math.Sqrt(float64(nextV)))
				want[0][i] = w[i] - float32(step*rate)/float32(root+h[5])
				want[1][i], want[2][i] = nextM, nextV
			}
			apart := elements[float32]{make([]float32, n), make([]float32, n), make([]float32, n)}
			adamVectors(nesterov)(h, g, &elements[float32]{w, m, v}, &apart)
			place := elements[float32]{slices.Clone(w), slices.Clone(m), slices.Clone(v)}
			adamVectors(nesterov)(h, g, &place, &place)
			for k := range want {
				for i := range n {
					for _, got := range []float32{apart[k][i], place[k][i]} {
						if want := want[k][i]; math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
							t.Fatalf("%d elements, nesterov %v: element %d of variable %d is %v, want %v", n, nesterov, i, k, got, want)
						}
					}
				}
			}
		}
	}
}
