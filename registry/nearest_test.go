package registry

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
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

// The distance is that of the textbook's recursion.
func TestDistance(t *testing.T) {
	var slow func(a, b string) int
	slow = func(a, b string) int {
		if a == "" || b == "" {
			return len(a) + len(b)
		}
		if a[0] == b[0] {
			return slow(a[1:], b[1:])
		}
		return 1 + min(slow(a[1:], b), slow(a, b[1:]), slow(a[1:], b[1:]))
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[abc]{0,6}`)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		if got, want := distance(a, b), slow(a, b); got != want {
			t.Errorf("%q to %q: %d, want %d", a, b, got, want)
		}
	})
}
