package train_test

import (
	"context"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/train"
)

// A mistake in the construction is told by Start, with what is wrong.
func TestMistakes(t *testing.T) {
	sgd := train.SGD{Rate: train.Fixed(1)}
	for name, test := range map[string]struct {
		build func(m *train.Model, s *op.Scope, w *train.Variable)
		code  status.Code
		text  string
	}{
		"vector": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			m.Minimize(w.Value, sgd, train.Options{})
		}, status.InvalidArgument, "must be a scalar"},
		"no rate": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			m.Minimize(op.L2Loss(s, w.Value), train.Adam{}, train.Options{})
		}, status.InvalidArgument, "train.Adam has no learning rate"},
		"no optimizer": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			m.Minimize(op.L2Loss(s, w.Value), nil, train.Options{})
		}, status.InvalidArgument, "no optimizer"},
		"another graph": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			m.Minimize(op.Const(op.NewScope(), float32(1)), sgd, train.Options{})
		}, status.InvalidArgument, "not of the model's graph"},
		"no part in the loss": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			m.Variable("other", train.Zeros, tf.Float)
			m.Minimize(op.L2Loss(s, w.Value), sgd, train.Options{})
		}, status.InvalidArgument, "does not depend on these variables: other"},
		"nothing to train": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			w.Trainable = false
			m.Minimize(op.L2Loss(s, w.Value), sgd, train.Options{})
		}, status.InvalidArgument, "no variable to train"},
		"twice": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			m.Minimize(op.L2Loss(s, w.Value), sgd, train.Options{Variables: []*train.Variable{w, w}})
		}, status.InvalidArgument, "w is to be trained twice"},
		"two goals": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			m.Minimize(op.L2Loss(s, w.Value), sgd, train.Options{})
			m.Minimize(op.L2Loss(s, w.Value), sgd, train.Options{})
		}, status.InvalidArgument, "give this one another Name"},
		"name taken": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			m.Variable("w", train.Zeros, tf.Float)
		}, status.AlreadyExists, `"w"`},
		"negative dimension": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			m.Variable("v", train.Zeros, tf.Float, 2, -1)
		}, status.InvalidArgument, "-1"},
		"given another shape": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			m.Variable("v", train.Given([]float32{1, 2}), tf.Float, 3)
		}, status.InvalidArgument, "[3] is initialized"},
		"orthogonal vector": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			m.Variable("v", train.Orthogonal, tf.Float, 3)
		}, status.InvalidArgument, "not a matrix"},
		"too large a rate of dropout": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			m.Dropout(s, w.Value, 1)
		}, status.InvalidArgument, "in [0, 1)"},
		"no gradient": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			m.Minimize(op.Sum(s, op.Cast(s, op.StringToHashBucketFast(s, op.AsString(s, w.Value), 3), tf.Float), op.Const(s, int32(0))), sgd, train.Options{})
		}, status.InvalidArgument, "does not depend"},
		"clip": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			m.Minimize(op.L2Loss(s, w.Value), sgd, train.Options{Clip: func(*op.Scope, []tf.Output) []tf.Output { return nil }})
		}, status.InvalidArgument, "given 1 gradients and returned 0"},
		"average": {func(m *train.Model, s *op.Scope, w *train.Variable) {
			m.Minimize(op.L2Loss(s, w.Value), sgd, train.Options{Average: 1})
		}, status.InvalidArgument, "moving average"},
	} {
		t.Run(name, func(t *testing.T) {
			m := train.NewModel(tf.NewGraph(), 1)
			w := m.Variable("w", train.Ones, tf.Float, 2)
			test.build(m, m.Scope(), w)
			session, err := tf.NewSession(m.Graph(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			_, err = m.Start(t.Context(), session)
			if status.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.text) {
				t.Errorf("%v; want %v with %q", err, test.code, test.text)
			}
		})
	}
}

// A batch that does not fit fails its step and changes nothing; training can go on.
func TestBadBatch(t *testing.T) {
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	x := op.Placeholder(s, tf.Float)
	w := m.Variable("w", train.Ones, tf.Float, 2)
	goal := m.Minimize(op.Sum(s, op.Mul(s, w.Value, x), op.Const(s, int32(0))), train.SGD{Rate: train.Fixed(1)}, train.Options{})
	tr := start(t, m)
	step := func(b train.Batch) error {
		var last error
		for _, err := range tr.Steps(t.Context(), goal, batches(b, 1)) {
			last = err
		}
		return last
	}
	good := tensorOf(t, []float32{1, 2})
	for text, batch := range map[string]train.Batch{
		"[2] vs. [3]":  {x: tensorOf(t, []float32{1, 2, 3})},
		"int32":        {x: tensorOf(t, []int32{1, 2})},
		"Placeholder":  {},
		"of no node":   {tf.Output{}: good},
		"has no tenso": {x: nil},
	} {
		if err := step(batch); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v; want %q", err, text)
		}
	}
	if err := step(train.Batch{x: good}); err != nil {
		t.Error(err)
	}
	if got := read(t, tr, w); got[0] != 0 || got[1] != -1 {
		t.Errorf("%v", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	n := 0
	for s, err := range tr.Steps(ended, goal, batches(train.Batch{x: good}, 1)) {
		if n++; status.CodeOf(err) != status.Canceled {
			t.Errorf("%v, %v", s, err)
		}
	}
	if n != 1 {
		t.Errorf("%d steps in a context that has ended", n)
	}
}

// Two nodes that make handles of one variable are one to the model, and the gradient
// is the sum of what flows to both; what nobody uses is let go.
func TestAliases(t *testing.T) {
	g := tf.NewGraph()
	s := op.NewScopeWithGraph(g).WithUniqueNames()
	handle := func(name, shared string) tf.Output {
		return s.AddOperation(tf.OpSpec{Type: "VarHandleOp", Name: name, Attrs: map[string]any{
			"dtype": tf.Float, "shape": tf.ScalarShape(), "shared_name": shared,
		}}).Output(0)
	}
	one, two := handle("one", "w"), handle("two", "w")
	handle("unused", "")
	s.AddOperation(tf.OpSpec{Type: "AssignVariableOp", Name: "two/Assign", Input: []tf.Input{two, op.Const(s, float32(5))}})
	m := train.NewModel(g, 1)
	if got := len(m.Adopt()); got != 2 {
		t.Fatalf("%d variables", got)
	}
	loss := op.Mul(s, op.ReadVariableOp(s, one, tf.Float), op.ReadVariableOp(s, two, tf.Float))
	goal := m.Minimize(loss, train.SGD{Rate: train.Fixed(0.25)}, train.Options{})
	tr := start(t, m)
	for step, err := range tr.Steps(t.Context(), goal, nothing(2)) {
		if err != nil {
			t.Fatal(err)
		}
		if want := map[int64]float64{1: 25, 2: 6.25}[step.N]; step.Loss != want {
			t.Errorf("loss %v, want %v", step.Loss, want)
		}
	}
	if m.Lookup("unused") != nil || len(goal.Variables) != 1 {
		t.Error("what nobody uses is the model's")
	}
}

// Two goals of a model change their own variables, and count for themselves.
func TestGoals(t *testing.T) {
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	a, b := m.Variable("a", train.Ones, tf.Float), m.Variable("b", train.Ones, tf.Float)
	product := op.Mul(s, a.Value, b.Value)
	down := m.Minimize(product, train.SGD{Rate: train.Fixed(0.5)}, train.Options{Variables: []*train.Variable{a}})
	up := m.Minimize(op.Neg(s, product), train.SGD{Rate: train.Fixed(0.25), Momentum: 0.5}, train.Options{Name: "up", Variables: []*train.Variable{b}})
	tr := start(t, m)
	for i, goal := range []*train.Goal{down, up, up} { // a = 0.5; b = 1.125; b = 1.3125
		for _, err := range tr.Steps(t.Context(), goal, nothing(1)) {
			if err != nil {
				t.Fatal(i, err)
			}
		}
	}
	if x, y := read(t, tr, a)[0], read(t, tr, b)[0]; x != 0.5 || y != 1.3125 {
		t.Errorf("%v, %v", x, y)
	}
	for goal, want := range map[*train.Goal]int64{down: 1, up: 2} {
		if n, err := tr.Updates(t.Context(), goal); n != want || err != nil {
			t.Errorf("%d updates, %v; want %d", n, err, want)
		}
	}
	if m.Lookup("up/global_step") == nil || m.Lookup("b/up/SGD/momentum") == nil {
		t.Error("names are others")
	}
}
