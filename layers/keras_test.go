package layers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tf "github.com/troupe-go/troupe/session"
)

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
