package layers

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/model"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor/npy"
	"github.com/troupe-go/troupe/train"
)

var saved = flag.String("saved", "", "keep the weights and answers of the models in this `directory`, for testdata/record.py --verify")

// A kerasModel is one of the models of record.py.
type kerasModel struct {
	prefix    string
	make      func(n *Network) *Tensor
	loss      string
	optimizer train.Optimizer
}

func sequential(dt tf.DataType, shape []int64, layers ...Layer) func(n *Network) *Tensor {
	return func(n *Network) *Tensor { return n.Input("x", dt, shape...).Then(layers...) }
}

func models() map[string]kerasModel {
	fixed := train.Fixed
	adam := train.Adam{Rate: fixed(0.01)}
	return map[string]kerasModel{
		"mlp": {"sequential", sequential(tf.Float, []int64{6}, &Dense{Units: 8, Activation: ReLU}, &Dense{Units: 3}), "sparse_logits", train.SGD{Rate: fixed(0.1)}},
		"cnn": {"sequential", sequential(tf.Float, []int64{8, 8, 2}, &Conv2D{Filters: 4, Kernel: Square(3), Activation: ReLU}, &MaxPooling2D{},
			&Conv2D{Filters: 5, Kernel: Square(3), Strides: Square(2), Padding: Same}, &Flatten{}, &Dense{Units: 3, Activation: Softmax}), "sparse", adam},
		"norm": {"", sequential(tf.Float, []int64{6, 6, 2}, &Conv2D{Filters: 4, Kernel: Square(3), NoBias: true}, &BatchNormalization{},
			&Activate{Activation: ReLU}, &GlobalAveragePooling2D{}, &Dense{Units: 3}), "sparse_logits", train.SGD{Rate: fixed(0.05), Momentum: 0.9}},
		"separable": {"sequential", sequential(tf.Float, []int64{8, 8, 2}, &SeparableConv2D{Filters: 4, Kernel: Square(3), Activation: ReLU},
			&DepthwiseConv2D{Kernel: Square(3), DepthMultiplier: 2}, &AveragePooling2D{}, &Flatten{}, &Dense{Units: 2, Activation: Softmax}),
			"categorical", train.RMSProp{Rate: fixed(0.005)}},
		"autoencoder": {"sequential", sequential(tf.Float, []int64{6, 6, 2}, &Conv2D{Filters: 4, Kernel: Square(3), Strides: Square(2), Padding: Same, Activation: ELU},
			&UpSampling2D{}, &Conv2D{Filters: 3, Kernel: Square(3), Strides: Square(2), Padding: Same},
			&Conv2DTranspose{Filters: 2, Kernel: Square(3), Strides: Square(2), Padding: Same}), "mse", adam},
		"conv1d": {"sequential", sequential(tf.Float, []int64{9, 3}, &Conv1D{Filters: 4, Kernel: 3, Padding: Causal, Activation: ReLU}, &MaxPooling1D{},
			&Conv1D{Filters: 4, Kernel: 2}, &GlobalMaxPooling1D{}, &Dense{Units: 1}), "huber", train.SGD{Rate: fixed(0.05), Momentum: 0.9, Nesterov: true}},
		"lstm": {"sequential", sequential(tf.Int64, []int64{6}, &Embedding{InputDim: 10, OutputDim: 4}, &LSTM{Units: 5}, &Dense{Units: 1, Activation: Sigmoid}), "binary", adam},
		"gru":  {"sequential", sequential(tf.Float, []int64{5, 3}, &GRU{Units: 4, ReturnSequences: true}, &GRU{Units: 3}, &Dense{Units: 2}), "mae", adam},
		"bidirectional": {"sequential", sequential(tf.Float, []int64{5, 3}, &Bidirectional{Layer: &LSTM{Units: 3, ReturnSequences: true}},
			&Bidirectional{Layer: &GRU{Units: 2}}, &Dense{Units: 4}), "categorical_logits", adam},
		"transformer": {"", func(n *Network) *Tensor {
			x, at := n.Input("x", tf.Int64, 6), n.Input("at", tf.Int64, 6)
			h := n.Apply(&Add{}, x.Then(&Embedding{InputDim: 9, OutputDim: 8}), at.Then(&Embedding{InputDim: 6, OutputDim: 8}))
			h = h.Residual(&LayerNormalization{Epsilon: 1e-5}, &MultiHeadAttention{NumHeads: 2, KeyDim: 4, Causal: true})
			h = h.Residual(&LayerNormalization{Epsilon: 1e-5}, &Dense{Units: 16, Activation: GELU}, &Dense{Units: 8})
			return h.Then(&Dense{Units: 9})
		}, "sparse_logits", adam},
		"residual": {"", func(n *Network) *Tensor {
			h := n.Input("x", tf.Float, 6, 6, 4)
			conv := func() Layer { return &Conv2D{Filters: 4, Kernel: Square(3), Padding: Same} }
			for range 2 {
				h = h.Residual(conv(), &BatchNormalization{}, &Activate{Activation: ReLU}, conv(), &BatchNormalization{}).Then(&Activate{Activation: ReLU})
			}
			return h.Then(&GlobalAveragePooling2D{}, &Dense{Units: 3})
		}, "sparse_logits", train.SGD{Rate: fixed(0.05)}},
		"volume": {"sequential", sequential(tf.Float, []int64{5, 6, 4, 2}, &Conv3D{Filters: 4, Kernel: Cube(3), Padding: Same}, &PReLU{SharedAxes: []int{1, 2, 3}}, &MaxPooling3D{},
			&Conv3D{Filters: 3, Kernel: Cube(2), Strides: Volume{1, 2, 1}}, &GlobalAveragePooling3D{}, &Dense{Units: 3}), "sparse_logits", adam},
		"segmentation": {"sequential", sequential(tf.Float, []int64{8, 8, 2}, &Conv2D{Filters: 6, Kernel: Square(3), Padding: Same}, &GroupNormalization{Groups: 3},
			&PReLU{SharedAxes: []int{1, 2}}, &AveragePooling2D{}, &ZeroPadding2D{Top: 1, Bottom: 1, Left: 1, Right: 1}, &Conv2D{Filters: 4, Kernel: Square(3), Activation: HardSiLU},
			&UpSampling2D{Interpolation: Bilinear}, &Cropping2D{Top: 1, Bottom: 1, Left: 1, Right: 1}, &Resizing{Height: 8, Width: 8},
			&Conv2D{Filters: 3, Kernel: Square(1), Activation: Softmax}), "categorical_focal", adam},
		"series": {"sequential", sequential(tf.Float, []int64{12, 3}, &SeparableConv1D{Filters: 6, Kernel: 3, Padding: Same, Activation: ReLU}, &RMSNormalization{}, &AveragePooling1D{},
			&DepthwiseConv1D{Kernel: 3, Padding: Same, DepthMultiplier: 2}, &Conv1DTranspose{Filters: 4, Kernel: 4, Strides: 2, Padding: Same, Activation: Squareplus},
			&Cropping1D{Left: 2, Right: 2}, &TimeDistributed{Layer: &Dense{Units: 3, Activation: LogSigmoid}}, &UpSampling1D{}, &ZeroPadding1D{Left: 1, Right: 1},
			&LayerNormalization{}, &GRU{Units: 4}, &Dense{Units: 2}), "log_cosh", adam},
		"matching": {"", func(n *Network) *Tensor {
			a, b := n.Input("a", tf.Float, 5, 4), n.Input("b", tf.Float, 3, 4)
			q, k := a.Then(&Dense{Units: 6}), b.Then(&TimeDistributed{Layer: &Dense{Units: 6}})
			h := n.Apply(&Minimum{}, n.Apply(&AdditiveAttention{}, q, k), q.Then(&Activate{Activation: HardTanh}))
			cosine := n.Apply(&Dot{Normalize: true}, h.Then(&GlobalAveragePooling1D{}), k.Then(&GlobalMaxPooling1D{}))
			table := n.Apply(&Dot{}, h, k).Then(&Flatten{}, &UnitNormalization{})
			return n.Apply(&Concatenate{}, cosine, table).Then(&Dense{Units: 1})
		}, "hinge_signs", train.SGD{Rate: fixed(0.05)}},
		"masked": {"", sequential(tf.Int64, []int64{7}, &Embedding{InputDim: 10, OutputDim: 6, MaskZero: true}, &Bidirectional{Layer: &LSTM{Units: 4, ReturnSequences: true}},
			&MultiHeadAttention{NumHeads: 2, KeyDim: 3}, &LayerNormalization{}, &GlobalAveragePooling1D{}, &Dense{Units: 3}), "sparse_logits", adam},
		"tagger": {"sequential", sequential(tf.Int64, []int64{6}, &Embedding{InputDim: 9, OutputDim: 5, MaskZero: true}, &GRU{Units: 5, ReturnSequences: true},
			&BatchNormalization{}, &Dense{Units: 4}), "sparse_sequence", adam},
		"two_inputs": {"", func(n *Network) *Tensor {
			a, b := n.Input("a", tf.Float, 3), n.Input("b", tf.Float, 4)
			y := n.Apply(&Concatenate{}, a.Then(&Dense{Units: 4, Activation: Tanh}), b.Then(&Dense{Units: 4, Activation: Tanh}))
			return y.Then(&BatchNormalization{Momentum: 0.9}, &Dense{Units: 2})
		}, "binary_logits", train.AdamW{Adam: adam}},
	}
}

// compiled is a model with the weights of Keras's checkpoint.
func compiled(t *testing.T, r recorded, name string) (*Model, []Batch) {
	t.Helper()
	k := models()[name]
	n := New(1)
	n.Prefix = k.prefix
	m, err := n.Compile(t.Context(), k.make(n), Config{Loss: losses[k.loss], Optimizer: k.optimizer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m, restored(t, r, name, m)
}

// restored gives a model the weights of Keras's checkpoint, and returns two batches for it.
func restored(t *testing.T, r recorded, name string, m *Model) []Batch {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "c")
	for _, part := range []string{".index", ".data-00000-of-00001"} {
		if err := os.WriteFile(prefix+part, r["models/"+name+"/c"+part], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.LoadWeights(t.Context(), prefix); err != nil {
		t.Fatal(err)
	}
	var batches []Batch
	for i := range 2 {
		folder := fmt.Sprintf("models/%s/%d/", name, i)
		b := Batch{X: r.list(t, folder+"x"), Ys: r.list(t, folder+"y")}
		if len(b.Ys) == 1 {
			b.Y, b.Ys = b.Ys[0], nil
		}
		batches = append(batches, b)
	}
	return batches
}

// Models of Keras's layers have its answers with the weights of its checkpoint, train to
// its losses for 20 updates, and have its answers again.
func TestModels(t *testing.T) {
	r := readRecorded(t)
	for name := range models() {
		t.Run(name, func(t *testing.T) {
			m, batches := compiled(t, r, name)
			follows(t, r, name, m, batches)
		})
	}
}

// A network of two outputs follows the sum of Keras's losses, tells them apart, and is
// exported with both.
func TestOutputs(t *testing.T) {
	r := readRecorded(t)
	n := New(1)
	h := n.Input("x", tf.Float, 5, 4).Then(&LSTM{Units: 6, ReturnSequences: true})
	m, err := n.CompileOutputs(t.Context(), []Output{
		{Name: "tags", Tensor: h.Then(&Dense{Units: 3}), Loss: losses["sparse_sequence"], Metrics: []Metric{Accuracy{}}},
		{Name: "states", Tensor: h},
		{Name: "size", Tensor: h.Then(&GlobalAveragePooling1D{}, &Dense{Units: 2}), Loss: Huber{}, Weight: 0.5, Metrics: []Metric{RootMeanSquaredError{}}},
	}, Config{Optimizer: train.Adam{Rate: train.Fixed(0.01)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	batches := restored(t, r, "two_outputs", m)
	follows(t, r, "two_outputs", m, batches)

	both := slices.Values(batches)
	values, err := m.Evaluate(t.Context(), both)
	if err != nil {
		t.Fatal(err)
	}
	if sum := values["tags_loss"] + 0.5*values["size_loss"]; math.Abs(values["loss"]-sum) > 1e-6 || values["size_loss"] == 0 || values["tags_accuracy"] == 0 {
		t.Errorf("the loss is not the sum of its parts: %v", values)
	}
	history, err := m.Fit(t.Context(), batches[0].Batches(6), FitOptions{Validation: both})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := history[0].Names(), []string{"loss", "tags_loss", "size_loss", "tags_accuracy", "size_root_mean_squared_error"}; !slices.Equal(got, want) {
		t.Errorf("the values of an epoch are %v, want %v", got, want)
	}
	for _, name := range history[0].Names() {
		if _, ok := history[0].Values[name]; !ok {
			t.Errorf("%s is missing in training", name)
		}
		if _, ok := history[0].Values["val_"+name]; !ok {
			t.Errorf("%s is missing in validation", name)
		}
	}
	all, err := m.PredictAll(t.Context(), batches[0].X...)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "exported")
	if err := m.Export(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	saved, err := model.Load(dir, []string{"serve"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Session.Close()
	out, err := saved.Run(t.Context(), "serving_default", map[string]*tf.Tensor{"x": batches[0].X[0]})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"tags", "states", "size"} {
		compare(t, name, out[name], all[i], 0)
	}
	batches[0].Ys = batches[0].Ys[:1]
	if _, err := m.Evaluate(t.Context(), slices.Values(batches)); err == nil || !strings.Contains(err.Error(), "labels for 1 outputs, the network 2") {
		t.Errorf("labels of one output: %v", err)
	}
	for want, outputs := range map[string]func(x *Tensor) []Output{
		"no outputs":                   func(*Tensor) []Output { return nil },
		`output 1 is named "a"`:        func(x *Tensor) []Output { return []Output{{Name: "a", Tensor: x}, {Name: "a", Tensor: x}} },
		`output 0 is named ""`:         func(x *Tensor) []Output { return []Output{{Tensor: x}} },
		"not a tensor of this network": func(*Tensor) []Output { return []Output{{Name: "a"}} },
	} {
		n := New(1)
		if m, err := n.CompileOutputs(t.Context(), outputs(n.Input("x", tf.Float, 2)), Config{}); err == nil {
			m.Close()
			t.Errorf("there is no error: want %q", want)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// follows trains a model with Keras's batches: its answers before and after, and its losses
// are Keras's.
func follows(t *testing.T, r recorded, name string, m *Model, batches []Batch) {
	t.Helper()
	folder := "models/" + name + "/"
	before, err := m.Predict(t.Context(), batches[0].X...)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "the answer before training", before, r.tensor(t, folder+"before"), 1e-5)
	want := numbers(r.tensor(t, folder+"losses"))
	var got losing
	alternating := func(yield func(Batch) bool) {
		for i := range want {
			if !yield(batches[i%2]) {
				return
			}
		}
	}
	if _, err := m.Fit(t.Context(), iter.Seq[Batch](alternating), FitOptions{Callbacks: []Callback{&got}}); err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for i, x := range got {
		worst = max(worst, math.Abs(x-want[i])/max(1, want[i]))
	}
	if len(got) != len(want) || !(worst <= 1e-4) {
		t.Errorf("losses are off by %.2g:\n%v, Keras's\n%v", worst, got, want)
	}
	after, err := m.Predict(t.Context(), batches[0].X...)
	if err != nil {
		t.Fatal(err)
	}
	// Adam divides gradients by their size, so rounding of those that are nearly 0, such
	// as of an attention's key bias, moves weights as far as others move.
	compare(t, "the answer after training", after, r.tensor(t, folder+"after"), 1e-3)
	t.Logf("greatest difference of losses: %.2g", worst)
	if *saved != "" {
		keep(t, m, name, after)
	}
}

// losing is the losses of the updates.
type losing []float64

func (losing) Epoch(context.Context, *Epoch) error { return nil }

func (l *losing) Step(_ context.Context, s train.Step) error {
	*l = append(*l, s.Loss)
	return nil
}

// keep writes what record.py --verify compares with Keras.
func keep(t *testing.T, m *Model, name string, answer *tf.Tensor) {
	t.Helper()
	if err := m.SaveWeights(t.Context(), filepath.Join(*saved, name)); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(*saved, name+".npy"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := npy.Write(f, answer); err != nil {
		t.Fatal(err)
	}
}
