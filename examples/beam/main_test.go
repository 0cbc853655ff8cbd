package main

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
)

// beam returns the same search with Go's slices.
func beam(model []float32, width int) (found []string, scores []float64) {
	type path struct {
		text  []int
		score float64
	}
	paths := []path{{}}
	for range longest {
		var next []path
		for _, p := range paths {
			last := 0
			if len(p.text) > 0 {
				if last = p.text[len(p.text)-1]; last == 0 {
					next = append(next, p)
					continue
				}
			}
			for c := range letters {
				next = append(next, path{append(slices.Clone(p.text), c), p.score + float64(model[last*letters+c])})
			}
		}
		slices.SortStableFunc(next, func(a, b path) int { return cmp.Compare(b.score, a.score) })
		paths = next[:min(width, len(next))]
	}
	for _, p := range paths {
		var word strings.Builder
		for _, c := range p.text {
			if c > 0 {
				word.WriteByte(byte('a' + c - 1))
			}
		}
		found, scores = append(found, word.String()), append(scores, p.score)
	}
	return found, scores
}

func TestSearch(t *testing.T) {
	model := learn(words)
	for _, width := range []int{1, 3, 8, 20} {
		got, scores, err := search(t.Context(), model, width)
		if err != nil {
			t.Fatal(err)
		}
		want, wantScores := beam(model, width)
		if !slices.Equal(got, want) {
			t.Errorf("width %d: %q, want %q", width, got, want)
		}
		for i := range scores {
			if math.Abs(float64(scores[i])-wantScores[i]) > 1e-4 {
				t.Errorf("width %d: score %d is %g, want %g", width, i, scores[i], wantScores[i])
			}
		}
	}
	var out bytes.Buffer
	if err := run(t.Context(), &out, 2); err != nil || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("%v: %s", err, &out)
	}
}
