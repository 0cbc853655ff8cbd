package nn_test

import (
	"math"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
)

// BatchNormWithGlobalNormalization, which TensorFlow no longer lets a new graph
// have, against its formula.
func TestGlobalNormalization(t *testing.T) {
	x, m, v := []float32{1, 2, 3, -4}, []float32{0.5, -1}, []float32{4, 0.25}
	beta, gamma := []float32{3, -2}, []float32{2, 5}
	for _, scaled := range []bool{false, true} {
		attrs := registry.Attrs{
			{Name: "variance_epsilon", Value: registry.FloatAttr(0.5)},
			{Name: "scale_after_normalization", Value: registry.BoolAttr(scaled)},
		}
		out, err := kerneltest.Run("BatchNormWithGlobalNormalization", attrs,
			of(t, x, 1, 1, 2, 2), of(t, m, 2), of(t, v, 2), of(t, beta, 2), of(t, gamma, 2))
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range floats(t, out[0]) {
			c := i % 2
			want := (float64(x[i]) - float64(m[c])) / math.Sqrt(float64(v[c])+0.5)
			if scaled {
				want *= float64(gamma[c])
			}
			if want += float64(beta[c]); math.Abs(float64(got)-want) > 1e-5 {
				t.Errorf("element %d is %v, want %v", i, got, want)
			}
		}
	}
}
