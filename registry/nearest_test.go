package registry

import (
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	r, err := New(tensorflowDefs(t)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		want []string
	}{
		{"Matmul", []string{"MatMul"}},
		{"conv2d", []string{"Conv2D", "Conv3D", "Conv"}},
		{"Placehodler", []string{"Placeholder"}},
		{"StridedSlise", []string{"StridedSlice"}},
		{"TensorListG", []string{"TensorListGather", "TensorListGetItem"}},
		{"FlashAttention", nil},
		{"x", nil},
		{"", nil},
		{strings.Repeat("MatMul", 1000), nil},
	} {
		if got := r.Nearest(c.name); !slices.Equal(got, c.want) {
			t.Errorf("%.20s: %v, want %v", c.name, got, c.want)
		}
	}
}
