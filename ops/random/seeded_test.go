package random_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/random"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A node's generator goes on from run to run; TensorFlow 2.21 drew these with
// seeds 7 and 9.
func TestSeededGoesOn(t *testing.T) {
	attrs := registry.Attrs{
		{Name: "dtype", Value: registry.TypeAttr(tensor.Float)},
		{Name: "seed", Value: registry.IntAttr(7)},
		{Name: "seed2", Value: registry.IntAttr(9)},
	}
	shape, err := tensor.FromSlice([]int32{3}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var r kerneltest.Runner
	for step, want := range [][]float32{
		{0.5363449, 0.47323656, 0.46388888},
		{0.07794344, 0.32951093, 0.3944801},
	} {
		out, err := r.Run("draw", "RandomUniform", attrs, shape)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tensor.Data[float32](out[0])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-7)); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", step, diff)
		}
	}
}
