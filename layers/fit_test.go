package layers

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/op"
	_ "github.com/troupe-go/troupe/ops/dataset"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/train"
	"github.com/troupe-go/troupe/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// line is a model of one variable w, which begins at 0, and batches for which w of 2 is
// right.
func line(t *testing.T, rate train.Schedule, more ...Layer) (*Model, iter.Seq[Batch]) {
	t.Helper()
	n := New(1)
	x := n.Input("x", tf.Float, 1).Then(&Dense{Units: 1, NoBias: true, KernelInitializer: train.Zeros}).Then(more...)
	m, err := n.Compile(t.Context(), x, Config{Loss: MeanSquaredError{}, Optimizer: train.SGD{Rate: rate}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	b, err := Examples(tensorOf(t, []float32{2, 4}, 2, 1), tensorOf(t, []float32{1, 2}, 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	return m, b.Batches(2)
}

func weight(t *testing.T, m *Model) float32 {
	t.Helper()
	w, err := m.Weights(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return w["dense/kernel"].Value().([][]float32)[0][0]
}

// Training that gets worse ends after as many epochs as it is given, with the weights of
// the best one.
func TestEarlyStopping(t *testing.T) {
	rate := func(n int64) float64 { // right after two updates, then away
		return []float64{0.1, 0.15, 1, 1, 1, 1, 1, 1}[min(n, 7)]
	}
	m, batches := line(t, rate)
	// The loss of an epoch is that before its update, so what is best is seen in validation.
	var weights []float32
	note := After(func(context.Context, *Epoch) error { weights = append(weights, weight(t, m)); return nil })
	history, err := m.Fit(t.Context(), batches, FitOptions{
		Epochs: 8, Validation: batches, Callbacks: []Callback{note, &EarlyStopping{Patience: 2, RestoreBest: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	best := 0
	for i, e := range history {
		if e.Values["val_loss"] < history[best].Values["val_loss"] {
			best = i
		}
	}
	if len(history) != best+3 {
		t.Errorf("%d epochs, of which epoch %d was best", len(history), best+1)
	}
	if got := weight(t, m); got != weights[best] {
		t.Errorf("the weight is %v, but was %v in the best epoch", got, weights[best])
	}
	if _, err := m.Fit(t.Context(), batches, FitOptions{Callbacks: []Callback{&EarlyStopping{}}}); status.CodeOf(err) != status.NotFound {
		t.Errorf("without validation: %v", err)
	}
}

// The learning rate falls when the loss stays as it is.
func TestReduceOnPlateau(t *testing.T) {
	p := &ReduceOnPlateau{Rate: 1e-12, Factor: 0.5, Monitor: "loss", Patience: 2, MinDelta: 1e-3}
	m, batches := line(t, p.Schedule)
	history, err := m.Fit(t.Context(), batches, FitOptions{Epochs: 6, Callbacks: []Callback{p}})
	if err != nil {
		t.Fatal(err)
	}
	var rates []float64
	for _, e := range history {
		rates = append(rates, math.Round(e.Rate/1e-12*100)/100)
	}
	if want := []float64{1, 1, 1, 0.5, 0.5, 0.25}; !slices.Equal(rates, want) {
		t.Errorf("the rates are %v, want %v", rates, want)
	}
}

// Event files have the values of all epochs and updates, framed as TensorFlow's records.
func TestTensorBoard(t *testing.T) {
	m, batches := line(t, train.Fixed(0.1))
	dir := t.TempDir()
	if _, err := m.Fit(t.Context(), batches, FitOptions{Epochs: 2, Validation: batches, Callbacks: []Callback{&TensorBoard{Dir: dir, Updates: true}}}); err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string][]string{
		"train":      {"batch_loss 1", "epoch_loss 1", "epoch_learning_rate 1", "batch_loss 2", "epoch_loss 2", "epoch_learning_rate 2"},
		"validation": {"epoch_loss 1", "epoch_loss 2"},
	} {
		found, err := filepath.Glob(filepath.Join(dir, part, "*tfevents*"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %v, %v", part, found, err)
		}
		b, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for len(b) > 0 {
			n := binary.LittleEndian.Uint64(b)
			body := b[12 : 12+n]
			if record := wire.AppendRecord(nil, body); string(b[:len(record)]) != string(record) {
				t.Fatalf("%s is not a file of records", found[0])
			}
			b = b[16+n:]
			if name, step := event(t, body); name != "" {
				got = append(got, name+" "+string(rune('0'+step)))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", part, got, want)
		}
	}
}

// event is the name of an event's value, and its step.
func event(t *testing.T, body []byte) (name string, step uint64) {
	t.Helper()
	c := wire.NewCursor("Event", body)
	for c.Next() {
		switch {
		case c.IsBytes(5):
			summary := c.Message("Summary")
			for summary.Next() {
				value := summary.Message("Value")
				for value.Next() {
					if value.IsBytes(1) {
						name = string(value.Body())
					}
				}
			}
		case c.IsVarint(2):
			step = c.Value
		}
	}
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	return name, step
}

// A frozen layer keeps its weights, and a regularizer is part of what is minimized.
func TestFreezeAndRegularize(t *testing.T) {
	n := New(1)
	frozen := &Dense{Units: 2}
	normal := &BatchNormalization{}
	x := n.Input("x", tf.Float, 2).Then(frozen, normal, &Dense{Units: 1, KernelRegularizer: L2(1e4)})
	n.Freeze(frozen, normal)
	m, err := n.Compile(t.Context(), x, Config{Loss: MeanSquaredError{}, Optimizer: train.SGD{Rate: train.Fixed(4e-5)}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	before, err := m.Weights(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := Examples(tensorOf(t, []float32{1, 2, 3}, 3, 1), tensorOf(t, []float32{1, 2, 3, 4, 5, 6}, 3, 2))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Fit(t.Context(), b.Batches(3), FitOptions{Epochs: 20}); err != nil {
		t.Fatal(err)
	}
	after, err := m.Weights(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range before {
		same := slices.Equal(numbers(x), numbers(after[name]))
		if trained := strings.HasPrefix(name, "dense_1"); same == trained {
			t.Errorf("%s: the same before and after is %v", name, same)
		}
	}
	for _, w := range numbers(after["dense_1/kernel"]) {
		if math.Abs(w) > 0.01 {
			t.Errorf("the regularizer leaves a weight of %v", w)
		}
	}
}

// Batches of a pipeline of datasets train a model, epoch after epoch.
func TestDataset(t *testing.T) {
	g := tf.NewGraph()
	s := op.NewScopeWithGraph(g).WithUniqueNames()
	types, shapes := []tf.DataType{tf.Float, tf.Float}, []tf.Shape{tf.MakeShape(-1, 1), tf.MakeShape(-1, 1)}
	rows := []tf.Shape{tf.MakeShape(1), tf.MakeShape(1)}
	data := op.TensorSliceDataset(s, []tf.Output{op.Const(s, [][]float32{{1}, {2}, {3}}), op.Const(s, [][]float32{{2}, {4}, {6}})}, rows)
	data = op.BatchDatasetV2(s, data, op.Const(s, int64(2)), op.Const(s, false), types, shapes)
	iterator := op.IteratorV2(s, "", "", types, shapes)
	begin := op.MakeIterator(s, data, iterator)
	next := op.IteratorGetNext(s, iterator, types, shapes)
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	session, err := tf.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	m, _ := line(t, train.Fixed(0.05))
	history, err := m.Fit(t.Context(), Dataset(t.Context(), session, begin, next...), FitOptions{Epochs: 30})
	if err != nil {
		t.Fatal(err)
	}
	if e := history[len(history)-1]; e.Updates != 60 {
		t.Errorf("30 epochs of two batches are %d updates", e.Updates)
	}
	if w := weight(t, m); math.Abs(float64(w)-2) > 1e-3 {
		t.Errorf("the weight is %v", w)
	}
	session.Close()
	if _, err := m.Fit(t.Context(), Dataset(t.Context(), session, begin, next...), FitOptions{}); err == nil {
		t.Error("a closed session has batches")
	}
}

// Iterators give every element once, in order but for Shuffle, and the error of a batch
// ends the training.
func TestIterators(t *testing.T) {
	numbers := func(yield func(int) bool) {
		for i := range 100 {
			if !yield(i) {
				return
			}
		}
	}
	all := slices.Collect(iter.Seq[int](numbers))
	var running, most atomic.Int64
	double := Map(numbers, 4, func(i int) int {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		return i
	})
	if got := slices.Collect(Prefetch(double, 3)); !slices.Equal(got, all) {
		t.Errorf("mapped and prefetched: %v", got)
	}
	if most.Load() > 5 { // one more may have begun while the first is handed over
		t.Errorf("%d ran at once", most.Load())
	}
	shuffled := Shuffle(numbers, 10, 1)
	one, two := slices.Collect(shuffled), slices.Collect(shuffled)
	if slices.Equal(one, two) || slices.Equal(one, all) {
		t.Error("the order is the same twice")
	}
	slices.Sort(one)
	if !slices.Equal(one, all) {
		t.Errorf("shuffled: %v", one)
	}
	for i := range Prefetch(double, 3) { // goleak sees what is left
		if i == 5 {
			break
		}
	}
}

// A panic on the goroutine of an iterator is one of the loop over it, after the elements before
// it; so is the end of that goroutine.
func TestIteratorsPanic(t *testing.T) {
	numbers := func(yield func(int) bool) {
		for i := 0; i < 9 && yield(i); i++ {
		}
	}
	third := func(stop func()) func(int) int {
		return func(i int) int {
			if i == 2 {
				stop()
			}
			return i
		}
	}
	for name, stop := range map[string]func(){
		"panic":  func() { panic("of the function") },
		"nil":    func() { panic(nil) },
		"Goexit": runtime.Goexit,
	} {
		for way, seq := range map[string]iter.Seq[int]{
			"Map": Map(numbers, 3, third(stop)),
			"Prefetch": Prefetch(func(yield func(int) bool) {
				f := third(stop)
				for i := 0; i < 9 && yield(f(i)); i++ {
				}
			}, 2),
			"both": Prefetch(Map(numbers, 3, third(stop)), 2),
		} {
			var got []int
			func() {
				defer func() {
					if p := recover(); p == nil || name == "panic" && p != "of the function" {
						t.Errorf("%s, %s: recovered %v", way, name, p)
					}
				}()
				for x := range seq {
					got = append(got, x)
				}
			}()
			if !slices.Equal(got, []int{0, 1}) {
				t.Errorf("%s, %s: the loop had %v", way, name, got)
			}
		}
	}
}

// The next batch is prepared while an update is made with the one before: each is given only
// when the sequence has begun to make the next.
func TestPrefetchWhileTraining(t *testing.T) {
	const n = 5
	var begun [n + 1]chan struct{}
	for i := range begun {
		begun[i] = make(chan struct{})
	}
	sequence := func(yield func(int) bool) {
		for i := range n {
			close(begun[i])
			if !yield(i) {
				return
			}
		}
		close(begun[n])
	}
	for i := range Prefetch(sequence, 1) {
		<-begun[i+1] // or else for ever
	}
}

func TestBatches(t *testing.T) {
	m, batches := line(t, train.Fixed(0.1))
	broken := errors.New("broken")
	failing := func(yield func(Batch) bool) {
		for b := range batches {
			if !yield(b) {
				return
			}
		}
		yield(Batch{Err: broken})
	}
	if _, err := m.Fit(t.Context(), failing, FitOptions{}); !errors.Is(err, broken) {
		t.Errorf("Fit: %v", err)
	}
	if _, err := m.Evaluate(t.Context(), failing); !errors.Is(err, broken) {
		t.Errorf("Evaluate: %v", err)
	}
	single := func(yield func(Batch) bool) {
		for i := range 5 {
			b := Batch{X: []*tf.Tensor{tensorOf(t, []float32{float32(i)}, 1)}, Y: tensorOf(t, []float32{float32(2 * i)}, 1)}
			if i == 4 {
				b.Err = broken
			}
			if !yield(b) {
				return
			}
		}
	}
	var lengths []int
	var last Batch
	for last = range Batched(single, 3) {
		lengths = append(lengths, last.Len())
	}
	if !slices.Equal(lengths[:2], []int{3, 1}) || !errors.Is(last.Err, broken) {
		t.Errorf("batches of %v, the last with %v", lengths, last.Err)
	}
	if _, err := m.Fit(t.Context(), func(func(Batch) bool) {}, FitOptions{}); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("no batches: %v", err)
	}
}

// images is examples of two elements as images of 2×1 with one channel.
func images(x *Tensor) *Tensor { return x.Then(&Reshape{Target: []int64{2, 1, 1}}) }

// Mistakes are found when they are made, and say where.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(n *Network, x *Tensor) *Tensor
		want string
	}{
		{"rank", func(n *Network, x *Tensor) *Tensor { return x.Then(&Conv2D{Filters: 1, Kernel: Square(3)}) }, "conv2d"},
		{"units", func(n *Network, x *Tensor) *Tensor { return x.Then(&Dense{}) }, "Units is 0"},
		{"inputs", func(n *Network, x *Tensor) *Tensor { return n.Apply(&Add{}, x) }, "at least two inputs"},
		{"shared", func(n *Network, x *Tensor) *Tensor {
			d := &Dense{Units: 3}
			return x.Then(d, d)
		}, "different shapes"},
		{"embedding", func(n *Network, x *Tensor) *Tensor { return x.Then(&Embedding{InputDim: 3, OutputDim: 2}) }, "int32 or int64"},
		{"other network", func(n *Network, x *Tensor) *Tensor { return New(1).Input("x", tf.Float, 2).Then(&Flatten{}) }, "not a tensor of this network"},
		{"residual", func(n *Network, x *Tensor) *Tensor { return x.Residual(&Dense{Units: 3}) }, "add"},
		{"dropout", func(n *Network, x *Tensor) *Tensor { return x.Then(&Dropout{Rate: 1}) }, "Rate is 1"},
		{"margins", func(n *Network, x *Tensor) *Tensor { return images(x).Then(&ZeroPadding2D{Top: -1}) }, "must not be negative"},
		{"cropping", func(n *Network, x *Tensor) *Tensor { return images(x).Then(&Cropping2D{Top: 1, Bottom: 1}) }, "nothing is left"},
		{"center", func(n *Network, x *Tensor) *Tensor { return images(x).Then(&CenterCrop{Height: 3, Width: 2}) }, "at least 3×2"},
		{"interpolation", func(n *Network, x *Tensor) *Tensor {
			return images(x).Then(&Resizing{Height: 3, Width: 2, Interpolation: 7})
		}, "no interpolation 7"},
		{"groups", func(n *Network, x *Tensor) *Tensor { return images(x).Then(&GroupNormalization{Groups: 2}) }, "divided into 2 groups"},
		{"statistics", func(n *Network, x *Tensor) *Tensor { return x.Then(&Normalization{Mean: []float32{1}}) }, "1 means and 0 variances"},
		{"dot", func(n *Network, x *Tensor) *Tensor { return n.Apply(&Dot{Axes: [2]int{1, 2}}, x, x) }, "along dimension 2"},
		{"dot of other sizes", func(n *Network, x *Tensor) *Tensor { return n.Apply(&Dot{}, x, x.Then(&Dense{Units: 3})) }, "dot"},
		{"steps", func(n *Network, x *Tensor) *Tensor { return x.Then(&TimeDistributed{Layer: &Dense{Units: 3}}) }, "must be a series"},
		{"turns", func(n *Network, x *Tensor) *Tensor { return images(x).Then(&RandomRotation{Factor: Range{0.2, 0.1}}) }, "Factor is from 0.2 to 0.1"},
		{"zoom", func(n *Network, x *Tensor) *Tensor { return images(x).Then(&RandomZoom{Height: Around(2)}) }, "within [-1, 1]"},
		{"fill", func(n *Network, x *Tensor) *Tensor { return images(x).Then(&RandomTranslation{Fill: 4}) }, "no Fill 4"},
		{"flip", func(n *Network, x *Tensor) *Tensor { return images(x).Then(&RandomFlip{Mode: 3}) }, "no mode 3"},
		{"noise", func(n *Network, x *Tensor) *Tensor { return x.Then(&GaussianNoise{StdDev: -1}) }, "StdDev is -1"},
		{"volume", func(n *Network, x *Tensor) *Tensor { return images(x).Then(&Conv3D{Filters: 1, Kernel: Cube(1)}) }, "takes 5 dimensions"},
		{"same name", func(n *Network, x *Tensor) *Tensor { return n.Input("x", tf.Float, 2) }, `"x" already`},
		{"nil", func(n *Network, x *Tensor) *Tensor { return n.Apply(nil, x) }, "at least one tensor"},
		{"direction", func(n *Network, x *Tensor) *Tensor { return x.Then(&Bidirectional{Layer: &Dense{Units: 1}}) }, "no direction"},
		{"unfreeze", func(n *Network, x *Tensor) *Tensor { n.Unfreeze("w"); return x }, `no variable "w"`},
	} {
		n := New(1)
		m, err := n.Compile(t.Context(), c.make(n, n.Input("x", tf.Float, 2)), Config{})
		if err == nil {
			m.Close()
			t.Errorf("%s: there is no error", c.name)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := New(1).Compile(t.Context(), nil, Config{}); err == nil {
		t.Error("a network without an output is compiled")
	}
	m, _ := line(t, train.Fixed(0.1))
	wrong, err := Examples(tensorOf(t, []int64{1}, 1), tensorOf(t, []float32{1}, 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	wrong.X = nil
	if _, err := m.Fit(t.Context(), wrong.Batches(1), FitOptions{}); err == nil || !strings.Contains(err.Error(), "0 inputs") {
		t.Errorf("a batch without inputs: %v", err)
	}
	if err := m.LoadWeights(t.Context(), filepath.Join(t.TempDir(), "none")); status.CodeOf(err) != status.NotFound {
		t.Errorf("no checkpoint: %v", err)
	}
}

// A network extends a model that was exported: its layers have names that are free, and
// its variables stay as they are until they are unfrozen.
func TestExtend(t *testing.T) {
	m, _ := line(t, train.Fixed(0.1))
	dir := filepath.Join(t.TempDir(), "line")
	if err := m.SetWeights(t.Context(), map[string]*tf.Tensor{"dense/kernel": tensorOf(t, []float32{3}, 1, 1)}); err != nil {
		t.Fatal(err)
	}
	if err := m.Export(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	b, err := Examples(tensorOf(t, []float32{2, 4}, 2, 1), tensorOf(t, []float32{1, 2}, 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, unfrozen := range []bool{false, true} {
		saved, err := model.Load(dir, []string{"serve"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer saved.Session.Close()
		n := Extend(saved.Graph, saved.Session, 1)
		n.Tensor(saved.Graph.Operation("x").Output(0))
		if unfrozen {
			n.Unfreeze("dense/kernel")
		}
		y := n.Tensor(saved.Graph.Operation(m.outputs[0].Op.Name()).Output(0)).Then(&Dense{Units: 1, NoBias: true, KernelInitializer: train.Ones})
		extended, err := y.Compile(t.Context(), Config{Loss: MeanSquaredError{}, Optimizer: train.SGD{Rate: train.Fixed(0.001)}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := extended.Fit(t.Context(), b.Batches(2), FitOptions{Epochs: 3}); err != nil {
			t.Fatal(err)
		}
		w, err := extended.Weights(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(w) != 1 || w["dense_1/kernel"] == nil || numbers(w["dense_1/kernel"])[0] == 1 {
			t.Errorf("the new variables are %v", w)
		}
		kernel, err := saved.Session.RunContext(t.Context(), nil, []tf.Output{n.Train().Lookup("dense/kernel").Value}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if same := numbers(kernel[0])[0] == 3; same == unfrozen {
			t.Errorf("unfrozen %v: the kernel of the loaded model is %v", unfrozen, kernel[0].Value())
		}
	}
}

// The best weights are those of the model also where all epochs were run, and a callback that is
// used again begins again.
func TestEarlyStoppingAgain(t *testing.T) {
	m, batches := line(t, func(n int64) float64 { return []float64{0.15, 1, 1, 0.0001}[min(n, 3)] })
	stop := &EarlyStopping{Patience: 10, RestoreBest: true}
	var weights []float32
	note := After(func(context.Context, *Epoch) error { weights = append(weights, weight(t, m)); return nil })
	fit := func(epochs int) []*Epoch {
		t.Helper()
		weights = nil
		history, err := m.Fit(t.Context(), batches, FitOptions{Epochs: epochs, Validation: batches, Callbacks: []Callback{stop, note}})
		if err != nil {
			t.Fatal(err)
		}
		return history
	}
	fit(3)
	if got := weight(t, m); got != weights[0] || got == weights[2] {
		t.Errorf("the weight is %v, of %v; the first epoch was best", got, weights)
	}
	if err := m.SetWeights(t.Context(), map[string]*tf.Tensor{"dense/kernel": tensorOf(t, []float32{50}, 1, 1)}); err != nil {
		t.Fatal(err)
	}
	stop.Patience = 1
	if history := fit(3); len(history) != 3 {
		t.Errorf("a loss that falls stopped after %d epochs: %v", len(history), history)
	}
	if got := weight(t, m); got != weights[2] {
		t.Errorf("the weight is %v, of %v; the last epoch was best", got, weights)
	}
}

// Batches without examples change nothing, and such whose tensors are not of as many examples are
// errors: they would be broadcast.
func TestOddBatches(t *testing.T) {
	m, batches := line(t, train.Fixed(0.1))
	empty := Batch{X: []*tf.Tensor{tensorOf(t, []float32{}, 0, 1)}, Y: tensorOf(t, []float32{}, 0, 1)}
	with := func(odd Batch) iter.Seq[Batch] {
		return func(yield func(Batch) bool) {
			for b := range batches {
				if !yield(odd) || !yield(b) || !yield(odd) {
					return
				}
			}
		}
	}
	history, err := m.Fit(t.Context(), with(empty), FitOptions{Validation: with(empty)})
	if err != nil {
		t.Fatal(err)
	}
	if e := history[0]; e.Updates != 1 || math.IsNaN(e.Values["loss"]) || math.IsNaN(e.Values["val_loss"]) {
		t.Errorf("%d updates, %v", e.Updates, e)
	}
	if out, err := m.Predict(t.Context(), empty.X...); err != nil || !slices.Equal(out.Dims(), []int64{0, 1}) {
		t.Errorf("a prediction of nothing: %v, %v", out, err)
	}
	x, y := tensorOf(t, []float32{1, 2, 3}, 3, 1), tensorOf(t, []float32{1, 2, 3}, 3, 1)
	one := tensorOf(t, []float32{1}, 1, 1)
	for _, b := range []Batch{
		{X: []*tf.Tensor{x}, Y: one},
		{X: []*tf.Tensor{one}, Y: y},
		{X: []*tf.Tensor{x}, Y: y, Weights: tensorOf(t, []float32{1}, 1)},
	} {
		if _, err := m.Fit(t.Context(), with(b), FitOptions{}); status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("Fit: %v", err)
		}
		if _, err := m.Evaluate(t.Context(), with(b)); status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("Evaluate: %v", err)
		}
	}
}

// TestBidirectionalNames: the layer within a Bidirectional is counted among those of its kind.
// The names are those that Keras gives.
func TestBidirectionalNames(t *testing.T) {
	n := New(1)
	n.Input("x", tf.Float, 4, 2).Then(
		&Bidirectional{Layer: &LSTM{Units: 1, ReturnSequences: true}}, &LSTM{Units: 1, ReturnSequences: true},
		&GRU{Units: 1, ReturnSequences: true}, &Bidirectional{Layer: &GRU{Units: 1, ReturnSequences: true}},
		&Bidirectional{Layer: &GRU{Name: "own", Units: 1}}, &Dense{Units: 1})
	if err := n.Err(); err != nil {
		t.Fatal(err)
	}
	var kernels []string
	for _, v := range n.Variables() {
		if name, ok := strings.CutSuffix(v.Name, "/kernel"); ok {
			kernels = append(kernels, name)
		}
	}
	want := []string{
		"bidirectional/forward_lstm/lstm_cell", "bidirectional/backward_lstm/lstm_cell", "lstm_1/lstm_cell", "gru/gru_cell",
		"bidirectional_1/forward_gru_1/gru_cell", "bidirectional_1/backward_gru_1/gru_cell",
		"bidirectional_2/forward_own/gru_cell", "bidirectional_2/backward_own/gru_cell", "dense",
	}
	if !slices.Equal(kernels, want) {
		t.Errorf("%q, want %q", kernels, want)
	}
}
