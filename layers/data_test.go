package layers

import (
	"slices"
	"testing"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// Rows of all tensors stay together however examples are divided.
func TestExamples(t *testing.T) {
	const n = 7
	var x []float32
	var words []string
	var y []int64
	for i := range n {
		x = append(x, float32(i), float32(i)+0.5)
		words = append(words, string(rune('a'+i)))
		y = append(y, int64(i))
	}
	b, err := Examples(tensorOf(t, y, n), tensorOf(t, x, n, 2), tensorOf(t, words, n))
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, want []int64, sizes []int, batches ...Batch) []int64 {
		t.Helper()
		var all []int64
		for i, b := range batches {
			if b.Len() != sizes[i] {
				t.Errorf("%s: batch %d has %d examples, want %d", what, i, b.Len(), sizes[i])
			}
			x, words := b.X[0].Value().([][]float32), b.X[1].Value().([]string)
			for k, y := range b.Y.Value().([]int64) {
				all = append(all, y)
				if x[k][0] != float32(y) || x[k][1] != float32(y)+0.5 || words[k] != string(rune('a'+y)) {
					t.Errorf("%s: example %d has the inputs %v and %q", what, y, x[k], words[k])
				}
			}
		}
		if want != nil && !slices.Equal(all, want) {
			t.Errorf("%s: the examples are %v, want %v", what, all, want)
		}
		sorted := slices.Sorted(slices.Values(all))
		if want == nil && !slices.Equal(sorted, y) {
			t.Errorf("%s: the examples are %v", what, all)
		}
		return all
	}
	check("batches", y, []int{3, 3, 1}, slices.Collect(b.Batches(3))...)
	shuffled := b.Shuffled(3, 1)
	one := check("shuffled", nil, []int{3, 3, 1}, slices.Collect(shuffled)...)
	if two := check("shuffled", nil, []int{3, 3, 1}, slices.Collect(shuffled)...); slices.Equal(one, two) {
		t.Errorf("the order is %v twice", one)
	}
	first, rest, err := b.Split(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	check("split", nil, []int{2, 5}, first, rest)
	check("rows", []int64{2, 3, 4}, []int{3}, b.Rows(2, 5))
	check("select", []int64{6, 0}, []int{2}, b.Select([]int{6, 0}))
	single := Map(slices.Values([]int{4, 1, 3}), 2, func(i int) Batch {
		return Batch{X: []*tf.Tensor{tensorOf(t, x[2*i:2*i+2], 2), tensorOf(t, words[i:i+1])}, Y: tensorOf(t, y[i:i+1])}
	})
	check("batched", []int64{4, 1, 3}, []int{2, 1}, slices.Collect(Batched(single, 2))...)

	if _, err := Examples(tensorOf(t, y, n), tensorOf(t, x, 2, n)); err == nil {
		t.Error("there are labels of seven examples of two")
	}
	if _, err := Examples(tensorOf(t, []int64{}, 0)); err == nil {
		t.Error("there are no examples, and no error")
	}
	if _, _, err := b.Split(8, 1); err == nil {
		t.Error("8 of 7 examples are split off")
	}
}

// The loss of an epoch is the mean over its examples, also if the last batch is smaller.
func TestLossOfEpoch(t *testing.T) {
	m, _ := line(t, train.Fixed(1e-12))
	b, err := Examples(tensorOf(t, []float32{1, 1, 4}, 3, 1), tensorOf(t, []float32{1, 1, 1}, 3, 1))
	if err != nil {
		t.Fatal(err)
	}
	history, err := m.Fit(t.Context(), b.Batches(2), FitOptions{Validation: b.Batches(2)})
	if err != nil {
		t.Fatal(err)
	}
	e := history[0] // the weight is 0
	if e.Values["loss"] != 6 || e.Values["val_loss"] != 6 {
		t.Errorf("the mean of 1, 1 and 16 is 6: %v", e.Values)
	}
}
