package layers

import (
	"archive/zip"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/model"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/npy"
	"github.com/troupe-go/troupe/train"
)

var saved = flag.String("saved", "", "keep the weights and answers of the models in this `directory`, for testdata/record.py --verify")

// recorded is what testdata/record.py had Keras compute.
type recorded map[string][]byte

func readRecorded(t *testing.T) recorded {
	t.Helper()
	z, err := zip.OpenReader("testdata/layers.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	r := recorded{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if r[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		in.Close()
	}
	return r
}

func (r recorded) has(name string) bool { return r[name+".npy"] != nil }

func (r recorded) tensor(t *testing.T, name string) *tf.Tensor {
	t.Helper()
	if !r.has(name) {
		t.Fatalf("%s is not recorded", name)
	}
	x, err := npy.Read(bytes.NewReader(r[name+".npy"]), 1<<20)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return x
}

func (r recorded) scalar(t *testing.T, name string) float64 {
	t.Helper()
	return numbers(r.tensor(t, name))[0]
}

// list is name0, name1 and so on.
func (r recorded) list(t *testing.T, name string) []*tf.Tensor {
	t.Helper()
	var list []*tf.Tensor
	for r.has(fmt.Sprint(name, len(list))) {
		list = append(list, r.tensor(t, fmt.Sprint(name, len(list))))
	}
	return list
}

// weights are the tensors below a folder, by their names without the layer's.
func (r recorded) weights(t *testing.T, folder string) map[string]*tf.Tensor {
	t.Helper()
	w := map[string]*tf.Tensor{}
	for name := range r {
		if rest, ok := strings.CutPrefix(name, folder+"/"); ok {
			_, rest, _ = strings.Cut(strings.TrimSuffix(rest, ".npy"), "/")
			w["tested/"+rest] = r.tensor(t, strings.TrimSuffix(name, ".npy"))
		}
	}
	return w
}

func numbers(x *tf.Tensor) []float64 {
	v := tensor.ValueOf(x)
	list, err := floats(&v)
	if err != nil {
		panic(err)
	}
	return list
}

// compare fails unless the greatest difference is within the limit, relative for numbers
// above 1.
func compare(t *testing.T, what string, got, want *tf.Tensor, limit float64) {
	t.Helper()
	if !slices.Equal(got.Dims(), want.Dims()) {
		t.Errorf("%s has shape %v, Keras's %v", what, got.Dims(), want.Dims())
		return
	}
	a, b := numbers(got), numbers(want)
	worst := 0.0
	for i := range a {
		d := math.Abs(a[i]-b[i]) / max(1, math.Abs(b[i]))
		if math.IsNaN(d) {
			d = math.Inf(1)
		}
		worst = max(worst, d)
	}
	if worst > limit {
		t.Errorf("%s is off by %.2g:\n%v, Keras's\n%v", what, worst, a[:min(len(a), 8)], b[:min(len(b), 8)])
	}
}

// dims are the dimensions of a shape; -1 are unknown.
func dims(s tf.Shape) []int64 {
	list := make([]int64, s.NumDimensions())
	for i := range list {
		list[i] = s.Size(i)
	}
	return list
}

// cases are the layers that record.py has under the same names. Each is called "tested".
var cases = map[string]Layer{
	"dense":              &Dense{Name: "tested", Units: 3, Activation: ReLU},
	"dense_3d":           &Dense{Name: "tested", Units: 3, NoBias: true, Activation: GELU},
	"conv1d":             &Conv1D{Name: "tested", Filters: 3, Kernel: 3, Strides: 2, Padding: Same},
	"conv1d_causal":      &Conv1D{Name: "tested", Filters: 3, Kernel: 3, Padding: Causal, Dilation: 2},
	"conv2d":             &Conv2D{Name: "tested", Filters: 4, Kernel: Size{3, 2}, Activation: Tanh},
	"conv2d_same":        &Conv2D{Name: "tested", Filters: 4, Kernel: Square(3), Strides: Square(2), Padding: Same},
	"conv2d_dilated":     &Conv2D{Name: "tested", Filters: 4, Kernel: Square(3), Dilation: Square(2), NoBias: true},
	"conv2d_groups":      &Conv2D{Name: "tested", Filters: 4, Kernel: Square(3), Groups: 2},
	"depthwise":          &DepthwiseConv2D{Name: "tested", Kernel: Square(3), DepthMultiplier: 2, Padding: Same},
	"depthwise_strided":  &DepthwiseConv2D{Name: "tested", Kernel: Square(3), Strides: Square(2)},
	"separable":          &SeparableConv2D{Name: "tested", Filters: 5, Kernel: Square(3), Strides: Square(2), Padding: Same, DepthMultiplier: 2},
	"transposed":         &Conv2DTranspose{Name: "tested", Filters: 4, Kernel: Square(3), Strides: Square(2)},
	"transposed_same":    &Conv2DTranspose{Name: "tested", Filters: 4, Kernel: Square(3), Strides: Square(2), Padding: Same, Activation: ELU},
	"transposed_wide":    &Conv2DTranspose{Name: "tested", Filters: 2, Kernel: Square(2), Strides: Square(3)},
	"max_pool2d":         &MaxPooling2D{},
	"max_pool2d_same":    &MaxPooling2D{Pool: Square(3), Strides: Square(2), Padding: Same},
	"average_pool2d":     &AveragePooling2D{Pool: Size{3, 2}, Strides: Square(1), Padding: Same},
	"max_pool1d":         &MaxPooling1D{Pool: 3, Padding: Same},
	"average_pool1d":     &AveragePooling1D{},
	"global_average2d":   &GlobalAveragePooling2D{},
	"global_max2d":       &GlobalMaxPooling2D{KeepDims: true},
	"global_average1d":   &GlobalAveragePooling1D{},
	"global_max1d":       &GlobalMaxPooling1D{},
	"zero_padding":       &ZeroPadding2D{Top: 1, Bottom: 2, Left: 3},
	"up_sampling":        &UpSampling2D{Size: Size{2, 3}},
	"batch_norm2":        &BatchNormalization{Name: "tested"},
	"batch_norm4":        &BatchNormalization{Name: "tested", NoScale: true, Epsilon: 0.01},
	"layer_norm":         &LayerNormalization{Name: "tested"},
	"layer_norm_eps":     &LayerNormalization{Name: "tested", Epsilon: 1e-6, NoCenter: true},
	"embedding":          &Embedding{Name: "tested", InputDim: 7, OutputDim: 3},
	"flatten":            &Flatten{},
	"reshape":            &Reshape{Target: []int64{2, -1}},
	"permute":            &Permute{Dims: []int32{2, 1}},
	"dropout":            &Dropout{Rate: 0.5},
	"rescaling":          &Rescaling{Scale: 0.5, Offset: -1},
	"add":                &Add{},
	"subtract":           &Subtract{},
	"multiply":           &Multiply{},
	"maximum":            &Maximum{},
	"average":            &Average{},
	"concatenate":        &Concatenate{},
	"concatenate_axis":   &Concatenate{Axis: 1},
	"lstm":               &LSTM{Name: "tested", Units: 3},
	"lstm_sequences":     &LSTM{Name: "tested", Units: 3, ReturnSequences: true, GoBackwards: true},
	"lstm_activation":    &LSTM{Name: "tested", Units: 3, Activation: ReLU, RecurrentActivation: HardSigmoid, NoBias: true},
	"gru":                &GRU{Name: "tested", Units: 3, ReturnSequences: true},
	"gru_last":           &GRU{Name: "tested", Units: 3, GoBackwards: true, Unroll: true},
	"simple_rnn":         &SimpleRNN{Name: "tested", Units: 3, ReturnSequences: true},
	"bidirectional":      &Bidirectional{Name: "tested", Layer: &LSTM{Units: 3, ReturnSequences: true}},
	"bidirectional_last": &Bidirectional{Name: "tested", Layer: &GRU{Units: 3, Unroll: true}, Merge: &Add{}},
	"attention":          &MultiHeadAttention{Name: "tested", NumHeads: 2, KeyDim: 3},
	"attention_key":      &MultiHeadAttention{Name: "tested", NumHeads: 2, KeyDim: 3, ValueDim: 4, NoBias: true},
	"dot_attention":      &Attention{},
	"dot_attention_key":  &Attention{},

	"additive_attention":     &AdditiveAttention{Name: "tested"},
	"additive_attention_key": &AdditiveAttention{NoScale: true},
	"depthwise1d":            &DepthwiseConv1D{Name: "tested", Kernel: 3, Strides: 2, Padding: Same, DepthMultiplier: 2},
	"depthwise1d_dilated":    &DepthwiseConv1D{Name: "tested", Kernel: 2, Dilation: 3, Activation: ReLU},
	"separable1d":            &SeparableConv1D{Name: "tested", Filters: 4, Kernel: 3, Strides: 2, DepthMultiplier: 2},
	"separable1d_same":       &SeparableConv1D{Name: "tested", Filters: 4, Kernel: 3, Padding: Same, Dilation: 2, NoBias: true},
	"transposed1d":           &Conv1DTranspose{Name: "tested", Filters: 4, Kernel: 3, Strides: 2},
	"transposed1d_same":      &Conv1DTranspose{Name: "tested", Filters: 4, Kernel: 4, Strides: 3, Padding: Same},
	"conv3d":                 &Conv3D{Name: "tested", Filters: 3, Kernel: Volume{2, 3, 1}, Activation: ReLU},
	"conv3d_same":            &Conv3D{Name: "tested", Filters: 3, Kernel: Cube(3), Strides: Volume{1, 2, 2}, Padding: Same, NoBias: true},
	"max_pool3d":             &MaxPooling3D{},
	"average_pool3d":         &AveragePooling3D{Pool: Volume{2, 3, 1}, Strides: Volume{1, 2, 1}, Padding: Same},
	"global_average3d":       &GlobalAveragePooling3D{},
	"global_max3d":           &GlobalMaxPooling3D{KeepDims: true},
	"zero_padding1d":         &ZeroPadding1D{Left: 1, Right: 2},
	"cropping1d":             &Cropping1D{Left: 1, Right: 2},
	"cropping2d":             &Cropping2D{Top: 1, Right: 2},
	"up_sampling1d":          &UpSampling1D{Size: 3},
	"up_sampling_bilinear":   &UpSampling2D{Size: Size{2, 3}, Interpolation: Bilinear},
	"resizing":               &Resizing{Height: 5, Width: 3},
	"resizing_nearest":       &Resizing{Height: 7, Width: 3, Interpolation: Nearest},
	"resizing_bicubic":       &Resizing{Height: 7, Width: 9, Interpolation: Bicubic},
	"center_crop":            &CenterCrop{Height: 2, Width: 3},
	"repeat_vector":          &RepeatVector{N: 3},
	"group_norm":             &GroupNormalization{Name: "tested", Groups: 3},
	"group_norm_instance":    &GroupNormalization{Name: "tested", Groups: -1, Epsilon: 0.01, NoScale: true},
	"group_norm_one":         &GroupNormalization{Name: "tested", Groups: 1, NoCenter: true},
	"rms_norm":               &RMSNormalization{Name: "tested"},
	"unit_norm":              &UnitNormalization{},
	"normalization":          &Normalization{Mean: []float32{1, 2, 3}, Variance: []float32{4, 0.25, 0}},
	"prelu":                  &PReLU{Name: "tested"},
	"prelu_shared":           &PReLU{Name: "tested", SharedAxes: []int{1, 2}},
	"leaky":                  &Activate{Activation: Leaky(0.3)},
	"elu":                    &Activate{Activation: ELUOf(0.5)},
	"softmax_axis":           &Activate{Activation: SoftmaxOver(1)},
	"minimum":                &Minimum{},
	"dot":                    &Dot{Axes: [2]int{1, 1}},
	"dot_matrices":           &Dot{Axes: [2]int{2, 1}},
	"dot_cosine":             &Dot{Axes: [2]int{1, -1}, Normalize: true},
	"time_distributed":       &TimeDistributed{Name: "tested", Layer: &Conv2D{Filters: 3, Kernel: Square(2)}},
	"time_distributed_dense": &TimeDistributed{Name: "tested", Layer: &Dense{Units: 3}},
	"random_rotation":        &RandomRotation{Factor: Range{0.1, 0.1}},
	"random_rotation_wrap":   &RandomRotation{Factor: Range{-0.2, -0.2}, Fill: FillWrap, Nearest: true},
	"random_zoom":            &RandomZoom{Height: Range{0.3, 0.3}, Fill: FillConstant},
	"random_zoom_both":       &RandomZoom{Height: Range{-0.3, -0.3}, Width: Range{0.4, 0.4}, Fill: FillNearest},
	"random_translation":     &RandomTranslation{Height: Range{0.3, 0.3}, Width: Range{-0.2, -0.2}},
	"random_brightness":      &RandomBrightness{Factor: Range{0.1, 0.1}, Values: Range{0, 1}},

	"masked_lstm":                &LSTM{Name: "tested", Units: 3},
	"masked_lstm_sequences":      &LSTM{Name: "tested", Units: 3, ReturnSequences: true, GoBackwards: true},
	"masked_gru":                 &GRU{Name: "tested", Units: 3, ReturnSequences: true},
	"masked_gru_unrolled":        &GRU{Name: "tested", Units: 3, Unroll: true},
	"masked_simple_rnn":          &SimpleRNN{Name: "tested", Units: 3, GoBackwards: true},
	"masked_bidirectional":       &Bidirectional{Name: "tested", Layer: &LSTM{Units: 3, ReturnSequences: true}},
	"masked_bidirectional_last":  &Bidirectional{Name: "tested", Layer: &GRU{Units: 3}, Merge: &Multiply{}},
	"masked_time_distributed":    &TimeDistributed{Name: "tested", Layer: &Dense{Units: 3}},
	"masked_global_average":      &GlobalAveragePooling1D{},
	"masked_global_average_dims": &GlobalAveragePooling1D{KeepDims: true},
	"masked_global_max":          &GlobalMaxPooling1D{},
	"masked_dense":               &Dense{Name: "tested", Units: 2},
	"masked_dropout":             &Dropout{Rate: 0.5},
	"masked_activation":          &Activate{Activation: ReLU},
	"masked_prelu":               &PReLU{Name: "tested"},
	"masked_rescaling":           &Rescaling{Scale: 2, Offset: 1},
	"masked_conv1d":              &Conv1D{Name: "tested", Filters: 3, Kernel: 2},
	"masked_reshape":             &Reshape{Target: []int64{4, 5}},
	"masked_batch_norm":          &BatchNormalization{Name: "tested"},
	"masked_layer_norm":          &LayerNormalization{Name: "tested"},
	"masked_group_norm":          &GroupNormalization{Name: "tested", Groups: 2},
	"masked_rms_norm":            &RMSNormalization{Name: "tested"},
	"masked_add":                 &Add{},
	"masked_add_one":             &Add{},
	"masked_concatenate":         &Concatenate{},
	"masked_concatenate_one":     &Concatenate{},
	"masked_concatenate_time":    &Concatenate{Axis: 1},
	"masked_dot":                 &Dot{},
	"masked_multi_head":          &MultiHeadAttention{Name: "tested", NumHeads: 2, KeyDim: 3},
	"masked_multi_head_value":    &MultiHeadAttention{Name: "tested", NumHeads: 2, KeyDim: 3},
	"masked_multi_head_query":    &MultiHeadAttention{Name: "tested", NumHeads: 2, KeyDim: 3},
	"masked_attention":           &Attention{},
	"masked_attention_value":     &AdditiveAttention{Name: "tested"},
	"masked_attention_query":     &AdditiveAttention{Name: "tested"},

	"activation_gelu_tanh":    &Activate{Activation: TanhGELU},
	"activation_celu":         &Activate{Activation: CELU(0.5)},
	"activation_hard_silu":    &Activate{Activation: HardSiLU},
	"activation_hard_tanh":    &Activate{Activation: HardTanh},
	"activation_log_sigmoid":  &Activate{Activation: LogSigmoid},
	"activation_tanh_shrink":  &Activate{Activation: TanhShrink},
	"activation_squareplus":   &Activate{Activation: Squareplus},
	"activation_glu":          &Activate{Activation: GLU},
	"activation_relu":         &Activate{Activation: ReLU},
	"activation_relu6":        &Activate{Activation: ReLU6},
	"activation_leaky_relu":   &Activate{Activation: LeakyReLU},
	"activation_elu":          &Activate{Activation: ELU},
	"activation_selu":         &Activate{Activation: SELU},
	"activation_softplus":     &Activate{Activation: Softplus},
	"activation_softsign":     &Activate{Activation: Softsign},
	"activation_tanh":         &Activate{Activation: Tanh},
	"activation_sigmoid":      &Activate{Activation: Sigmoid},
	"activation_hard_sigmoid": &Activate{Activation: HardSigmoid},
	"activation_softmax":      &Activate{Activation: Softmax},
	"activation_log_softmax":  &Activate{Activation: LogSoftmax},
	"activation_exponential":  &Activate{Activation: Exponential},
	"activation_silu":         &Activate{Activation: SiLU},
	"activation_mish":         &Activate{Activation: Mish},
	"activation_gelu":         &Activate{Activation: GELU},
}

// Every layer computes what Keras's computes of the same weights, and its shape is
// inferred.
func TestLayers(t *testing.T) {
	r := readRecorded(t)
	names := map[string]bool{}
	for name := range r {
		if rest, ok := strings.CutPrefix(name, "layers/"); ok {
			layer, _, _ := strings.Cut(rest, "/")
			names[layer] = true
		}
	}
	for name := range names {
		if cases[name] == nil {
			t.Errorf("layer %s is recorded, but not tested", name)
		}
	}
	for name, layer := range cases {
		t.Run(name, func(t *testing.T) {
			folder := "layers/" + name + "/"
			xs := r.list(t, folder+"x")
			n := New(1)
			in := make([]*Tensor, len(xs))
			for i, x := range xs {
				in[i] = n.Input(fmt.Sprint("x", i), x.DType(), x.Dims()[1:]...)
				if strings.HasPrefix(name, "masked_") && hasPadding(x) {
					in[i] = in[i].Then(&Masking{})
				}
			}
			out := n.Apply(layer, in...)
			m, err := n.Compile(t.Context(), out, Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			weights := r.weights(t, folder+"w")
			if len(weights) != len(n.Variables()) {
				t.Fatalf("the layer has the variables %v, Keras's %d", n.Variables(), len(weights))
			}
			if err := m.SetWeights(t.Context(), weights); err != nil {
				t.Fatal(err)
			}
			got, err := m.Predict(t.Context(), xs...)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, "the result", got, r.tensor(t, folder+"y"), 1e-5)
			if s := out.Shape(); !slices.Equal(dims(s)[1:], got.Dims()[1:]) {
				t.Errorf("the shape is inferred as %v, but is %v", s, got.Dims())
			}
			if has := out.mask.Op != nil; has && !r.has(folder+"mask") || !has && r.has(folder+"mask") && slices.Contains(numbers(r.tensor(t, folder+"mask")), 0) {
				t.Errorf("the result has a mask: %v, Keras's: %v", has, !has)
			} else if has {
				feeds := map[tf.Output]*tf.Tensor{}
				for i, x := range n.inputs {
					feeds[x.Output()] = xs[i]
				}
				mask, err := m.session.RunContext(t.Context(), feeds, []tf.Output{out.mask}, nil)
				if err != nil {
					t.Fatal(err)
				}
				compare(t, "the mask", mask[0], r.tensor(t, folder+"mask"), 0)
			}
			if r.has(folder + "trained") {
				result, _ := n.training(out)
				trained := result[0].out
				feeds := map[tf.Output]*tf.Tensor{}
				for i, x := range n.inputs {
					feeds[x.Output()] = xs[i]
				}
				if step := n.model.Lookup("global_step"); step != nil {
					feeds[step.Value] = tensorOf(t, []int64{0})
				}
				if n.Err() != nil {
					t.Fatal(n.Err())
				}
				list, err := m.session.RunContext(t.Context(), feeds, []tf.Output{trained}, nil)
				if err != nil {
					t.Fatal(err)
				}
				compare(t, "the result in training", list[0], r.tensor(t, folder+"trained"), 1e-5)
			}
		})
	}
}

// hasPadding says whether steps of a series are 0.
func hasPadding(x *tf.Tensor) bool {
	n := int(x.Dims()[len(x.Dims())-1])
	for row := range slices.Chunk(numbers(x), n) {
		if slices.Max(row) == 0 && slices.Min(row) == 0 {
			return true
		}
	}
	return false
}

var losses = map[string]Loss{
	"sparse_logits":      SparseCategoricalCrossentropy{FromLogits: true},
	"sparse_sequence":    SparseCategoricalCrossentropy{FromLogits: true},
	"sparse":             SparseCategoricalCrossentropy{},
	"categorical_logits": CategoricalCrossentropy{FromLogits: true, LabelSmoothing: 0.1},
	"categorical":        CategoricalCrossentropy{},
	"binary_logits":      BinaryCrossentropy{FromLogits: true, LabelSmoothing: 0.2},
	"binary":             BinaryCrossentropy{},
	"mse":                MeanSquaredError{},
	"mae":                MeanAbsoluteError{},
	"huber":              Huber{},
	"huber_delta":        Huber{Delta: 0.5},

	"binary_focal":             BinaryFocalCrossentropy{},
	"binary_focal_balanced":    BinaryFocalCrossentropy{Balanced: true, Gamma: 1.5, FromLogits: true, LabelSmoothing: 0.1},
	"categorical_focal":        CategoricalFocalCrossentropy{},
	"categorical_focal_logits": CategoricalFocalCrossentropy{Alpha: 0.5, Gamma: 3, FromLogits: true},
	"kl":                       KLDivergence{},
	"log_cosh":                 LogCosh{},
	"percentage":               MeanAbsolutePercentageError{},
	"logarithmic":              MeanSquaredLogarithmicError{},
	"poisson":                  Poisson{},
	"cosine":                   CosineSimilarity{},
	"hinge":                    Hinge{},
	"hinge_signs":              Hinge{},
	"squared_hinge":            SquaredHinge{},
	"categorical_hinge":        CategoricalHinge{},
}

var metrics = map[string]Metric{
	"sparse_accuracy": Accuracy{},
	"accuracy":        Accuracy{},
	"binary_accuracy": Accuracy{},
	"top_2":           TopK{K: 2},
	"top_3_one_hot":   TopK{K: 3},
	"auc":             AUC{},
	"auc_50":          AUC{Thresholds: 50},
	"auc_logits":      AUC{FromLogits: true},
	"precision":       Precision{},
	"recall":          Recall{Threshold: 0.7},
	"f1":              F1Score{},
	"f1_micro":        F1Score{Threshold: 0.3, Micro: true},
	"mean_iou":        MeanIoU{},
	"root":            RootMeanSquaredError{},
}

// evaluated is what a model that returns its input makes of recorded labels and outputs.
func evaluated(t *testing.T, r recorded, folder string, loss Loss, metrics []Metric, weighted bool) map[string]float64 {
	t.Helper()
	y, p := r.tensor(t, folder+"y"), r.tensor(t, folder+"p")
	n := New(1)
	columns := p.Dims()[len(p.Dims())-1]
	same := make([][]float32, columns)
	for i := range same {
		same[i] = make([]float32, columns)
		same[i][i] = 1
	}
	out := n.Input("p", tf.Float, p.Dims()[1:]...).Then(&Dense{Units: columns, NoBias: true, KernelInitializer: train.Given(same)})
	if loss == nil {
		loss = MeanSquaredError{}
		if y.DType() == tf.Int64 {
			loss = SparseCategoricalCrossentropy{FromLogits: true}
		}
	}
	m, err := n.Compile(t.Context(), out, Config{Loss: loss, Metrics: metrics})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	b, err := Examples(y, p)
	if err != nil {
		t.Fatal(err)
	}
	if weighted {
		b.Weights = r.tensor(t, folder+"w")
	}
	values, err := m.Evaluate(t.Context(), b.Batches(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// Losses, also of weighted examples, and metrics are Keras's.
func TestLossesAndMetrics(t *testing.T) {
	r := readRecorded(t)
	check := func(t *testing.T, what string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-6*max(1, math.Abs(want))) {
			t.Errorf("%s is %v, Keras's %v", what, got, want)
		}
	}
	for name, l := range losses {
		t.Run(name, func(t *testing.T) {
			folder := "losses/" + name + "/"
			check(t, "the loss", evaluated(t, r, folder, l, nil, false)["loss"], r.scalar(t, folder+"value"))
			check(t, "the weighted loss", evaluated(t, r, folder, l, nil, true)["loss"], r.scalar(t, folder+"weighted"))
		})
	}
	for name, metric := range metrics {
		t.Run(name, func(t *testing.T) {
			folder := "metrics/" + name + "/"
			values := evaluated(t, r, folder, nil, []Metric{metric}, false)
			check(t, "the metric", values[metric.Label()], r.scalar(t, folder+"value"))
		})
	}
}

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
