package sorted_test

import (
	"slices"
	"testing"

	"github.com/troupe-go/troupe/sorted"
)

func TestKeys(t *testing.T) {
	if got := sorted.Keys(map[string]int{"b": 1, "": 2, "a": 3}); !slices.Equal(got, []string{"", "a", "b"}) {
		t.Errorf("the keys are %q", got)
	}
	if got := sorted.Keys(map[string]bool{}); got != nil {
		t.Errorf("an empty map has keys %q", got)
	}
}
