package train_test

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/train"
)

func someData(t *testing.T, n int) (d *train.Data, x, y tf.Output) {
	t.Helper()
	s := op.NewScope().WithUniqueNames()
	x, y = op.Placeholder(s, tf.Int32), op.Placeholder(s, tf.String)
	pairs := make([][2]int32, n)
	names := make([]string, n)
	for i := range n {
		pairs[i], names[i] = [2]int32{int32(i), int32(10 * i)}, fmt.Sprint("n", i)
	}
	d, err := train.NewData(train.Batch{x: tensorOf(t, pairs), y: tensorOf(t, names)})
	if err != nil {
		t.Fatal(err)
	}
	return d, x, y
}

// seen returns the examples of batches, and checks that their parts belong together.
func seen(t *testing.T, x, y tf.Output, batches iter.Seq[train.Batch]) (all [][]int) {
	t.Helper()
	for b := range batches {
		var list []int
		for i, pair := range b[x].Value().([][]int32) {
			if name := b[y].Value().([]string)[i]; pair[1] != 10*pair[0] || name != fmt.Sprint("n", pair[0]) {
				t.Errorf("%v with %s", pair, name)
			}
			list = append(list, int(pair[0]))
		}
		all = append(all, list)
	}
	return all
}

func TestData(t *testing.T) {
	d, x, y := someData(t, 7)
	if diff := cmp.Diff([][]int{{0, 1, 2}, {3, 4, 5}, {6}}, seen(t, x, y, d.Batches(3))); diff != "" {
		t.Error(diff)
	}
	whole := seen(t, x, y, d.Shuffled(3, 5, 0, 20))
	if len(whole) != 20 {
		t.Fatalf("%d batches", len(whole))
	}
	orders := map[string]bool{}
	for e := 0; e < 20; e += 2 { // an epoch is two batches, of different examples
		epoch := slices.Sorted(slices.Values(slices.Concat(whole[e], whole[e+1])))
		if len(slices.Compact(epoch)) != 6 {
			t.Errorf("epoch %d: %v", e/2, epoch)
		}
		orders[fmt.Sprint(whole[e:e+2])] = true
	}
	if len(orders) < 9 {
		t.Errorf("ten epochs have %d orders", len(orders))
	}
	for from := range 20 {
		if diff := cmp.Diff(whole[from:], seen(t, x, y, d.Shuffled(3, 5, int64(from), 20))); from < 19 && diff != "" {
			t.Errorf("from %d: %s", from, diff)
		}
	}
	first, rest, err := d.Split(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	parts := slices.Concat(seen(t, x, y, first.Batches(10))[0], seen(t, x, y, rest.Batches(10))[0])
	slices.Sort(parts)
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 5, 6}, parts); diff != "" || first.Len() != 3 || rest.Len() != 4 {
		t.Error(diff)
	}
	if _, _, err := d.Split(8, 1); status.CodeOf(err) != status.InvalidArgument {
		t.Error(err)
	}
	empty, x, y := someData(t, 0)
	if got := seen(t, x, y, empty.Shuffled(3, 1, 0, 5)); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}

func TestDataMistakes(t *testing.T) {
	s := op.NewScope().WithUniqueNames()
	x, y := op.Placeholder(s, tf.Int32), op.Placeholder(s, tf.Int32)
	for text, batch := range map[string]train.Batch{
		"is a scalar":         {x: tensorOf(t, int32(1))},
		"another one":         {x: tensorOf(t, []int32{1}), y: tensorOf(t, []int32{1, 2})},
		"there are no tensor": {},
	} {
		if _, err := train.NewData(batch); status.CodeOf(err) != status.InvalidArgument || !strings.Contains(err.Error(), text) {
			t.Errorf("%v; want %q", err, text)
		}
	}
}

// Schedules against values that are easily worked out.
func TestSchedules(t *testing.T) {
	for name, test := range map[string]struct {
		s    train.Schedule
		want map[int64]float64
	}{
		"fixed":       {train.Fixed(3), map[int64]float64{0: 3, 1000: 3}},
		"piecewise":   {train.Piecewise([]int64{10, 20}, []float64{1, 0.5, 0.1}), map[int64]float64{0: 1, 9: 1, 10: 0.5, 19: 0.5, 20: 0.1, 99: 0.1}},
		"exponential": {train.ExponentialDecay(8, 0.25, 10), map[int64]float64{0: 8, 5: 4, 10: 2, 20: 0.5}},
		"steps":       {train.StepDecay(8, 0.25, 10), map[int64]float64{0: 8, 9: 8, 10: 2, 29: 0.5}},
		"inverse":     {train.InverseTimeDecay(6, 1, 10), map[int64]float64{0: 6, 10: 3, 20: 2}},
		"line":        {train.PolynomialDecay(5, 1, 4, 1), map[int64]float64{0: 5, 1: 4, 4: 1, 100: 1}},
		"square":      {train.PolynomialDecay(5, 1, 4, 2), map[int64]float64{0: 5, 2: 2, 4: 1}},
		"cosine":      {train.CosineDecay(3, 1, 6), map[int64]float64{0: 3, 2: 2.5, 3: 2, 4: 1.5, 6: 1, 7: 1}},
		"restarted":   {train.Restarted(train.PolynomialDecay(4, 0, 4, 1), 4, 2, 0.5), map[int64]float64{0: 4, 3: 1, 4: 2, 6: 1.5, 8: 1, 11: 0.5, 12: 1, 16: 0.75}},
		"warmup":      {train.Warmup(train.Fixed(2), 4), map[int64]float64{0: 0.5, 1: 1, 3: 2, 4: 2, 9: 2}},
	} {
		for step, want := range test.want {
			if got := test.s(step); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: %v after %d updates, want %v", name, got, step, want)
			}
		}
	}
}

// The rate of each update is the schedule's for the number of updates before.
func TestRates(t *testing.T) {
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	w := m.Variable("w", train.Filled(10), tf.Double)
	goal := m.Minimize(op.Identity(s, w.Value), train.SGD{Rate: func(step int64) float64 { return float64(step + 1) }}, train.Options{Accumulate: 3})
	tr := start(t, m)
	var told []train.Step
	for step, err := range train.Progress(&bytes.Buffer{}, 3, tr.Steps(t.Context(), goal, nothing(11), w.Value)) {
		if err != nil {
			t.Fatal(err)
		}
		step.Outputs = nil // valid until the next step
		told = append(told, step)
	}
	want := []train.Step{
		{N: 1, Loss: 10, Rate: 1, Metrics: []float64{10}}, {N: 2, Loss: 9, Rate: 2, Metrics: []float64{9}}, {N: 3, Loss: 7, Rate: 3, Metrics: []float64{7}},
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}

// Means are over examples, however they are divided into batches.
func TestEvaluate(t *testing.T) {
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(-1)))
	large := op.Greater(s, x, op.Const(s, float32(4.5)))
	text := op.AsString(s, x)
	tr := start(t, m)
	data, err := train.NewData(train.Batch{x: tensorOf(t, []float32{1, 2, 3, 4, 5, 6, 30})})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 2, 3, 7} {
		got, err := tr.Evaluate(t.Context(), data.Batches(size), op.Identity(s, x), large)
		if err != nil {
			t.Fatal(err)
		}
		if got[0] != 51.0/7 || got[1] != 3.0/7 {
			t.Errorf("in batches of %d: %v", size, got)
		}
	}
	if _, err := tr.Evaluate(t.Context(), data.Batches(1), text); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("the mean of texts: %v", err)
	}
}
