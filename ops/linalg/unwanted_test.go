package linalg_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Vectors that are not computed are scalars, as TensorFlow 2.21's kernels put
// them out, whatever its shape functions say.
func TestVectorsThatAreNotWanted(t *testing.T) {
	for _, c := range []struct{ op, attrs string }{
		{"Svd", "compute_uv=false"},
		{"Svd", "compute_uv=false, full_matrices=true"},
		{"SelfAdjointEigV2", "compute_v=false"},
		{"Eig", "compute_v=false, Tout=DT_COMPLEX64"},
	} {
		attrs, err := registry.ParseAttrs(c.attrs)
		if err != nil {
			t.Fatal(err)
		}
		for _, dims := range [][]int64{{3, 2, 2}, {2, 2}, {0, 2, 2}, {2, 0, 0}} {
			x, err := tensor.New(tensor.Float, dims...)
			if err != nil {
				t.Fatal(err)
			}
			out, err := kerneltest.Run(c.op, attrs, x)
			if err != nil {
				t.Fatal(c, dims, err)
			}
			if got, want := tensor.FormatDims(out[0].Dims()), tensor.FormatDims(dims[:len(dims)-1]); got != want {
				t.Errorf("%v of %v: values of shape %s, want %s", c, dims, got, want)
			}
			for _, v := range out[1:] {
				if len(v.Dims()) != 0 {
					t.Errorf("%v of %v: vectors of shape %v", c, dims, v.Dims())
				}
			}
		}
	}
}
