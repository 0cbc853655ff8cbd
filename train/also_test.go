package train_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/train"
)

// Each update sets a variable to a value computed before it, a step has the values of
// its outputs, and Assign sets all variables or none.
func TestAlso(t *testing.T) {
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	w := m.Variable("w", train.Given([]float32{1, 2}), tf.Float, 2)
	seen := m.Variable("seen", train.Zeros, tf.Float, 2)
	seen.Trainable = false
	loss := op.Sum(s, w.Value, op.Const(s, []int32{0}))
	double := op.Add(s, w.Value, w.Value)
	goal := m.Minimize(loss, train.SGD{Rate: train.Fixed(0.5)}, train.Options{Also: []train.Assignment{{Variable: seen, Value: double}}})
	tr := start(t, m)
	var outputs []float32
	for step, err := range tr.Steps(t.Context(), goal, nothing(2), double) {
		if err != nil {
			t.Fatal(err)
		}
		outputs = append(outputs, tensor.Of[float32](&step.Outputs[0])...)
	}
	if want := []float32{2, 4, 1, 3}; !slices.Equal(outputs, want) {
		t.Errorf("the outputs are %v, want %v", outputs, want)
	}
	if got := read(t, tr, seen); !slices.Equal(got, []float32{1, 3}) {
		t.Errorf("before the last update twice w was 1 and 3, but %v was assigned", got)
	}
	if got := read(t, tr, w); !slices.Equal(got, []float32{0, 1}) {
		t.Errorf("w is %v", got)
	}

	three := tensorOf(t, []float32{3, 3})
	bad := map[string]map[*train.Variable]*tf.Tensor{
		"no tensor":       {w: three, seen: nil},
		"shape [3]":       {w: three, seen: tensorOf(t, []float32{1, 2, 3})},
		"double":          {w: three, seen: tensorOf(t, []float64{1, 2})},
		"not the model's": {w: three, {Name: "w"}: three},
	}
	for want, values := range bad {
		if err := tr.Assign(t.Context(), values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if got := read(t, tr, w); !slices.Equal(got, []float32{0, 1}) {
		t.Errorf("after assignments that failed, w is %v", got)
	}
	if err := tr.Assign(t.Context(), map[*train.Variable]*tf.Tensor{w: three, seen: three}); err != nil {
		t.Fatal(err)
	}
	if got := append(read(t, tr, w), read(t, tr, seen)...); !slices.Equal(got, []float32{3, 3, 3, 3}) {
		t.Errorf("3 was assigned, but the variables are %v", got)
	}
}

// What Options.Also may not set is refused when the goal is made.
func TestAlsoMistakes(t *testing.T) {
	for want, also := range map[string]func(m *train.Model, w, seen *train.Variable) []train.Assignment{
		"trains or sets already": func(m *train.Model, w, seen *train.Variable) []train.Assignment {
			return []train.Assignment{{Variable: w, Value: w.Value}}
		},
		"seen, which the goal trains or sets already": func(m *train.Model, w, seen *train.Variable) []train.Assignment {
			return []train.Assignment{{Variable: seen, Value: w.Value}, {Variable: seen, Value: w.Value}}
		},
		"not the model's": func(m *train.Model, w, seen *train.Variable) []train.Assignment {
			return []train.Assignment{{Value: w.Value}}
		},
		"not of the model's graph": func(m *train.Model, w, seen *train.Variable) []train.Assignment {
			return []train.Assignment{{Variable: seen}}
		},
	} {
		m := train.NewModel(tf.NewGraph(), 1)
		s := m.Scope()
		w := m.Variable("w", train.Ones, tf.Float, 2)
		seen := m.Variable("seen", train.Zeros, tf.Float, 2)
		seen.Trainable = false
		m.Minimize(op.Sum(s, w.Value, op.Const(s, []int32{0})), train.SGD{Rate: train.Fixed(1)}, train.Options{Also: also(m, w, seen)})
		if err := m.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
