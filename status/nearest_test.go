package status

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	names := []string{"x", "images", "layer/dense/kernel", "layer/dense/bias", "serving_default", "while/Exit", "while/Exit_1"}
	for name, want := range map[string][]string{
		"image":           {"images"},
		"Serving_Default": {"serving_default"},
		"kernal":          {"layer/dense/kernel"},
		"while/exit":      {"while/Exit", "while/Exit_1"},
		"layer/dens":      {"layer/dense/bias", "layer/dense/kernel"},
		"nothing alike":   nil,
		"y":               nil,
		"":                nil,
	} {
		if got := Nearest(name, slices.Values(names)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := DidYouMean("image", slices.Values(names)); got != " (did you mean 'images'?)" {
		t.Error(got)
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
		if got, want := bounded(a, b, 12), slow(a, b); got != want {
			t.Errorf("%q to %q: %d, want %d", a, b, got, want)
		}
	})
}
