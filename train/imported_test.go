package train_test

import (
	"archive/zip"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// unpack writes a recorded case into a directory.
func unpack(t *testing.T, archive, name string) string {
	t.Helper()
	z, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir := t.TempDir()
	for _, f := range z.File {
		rest, ok := strings.CutPrefix(f.Name, name+"/")
		if !ok || f.FileInfo().IsDir() {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		r.Close()
		path := filepath.Join(dir, filepath.FromSlash(rest))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o777)
		}
		if err == nil {
			err = os.WriteFile(path, b, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Graphs that TensorFlow wrote, forward parts with their variables and initializers,
// are trained to the losses that it recorded: references and resources, rows of
// embeddings, a conditional, attention, and a memory in a loop that is a function.
func TestGraphs(t *testing.T) {
	for _, name := range []string{"embedding", "cond_loss_switch", "linear_regression", "logistic_regression", "attention", "lstm_functional"} {
		t.Run(name, func(t *testing.T) {
			dir := unpack(t, "testdata/graphs.zip", name)
			open := func(name string) []byte {
				b, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
			var c struct {
				Rate, Momentum float64
				Nesterov       bool
				Variables      []string
				Rounds         []struct {
					Feeds map[string]string
					Loss  float64
				}
			}
			if err := json.Unmarshal(open("case.json"), &c); err != nil {
				t.Fatal(err)
			}
			g := tf.NewGraph()
			if err := g.Import(open("graph.pb"), ""); err != nil {
				t.Fatal(err)
			}
			m := train.NewModel(g, 1)
			m.Adopt()
			var vars []*train.Variable
			for _, name := range c.Variables {
				vars = append(vars, m.Lookup(name))
			}
			sgd := train.SGD{Rate: train.Fixed(c.Rate), Momentum: c.Momentum, Nesterov: c.Nesterov}
			goal := m.Minimize(g.Operation("loss").Output(0), sgd, train.Options{Variables: vars})
			tr := start(t, m)
			var all []train.Batch
			for _, round := range c.Rounds {
				batch := train.Batch{}
				for name, file := range round.Feeds {
					batch[g.Operation(name).Output(0)] = unmarshal(t, open(file))
				}
				all = append(all, batch)
			}
			n := 0
			for step, err := range tr.Steps(t.Context(), goal, slices.Values(all)) {
				if err != nil {
					t.Fatal(err)
				}
				if want := c.Rounds[n].Loss; math.Abs(step.Loss-want) > 1e-5*(1+want) {
					t.Errorf("update %d: loss %v, want %v", step.N, step.Loss, want)
				}
				n++
			}
			if n < 3 || n != len(c.Rounds) {
				t.Errorf("%d updates", n)
			}
		})
	}
}

// Models that TensorFlow wrote, one of Keras, whose layers are functions that are
// given handles, and one of version 1, a loop over references, are trained on: the
// gradients are those of differences, the loss falls, and what is exported and loaded
// again answers as the trained one.
func TestImported(t *testing.T) {
	for _, test := range []struct{ model, input, output string }{
		{"keras_mlp", "x", "output_0"},
		{"v1_rnn_ref_variables", "x", "y"},
	} {
		t.Run(test.model, func(t *testing.T) {
			dir := unpack(t, "../conformance/testdata/models.zip", test.model)
			loaded, err := model.Load(filepath.Join(dir, "saved_model"), []string{"serve"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer loaded.Session.Close()
			sig := loaded.Signatures["serving_default"]
			x, y := find(t, loaded, sig.Inputs[test.input]), find(t, loaded, sig.Outputs[test.output])
			in, err := os.ReadFile(filepath.Join(dir, "step0.in.x.tensor"))
			if err != nil {
				t.Fatal(err)
			}
			batch := train.Batch{x: unmarshal(t, in)}
			before := fetch(t, loaded.Session, batch, y)
			dims := before.Dims()

			m := train.NewModel(loaded.Graph, 1)
			m.Adopt()
			s := m.Scope()
			target := op.Fill(s, op.Const(s, dims), op.Const(s, float32(0.3)))
			flat := op.Reshape(s, op.SquaredDifference(s, y, target), op.Const(s, []int32{-1}))
			loss := op.Mean(s, flat, op.Const(s, int32(0)))

			goal := m.Minimize(loss, train.SGD{Rate: train.Fixed(1)}, train.Options{})
			again := m.Minimize(loss, train.Adam{Rate: train.Fixed(0.02)}, train.Options{Name: "adam"})
			tr, err := m.Start(t.Context(), loaded.Session)
			if err != nil {
				t.Fatal(err)
			}
			if got := fetch(t, loaded.Session, batch, y); got.String() != before.String() {
				t.Error("the model has lost what it had learnt")
			}

			vars := goal.Variables
			if len(vars) < 2 {
				t.Fatalf("%d variables", len(vars))
			}
			// One step of descent with rate 1 subtracts the gradient. Along itself
			// the loss changes by its square.
			old := map[*train.Variable][]float32{}
			for _, v := range vars {
				old[v] = read(t, tr, v)
			}
			first := scalar(t, loaded.Session, batch, loss)
			if err := tr.Save(t.Context(), filepath.Join(dir, "before")); err != nil {
				t.Fatal(err)
			}
			for _, err := range tr.Steps(t.Context(), goal, batches(batch, 1)) {
				if err != nil {
					t.Fatal(err)
				}
			}
			gradient, squares := map[*train.Variable][]float32{}, 0.0
			for _, v := range vars {
				for i, x := range read(t, tr, v) {
					g := old[v][i] - x
					gradient[v] = append(gradient[v], g)
					squares += float64(g) * float64(g)
				}
			}
			if squares == 0 {
				t.Fatal("all gradients are 0")
			}
			h := 1e-2 / math.Sqrt(squares)
			at := func(sign float64) float64 {
				feeds := train.Batch{x: batch[x]}
				for _, v := range vars {
					moved := make([]float32, len(old[v]))
					for i := range moved {
						moved[i] = old[v][i] + float32(sign*h*float64(gradient[v][i]))
					}
					value, err := tf.FromSlice(moved, v.Shape...)
					if err != nil {
						t.Fatal(err)
					}
					assign(t, tr, v, value)
				}
				return scalar(t, loaded.Session, feeds, loss)
			}
			slope := (at(1) - at(-1)) / (2 * h)
			if math.Abs(slope-squares) > 0.02*squares {
				t.Errorf("the loss changes by %v along the gradient, of which the square is %v", slope, squares)
			}
			if err := tr.Restore(t.Context(), filepath.Join(dir, "before")); err != nil {
				t.Fatal(err)
			}

			var last float64
			for step, err := range tr.Steps(t.Context(), again, batches(batch, 60)) {
				if err != nil {
					t.Fatal(err)
				}
				last = step.Loss
			}
			if last > first/2 {
				t.Errorf("the loss is %v after training, %v before", last, first)
			}

			after := fetch(t, loaded.Session, batch, y)
			exported := filepath.Join(dir, "trained")
			err = tr.Export(t.Context(), exported, map[string]model.ExportSignature{"serving_default": {
				Inputs: map[string]tf.Output{test.input: x}, Outputs: map[string]tf.Output{test.output: y},
			}})
			if err != nil {
				t.Fatal(err)
			}
			back, err := model.Load(exported, []string{"serve"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer back.Session.Close()
			sig = back.Signatures["serving_default"]
			got := fetch(t, back.Session, train.Batch{find(t, back, sig.Inputs[test.input]): batch[x]}, find(t, back, sig.Outputs[test.output]))
			if got.String() != after.String() {
				t.Errorf("the exported model answers %v, the trained one %v", got, after)
			}
		})
	}
}

func find(t *testing.T, m *model.SavedModel, info model.TensorInfo) tf.Output {
	t.Helper()
	o, err := m.Graph.Find(info.Name)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func fetch(t *testing.T, s *tf.Session, feeds train.Batch, o tf.Output) *tf.Tensor {
	t.Helper()
	out, err := s.Run(feeds, []tf.Output{o}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

func scalar(t *testing.T, s *tf.Session, feeds train.Batch, o tf.Output) float64 {
	t.Helper()
	return float64(fetch(t, s, feeds, o).Value().(float32))
}

// batches returns one batch n times.
func batches(b train.Batch, n int) func(func(train.Batch) bool) {
	return func(yield func(train.Batch) bool) {
		for range n {
			if !yield(b) {
				return
			}
		}
	}
}
