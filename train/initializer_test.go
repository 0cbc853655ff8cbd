package train_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// What is drawn has the mean, the variance and the limits that its name promises:
// within four deviations of what so many draws give.
func TestInitializers(t *testing.T) {
	const in, out = 120, 200
	window := []int64{3, 3, 20, 40} // 180 and 360
	for name, test := range map[string]struct {
		init           train.Initializer
		shape          []int64
		mean, variance float64
		limit          float64 // of the distance from the mean
	}{
		"uniform":           {train.Uniform(2, 5), []int64{in, out}, 3.5, 9.0 / 12, 1.5},
		"normal":            {train.Normal(-1, 2), []int64{in, out}, -1, 4, math.Inf(1)},
		"truncated":         {train.TruncatedNormal(1, 2), []int64{in, out}, 1, 4 * 0.7737, 4},
		"Glorot":            {train.GlorotUniform, []int64{in, out}, 0, 2.0 / (in + out), math.Sqrt(6.0 / (in + out))},
		"Glorot, normal":    {train.GlorotNormal, []int64{in, out}, 0, 2.0 / (in + out), math.Inf(1)},
		"Glorot of windows": {train.GlorotUniform, window, 0, 2.0 / 540, math.Sqrt(6.0 / 540)},
		"He":                {train.HeUniform, []int64{in, out}, 0, 2.0 / in, math.Sqrt(6.0 / in)},
		"He, normal":        {train.HeNormal, window, 0, 2.0 / 180, math.Inf(1)},
	} {
		t.Run(name, func(t *testing.T) {
			m := train.NewModel(tf.NewGraph(), 9)
			v := m.Variable("w", test.init, tf.Float, test.shape...)
			w := read(t, start(t, m), v)
			n, mean, variance := float64(len(w)), 0.0, 0.0
			for _, x := range w {
				mean += float64(x) / n
			}
			for _, x := range w {
				variance += (float64(x) - mean) * (float64(x) - mean) / n
				if math.Abs(float64(x)-test.mean) > test.limit*1.000001 {
					t.Fatalf("%v is too far away", x)
				}
			}
			if math.Abs(mean-test.mean) > 4*math.Sqrt(test.variance/n) {
				t.Errorf("mean %v", mean)
			}
			if math.Abs(variance/test.variance-1) > 4*math.Sqrt(2/n) {
				t.Errorf("variance %v, want %v", variance, test.variance)
			}
		})
	}
}

func TestOrthogonal(t *testing.T) {
	for _, shape := range [][2]int{{5, 5}, {7, 3}, {3, 7}} {
		m := train.NewModel(tf.NewGraph(), 9)
		v := m.Variable("w", train.Orthogonal, tf.Float, int64(shape[0]), int64(shape[1]))
		w := read(t, start(t, m), v)
		at := func(i, k int) float64 { return float64(w[i*shape[1]+k]) }
		if shape[0] < shape[1] {
			at = func(i, k int) float64 { return float64(w[k*shape[1]+i]) }
		}
		for a := range min(shape[0], shape[1]) {
			for b := range a + 1 {
				dot, want := 0.0, 0.0
				for i := range max(shape[0], shape[1]) {
					dot += at(i, a) * at(i, b)
				}
				if a == b {
					want = 1
				}
				if math.Abs(dot-want) > 1e-5 {
					t.Errorf("%v: column %d times column %d is %v", shape, a, b, dot)
				}
			}
		}
	}
}

// First values depend on the seed and the variable's name, not on what else there is.
func TestSeeds(t *testing.T) {
	first := func(seed uint64, names ...string) map[string]string {
		m := train.NewModel(tf.NewGraph(), seed)
		for _, name := range names {
			m.Variable(name, train.Normal(0, 1), tf.Float, 4)
		}
		tr := start(t, m)
		all := map[string]string{}
		for _, v := range m.Variables() {
			all[v.Name] = fmt.Sprint(read(t, tr, v))
		}
		return all
	}
	a, b, other := first(1, "x", "y"), first(1, "y", "z", "x"), first(2, "x")
	if a["x"] != b["x"] || a["y"] != b["y"] {
		t.Error("the order of variables changes first values")
	}
	if all := []string{b["x"], b["y"], b["z"], other["x"]}; len(slices.Compact(slices.Sorted(slices.Values(all)))) != 4 {
		t.Errorf("two are the same: %v", all)
	}
}
