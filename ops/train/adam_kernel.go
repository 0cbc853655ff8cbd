package train

import (
	"math"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
)

// adamFloat32 is adam of float32 with vectors: the same operations on each element,
// in the same order and each rounded by itself.
func adamFloat32(c *kernel.Construction) rule[float32] { return adamVectors(c.Bool("use_nesterov")) }

func adamVectors(nesterov bool) rule[float32] {
	return func(h, grad []float32, now, next *elements[float32]) {
		root := float32(math.Sqrt(float64(1 - h[1])))
		rate, beta1, beta2, epsilon := h[2]*root/(1-h[0]), h[3], h[4], h[5]
		var a, b [256]float32 // stay in the cache, as does what is read and written
		for at := 0; at < len(grad); at += len(a) {
			n := min(len(a), len(grad)-at)
			part := func(s []float32) []float32 { return s[at : at+n] }
			x, y, g := a[:n], b[:n], part(grad)

			m := part(next[1])
			vec.Sub(x, g, part(now[1]))
			vec.MulScalar(x, x, 1-beta1)
			vec.Add(m, part(now[1]), x)

			v := part(next[2])
			vec.Mul(x, g, g)
			vec.Sub(x, x, part(now[2]))
			vec.MulScalar(x, x, 1-beta2)
			vec.Add(v, part(now[2]), x)

			if nesterov {
				vec.MulScalar(x, g, 1-beta1)
				vec.MulScalar(y, m, beta1)
				vec.Add(x, x, y)
				vec.MulScalar(x, x, rate)
			} else {
				vec.MulScalar(x, m, rate)
			}
			vec.Sqrt(y, v)
			vec.AddScalar(y, y, epsilon)
			vec.Div(x, x, y)
			vec.Sub(part(next[0]), part(now[0]), x)
		}
	}
}
