package train_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/ops/io/bundle"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/train"
)

// A small network with all that could keep training from being repeated: rows of an
// embedding, dropout, averages, clipping, decay, a schedule and batches in random
// order.
type network struct {
	*train.Model
	goal    *train.Goal
	x, y    tf.Output
	correct tf.Output
	data    *train.Data
}

func newNetwork(t *testing.T, options train.Options) *network {
	t.Helper()
	m := train.NewModel(tf.NewGraph(), 3)
	s := m.Scope()
	n := &network{Model: m}
	n.x = op.Placeholder(s.SubScope("x"), tf.Int64, op.PlaceholderShape(tf.MakeShape(-1)))
	n.y = op.Placeholder(s.SubScope("y"), tf.Float, op.PlaceholderShape(tf.MakeShape(-1)))
	table := m.Variable("table", train.Normal(0, 1), tf.Float, 20, 6)
	hidden := m.Variable("hidden", train.GlorotUniform, tf.Float, 6, 8)
	out := m.Variable("out", train.GlorotNormal, tf.Float, 8, 1)
	rows := op.ResourceGather(s, table.Handle, n.x, tf.Float)
	h := m.Dropout(s, op.Tanh(s, op.MatMul(s, rows, hidden.Value)), 0.25)
	answer := op.Reshape(s, op.MatMul(s, h, out.Value), op.Const(s, []int32{-1}))
	losses := op.SquaredDifference(s, answer, n.y)
	n.correct = op.Less(s, losses, op.Const(s, float32(0.25)))
	loss := op.Mean(s, losses, op.Const(s, int32(0)))
	n.goal = m.Minimize(loss, train.Adam{Rate: train.CosineDecay(0.05, 0.001, 40)}, options)

	var xs []int64
	var ys []float32
	for i := range 50 {
		xs, ys = append(xs, int64(i*7%20)), append(ys, float32(i*7%20%3)-1)
	}
	var err error
	if n.data, err = train.NewData(train.Batch{n.x: tensorOf(t, xs), n.y: tensorOf(t, ys)}); err != nil {
		t.Fatal(err)
	}
	return n
}

var everything = train.Options{
	Clip: train.ClipByGlobalNorm(1), WeightDecay: 0.01, Accumulate: 2, Average: 0.9,
}

// values are the bits of all variables.
func values(t *testing.T, tr *train.Trainer, m *train.Model) map[string][]uint32 {
	t.Helper()
	all := map[string][]uint32{}
	for _, v := range m.Variables() {
		if v.DType != tf.Float {
			continue
		}
		for _, x := range read(t, tr, v) {
			all[v.Name] = append(all[v.Name], math.Float32bits(x))
		}
	}
	return all
}

// Training that is interrupted, and goes on in another process, gives the bits of
// training that is not, on each engine.
func TestResume(t *testing.T) {
	const updates = 24
	var want map[string][]uint32
	for _, engine := range []string{"actors", "tokens", "messages", "sequential", "seeded:5"} {
		t.Run(engine, func(t *testing.T) {
			begin := func() (*network, *train.Trainer) {
				n := newNetwork(t, everything)
				session, err := tf.NewSession(n.Graph(), &tf.SessionOptions{Engine: engine})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { session.Close() })
				tr, err := n.Start(t.Context(), session)
				if err != nil {
					t.Fatal(err)
				}
				return n, tr
			}
			n, whole := begin()
			var losses []float64
			for step, err := range whole.Steps(t.Context(), n.goal, n.data.Shuffled(8, 5, 0, 2*updates)) {
				if err != nil {
					t.Fatal(err)
				}
				losses = append(losses, step.Loss)
			}
			if want == nil {
				want = values(t, whole, n.Model)
			} else if diff := cmp.Diff(want, values(t, whole, n.Model)); diff != "" {
				t.Error("another engine trains otherwise:", diff)
			}

			kept := &train.Checkpoints{Dir: t.TempDir()}
			var again []float64
			for len(again) < updates {
				n, tr := begin()
				if _, err := kept.Restore(t.Context(), tr); err != nil {
					t.Fatal(err)
				}
				done, err := tr.Updates(t.Context(), n.goal)
				if err != nil {
					t.Fatal(err)
				}
				if done != int64(len(again)) {
					t.Fatalf("%d updates are done, not %d", done, len(again))
				}
				ctx, cancel := context.WithCancel(t.Context())
				for step, err := range tr.Steps(ctx, n.goal, n.data.Shuffled(8, 5, 2*done, 2*updates)) {
					if err != nil {
						if !errors.Is(err, context.Canceled) || status.CodeOf(err) != status.Canceled {
							t.Fatal(err)
						}
						if err := kept.Save(context.WithoutCancel(ctx), tr, n.goal); err != nil {
							t.Fatal(err)
						}
						break
					}
					again = append(again, step.Loss)
					if step.N%7 == 0 {
						cancel()
					}
				}
				cancel()
				if len(again) == updates {
					if diff := cmp.Diff(want, values(t, tr, n.Model)); diff != "" {
						t.Error(diff)
					}
				}
			}
			if diff := cmp.Diff(losses, again); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An update that is broken off between its changes is found out, and cannot be
// saved; a checkpoint makes up for it.
func TestBrokenOff(t *testing.T) {
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	w := m.Variable("w", train.Ones, tf.Float, 2)
	slow := m.Variable("slow", train.Ones, tf.Float, 2)
	started := make(chan struct{})
	gate := op.PlaceholderWithDefault(s, op.Const(s, false), tf.ScalarShape())
	loss := op.Sum(s, op.AddV2(s, w.Value, slow.Value), op.Const(s, int32(0)))
	goal := m.Minimize(loss, stalling{gate: gate, stall: slow}, train.Options{})
	tr := start(t, m)
	tr.Grace = time.Nanosecond
	prefix := filepath.Join(t.TempDir(), "before")
	if err := tr.Save(t.Context(), prefix); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// What is broken off must have changed w: it is asked until it has.
	go func() {
		defer close(started)
		for ctx.Err() == nil {
			out, err := tr.Session().RunContext(ctx, nil, []tf.Output{w.Value}, nil)
			if err == nil && out[0].Value().([]float32)[0] != 1 {
				cancel()
			}
		}
	}()
	batch := train.Batch{gate: tensorOf(t, true)}
	for _, err := range tr.Steps(ctx, goal, batches(batch, 1)) {
		if status.CodeOf(err) != status.Canceled {
			t.Errorf("%v", err)
		}
	}
	<-started
	_, err := tr.Updates(t.Context(), goal)
	if status.CodeOf(err) != status.FailedPrecondition {
		t.Errorf("updates: %v", err)
	}
	if err := tr.Save(t.Context(), prefix+"-2"); status.CodeOf(err) != status.FailedPrecondition {
		t.Errorf("saved: %v", err)
	}
	for _, err := range tr.Steps(t.Context(), goal, batches(batch, 1)) {
		if status.CodeOf(err) != status.FailedPrecondition {
			t.Errorf("another step: %v", err)
		}
	}
	if err := tr.Restore(t.Context(), prefix); err != nil {
		t.Fatal(err)
	}
	for step, err := range tr.Steps(t.Context(), goal, batches(train.Batch{gate: tensorOf(t, false)}, 1)) {
		if err != nil || step.N != 1 {
			t.Errorf("%v, %v", step, err)
		}
	}
}

// A stalling optimizer is gradient descent, but for one variable it first goes round
// a loop as long as a gate is open.
type stalling struct {
	gate  tf.Output
	stall *train.Variable
}

func (o stalling) Schedule() train.Schedule { return train.Fixed(0.5) }

func (o stalling) Update(u *train.Update) {
	s := u.Scope
	step := op.Mul(s, u.Rate, u.Dense())
	if u.Variable == o.stall {
		out := op.While(s, []tf.Output{step},
			func(s *op.Scope, v []tf.Output) tf.Output { return op.Identity(s, o.gate) },
			func(s *op.Scope, v []tf.Output) []tf.Output { return []tf.Output{op.Identity(s, v[0])} })
		if s.Err() != nil {
			return
		}
		step = out[0]
	}
	u.Done(op.AssignSubVariableOp(s, u.Variable.Handle, step))
}

// The last few and the best are kept, and the file that TensorFlow reads names them.
func TestCheckpoints(t *testing.T) {
	n := newNetwork(t, train.Options{})
	tr := start(t, n.Model)
	kept := &train.Checkpoints{Dir: filepath.Join(t.TempDir(), "a", "b"), Name: "net", Keep: 2}
	if found, err := kept.Restore(t.Context(), tr); found || err != nil {
		t.Errorf("from nothing: %v, %v", found, err)
	}
	if _, err := kept.Best(); status.CodeOf(err) != status.NotFound {
		t.Errorf("the best of nothing: %v", err)
	}
	scores := map[int64]float64{2: 0.5, 4: 0.25, 6: 0.75, 8: 0.75}
	var better []int64
	var atSix map[string][]uint32
	for step, err := range tr.Steps(t.Context(), n.goal, n.data.Shuffled(10, 1, 0, 8)) {
		if err != nil {
			t.Fatal(err)
		}
		if step.N%2 != 0 {
			continue
		}
		if step.N == 6 {
			atSix = values(t, tr, n.Model)
		}
		for range 2 { // the second time replaces the first
			if err := kept.Save(t.Context(), tr, n.goal); err != nil {
				t.Fatal(err)
			}
		}
		is, err := kept.SaveBest(t.Context(), tr, n.goal, scores[step.N])
		if err != nil {
			t.Fatal(err)
		}
		if is {
			better = append(better, step.N)
		}
	}
	if diff := cmp.Diff([]int64{2, 6}, better); diff != "" {
		t.Error(diff)
	}
	want := []string{
		"best/checkpoint", "best/net-6.data-00000-of-00001", "best/net-6.index",
		"checkpoint", "net-6.data-00000-of-00002", "net-6.index", "net-8.data-00000-of-00002", "net-8.index",
	}
	if diff := cmp.Diff(want, filesIn(t, kept.Dir)); diff != "" {
		t.Error(diff)
	}
	text, err := os.ReadFile(filepath.Join(kept.Dir, "checkpoint"))
	if err != nil {
		t.Fatal(err)
	}
	const state = "model_checkpoint_path: \"net-8\"\nall_model_checkpoint_paths: \"net-6\"\nall_model_checkpoint_paths: \"net-8\"\n"
	if diff := cmp.Diff(state, string(text)); diff != "" {
		t.Error(diff)
	}
	if found, err := kept.RestoreBest(t.Context(), tr); !found || err != nil {
		t.Fatal(found, err)
	}
	if diff := cmp.Diff(atSix, values(t, tr, n.Model)); diff != "" {
		t.Error(diff)
	}
	if score, err := kept.Best(); score != 0.75 || err != nil {
		t.Error(score, err)
	}

	// One that did not get its index is passed over.
	if err := os.Remove(bundle.IndexName(filepath.Join(kept.Dir, "net-8"))); err != nil {
		t.Fatal(err)
	}
	if found, err := kept.Restore(t.Context(), tr); !found || err != nil {
		t.Fatal(found, err)
	}
	if done, err := tr.Updates(t.Context(), n.goal); done != 6 || err != nil {
		t.Error(done, err)
	}
}

func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// What does not fit is refused before anything changes.
func TestRestoreMistakes(t *testing.T) {
	dir := t.TempDir()
	n := newNetwork(t, train.Options{})
	tr := start(t, n.Model)
	before := values(t, tr, n.Model)
	prefix := filepath.Join(dir, "other")
	write := func(change func(name string, x *tf.Tensor) *tf.Tensor) {
		w, err := bundle.Create(nil, prefix)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range n.Variables() {
			out, err := tr.Session().Run(nil, []tf.Output{v.Value}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if x := change(v.Name, out[0]); x != nil {
				if err := w.Add(v.Name, tensor.ValueOf(x)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
	}
	fails := func(code status.Code, text string) {
		t.Helper()
		err := tr.Restore(t.Context(), prefix)
		if status.CodeOf(err) != code || !strings.Contains(err.Error(), text) {
			t.Errorf("%v; want %v with %q", err, code, text)
		}
		if diff := cmp.Diff(before, values(t, tr, n.Model)); diff != "" {
			t.Error(diff)
		}
	}
	fails(status.NotFound, "other")
	write(func(name string, x *tf.Tensor) *tf.Tensor {
		if strings.HasPrefix(name, "hidden") {
			return nil
		}
		return x
	})
	fails(status.NotFound, "hidden, hidden/Adam/m, hidden/Adam/v")
	write(func(name string, x *tf.Tensor) *tf.Tensor {
		if name == "out" {
			return tensorOf(t, []float32{1, 2})
		}
		return x
	})
	fails(status.InvalidArgument, "variable out with type float and shape [2]")
	write(func(_ string, x *tf.Tensor) *tf.Tensor { return x })
	data := bundle.DataName(prefix, 0, 1)
	b, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(data, b, 0o666); err != nil {
		t.Fatal(err)
	}
	fails(status.DataLoss, "")
}

// Averages take the place of variables and give it back.
func TestSwapAverages(t *testing.T) {
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	w := m.Variable("w", train.Filled(1), tf.Float)
	goal := m.Minimize(op.Square(s, w.Value), train.SGD{Rate: train.Fixed(0.25)}, train.Options{Average: 0.5})
	tr := start(t, m)
	x, average := 1.0, 1.0
	for step, err := range tr.Steps(t.Context(), goal, nothing(12)) {
		if err != nil {
			t.Fatal(err)
		}
		x -= 0.25 * 2 * x
		before := float64(step.N - 1)
		keep := min(0.5, (1+before)/(10+before))
		average = keep*average + (1-keep)*x
	}
	expect := func(v *train.Variable, want float64) {
		t.Helper()
		if got := float64(read(t, tr, v)[0]); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s is %v, want %v", v.Name, got, want)
		}
	}
	other := m.Lookup("w/ExponentialMovingAverage")
	expect(w, x)
	expect(other, average)
	if err := tr.SwapAverages(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(w, average)
	expect(other, x)
	prefix := filepath.Join(t.TempDir(), "p")
	if err := tr.Save(t.Context(), prefix); err != nil { // with each under its own name
		t.Fatal(err)
	}
	for _, err := range tr.Steps(t.Context(), goal, nothing(1)) {
		if status.CodeOf(err) != status.FailedPrecondition {
			t.Errorf("an update of averages: %v", err)
		}
	}
	if err := tr.Restore(t.Context(), prefix, w); status.CodeOf(err) != status.FailedPrecondition {
		t.Errorf("an average was replaced: %v", err)
	}
	expect(w, average)
	if err := tr.SwapAverages(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(w, x)
	if err := tr.SwapAverages(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 { // all are restored as they were outside of the exchange
		if err := tr.Restore(t.Context(), prefix); err != nil {
			t.Fatal(err)
		}
		expect(w, x)
		expect(other, average)
	}
	for step, err := range tr.Steps(t.Context(), goal, nothing(1)) {
		if err != nil || step.N != 13 {
			t.Errorf("update %d: %v", step.N, err)
		}
	}
}
