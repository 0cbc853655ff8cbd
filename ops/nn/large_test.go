package nn_test

import (
	"math"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Poolings of many lines on several workers against the definition, with a NaN
// among the elements.
func TestLargePoolings(t *testing.T) {
	const n, size, depth, window, stride = 2, 61, 33, 3, 2
	const side = (size-window)/stride + 1
	x := wave(t, 1, []int64{n, size, size, depth})
	xs := floats(t, x)
	xs[(5*size+7)*depth+3] = float32(math.NaN())
	most, sum := make([]float64, n*side*side*depth), make([]float64, n*side*side*depth)
	for o := range most {
		c, ox, oy, b := o%depth, o/depth%side, o/depth/side%side, o/depth/side/side
		most[o] = -math.MaxFloat32
		for k := range window * window {
			v := float64(xs[((b*size+oy*stride+k/window)*size+ox*stride+k%window)*depth+c])
			if v > most[o] {
				most[o] = v
			}
			sum[o] += v
		}
	}
	attrs, err := registry.ParseAttrs(`ksize=[1,3,3,1], strides=[1,2,2,1], padding="VALID"`)
	if err != nil {
		t.Fatal(err)
	}
	r := &kerneltest.Runner{Pool: four{}}
	for op, want := range map[string][]float64{"MaxPool": most, "AvgPool": sum} {
		out, err := r.Run("node", op, attrs, x)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range floats(t, out[0]) {
			w := want[i]
			if op == "AvgPool" {
				w /= window * window
			}
			if math.Abs(float64(got)-w) > 1e-5 || math.IsNaN(float64(got)) != math.IsNaN(w) {
				t.Fatalf("%s: element %d is %v, want %v", op, i, got, w)
			}
		}
	}
}

// Batch normalization of many rows on several workers, and its gradient,
// against float64.
func TestLargeBatchNorm(t *testing.T) {
	const n, size, depth, epsilon = 4, 50, 37, 0.001
	const rows = n * size * size
	x, dy := wave(t, 1, []int64{n, size, size, depth}), wave(t, 2, []int64{n, size, size, depth})
	scale, offset, none := wave(t, 3, []int64{depth}), wave(t, 4, []int64{depth}), of(t, []float32{}, 0)
	xs, gs, ss, os := floats(t, x), floats(t, dy), floats(t, scale), floats(t, offset)
	mean, variance, total, along := make([]float64, depth), make([]float64, depth), make([]float64, depth), make([]float64, depth)
	for i, v := range xs {
		mean[i%depth] += float64(v) / rows
	}
	for i, v := range xs {
		d := float64(v) - mean[i%depth]
		variance[i%depth] += d * d / rows
		total[i%depth] += float64(gs[i])
		along[i%depth] += float64(gs[i]) * d
	}
	attrs, err := registry.ParseAttrs("epsilon=0.001")
	if err != nil {
		t.Fatal(err)
	}
	r := &kerneltest.Runner{Pool: four{}}
	out, err := r.Run("node", "FusedBatchNormV3", attrs, x, scale, offset, none, none)
	if err != nil {
		t.Fatal(err)
	}
	grad, err := r.Run("node", "FusedBatchNormGradV3", attrs, dy, x, scale, out[3], out[4], none)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, i int, got *tensor.Tensor, want, tolerance float64) {
		t.Helper()
		if g := float64(floats(t, got)[i]); math.Abs(g-want) > tolerance {
			t.Fatalf("%s: element %d is %v, want %v", what, i, g, want)
		}
	}
	for c := range depth {
		near("mean", c, out[3], mean[c], 1e-6)
		near("variance", c, out[4], variance[c], 1e-6)
		near("gradient of offset", c, grad[2], total[c], 1e-2)
		near("gradient of scale", c, grad[1], along[c]/math.Sqrt(variance[c]+epsilon), 1e-2)
	}
	for i := range xs {
		c := i % depth
		inverse := 1 / math.Sqrt(variance[c]+epsilon)
		d := float64(xs[i]) - mean[c]
		near("result", i, out[0], d*inverse*float64(ss[c])+float64(os[c]), 1e-4)
		near("gradient", i, grad[0], float64(ss[c])*inverse*(float64(gs[i])-total[c]/rows-d*along[c]/rows*inverse*inverse), 1e-4)
	}
}
