package accelerators

import (
	"math/rand/v2"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

type in = []*tensor.Tensor

// sizes returns a tensor's shape, as an input.
func sizes(t *tensor.Tensor) *tensor.Tensor {
	var x []int32
	for _, d := range t.Dims() {
		x = append(x, int32(d))
	}
	return list(x...)
}

// convolutionOperations convolves images and volumes, in groups, channel by channel, and
// with channels first.
func convolutionOperations(rng *rand.Rand) (all []operation) {
	f := floatsOf(rng)
	family := func(forward, input, filter string, attrs registry.Attrs, x, w *tensor.Tensor) {
		y := must(kerneltest.Run(forward, attrs, x, w))[0]
		g := f(y.Dims()...)
		all = append(all, operation{op: forward, attrs: attrs, in: in{x, w}},
			operation{op: input, attrs: attrs, in: in{sizes(x), w, g}}, operation{op: filter, attrs: attrs, in: in{x, sizes(w), g}})
	}
	conv := func(attrs registry.Attrs, x, w *tensor.Tensor) {
		family("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter", attrs, x, w)
	}
	same := registry.Attrs{ints("strides", 1, 2, 1, 1), str("padding", "SAME")}
	conv(same, f(2, 5, 6, 4), f(3, 2, 2, 6)) // two groups
	conv(registry.Attrs{ints("strides", 1, 1, 2, 1), str("padding", "EXPLICIT"), ints("explicit_paddings", 0, 0, 1, 0, 2, 1, 0, 0), ints("dilations", 1, 2, 1, 1)}, f(2, 5, 6, 6), f(2, 3, 2, 3))
	firsts := registry.Attrs{ints("strides", 1, 1, 2, 1), str("padding", "EXPLICIT"), ints("explicit_paddings", 0, 0, 0, 0, 1, 0, 2, 1), str("data_format", "NCHW")}
	volumes := func(attrs registry.Attrs, x, w *tensor.Tensor) {
		family("Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2", attrs, x, w)
	}
	volumes(registry.Attrs{ints("strides", 1, 1, 2, 1, 1), str("padding", "SAME")}, f(2, 3, 4, 5, 2), f(2, 3, 2, 2, 3))
	depthwise := func(attrs registry.Attrs, x, w *tensor.Tensor) {
		family("DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter", attrs, x, w)
	}
	depthwise(same, f(2, 5, 6, 3), f(3, 2, 3, 2))
	depthwise(registry.Attrs{ints("strides", 1, 1, 1, 1), str("padding", "VALID"), ints("dilations", 1, 2, 1, 1)}, f(2, 5, 6, 3), f(2, 3, 3, 1))
	// the same code, turned around
	conv(firsts, f(2, 3, 5, 6), f(2, 3, 3, 2))
	depthwise(registry.Attrs{ints("strides", 1, 1, 2, 2), str("padding", "SAME"), str("data_format", "NCHW")}, f(2, 3, 5, 6), f(2, 3, 3, 2))
	volumes(registry.Attrs{ints("strides", 1, 1, 1, 2, 1), str("padding", "VALID"), str("data_format", "NCDHW")}, f(2, 2, 3, 4, 5), f(2, 3, 2, 2, 3))
	return append(all,
		operation{op: "Conv", attrs: registry.Attrs{ints("strides", 1, 1, 2, 1), str("padding", "SAME"), integer("groups", 2)}, in: in{f(2, 5, 6, 4), f(3, 2, 2, 6)}},
		operation{op: "Conv2DBackpropInput", attrs: same, in: in{list[int32](5, 6), f(3, 2, 2, 4), f(2, 3, 6, 4)}})
}

// poolOperations pools images and volumes.
func poolOperations(rng *rand.Rand) (all []operation) {
	f := floatsOf(rng)
	for _, c := range []struct {
		suffix string
		attrs  registry.Attrs
		x      *tensor.Tensor
	}{
		{"", registry.Attrs{ints("ksize", 1, 3, 2, 1), ints("strides", 1, 2, 1, 1), str("padding", "SAME")}, f(2, 5, 6, 3)},
		{"", registry.Attrs{ints("ksize", 1, 1, 3, 2), ints("strides", 1, 1, 2, 1), str("padding", "VALID"), str("data_format", "NCHW")}, f(2, 3, 5, 6)},
		{"3D", registry.Attrs{ints("ksize", 1, 2, 3, 2, 1), ints("strides", 1, 1, 2, 1, 1), str("padding", "SAME")}, f(2, 3, 4, 5, 2)},
	} {
		y := must(kerneltest.Run("MaxPool"+c.suffix, c.attrs, c.x))[0]
		g := f(y.Dims()...)
		all = append(all,
			operation{op: "MaxPool" + c.suffix, attrs: c.attrs, in: in{c.x}},
			operation{op: "AvgPool" + c.suffix, attrs: c.attrs, in: in{c.x}},
			operation{op: "MaxPool" + c.suffix + "Grad", attrs: c.attrs, in: in{c.x, y, g}},
			operation{op: "MaxPool" + c.suffix + "GradGrad", attrs: c.attrs, in: in{c.x, y, f(c.x.Dims()...)}},
			operation{op: "AvgPool" + c.suffix + "Grad", attrs: c.attrs, in: in{sizes(c.x), g}})
	}
	valid := registry.Attrs{str("padding", "VALID")}
	window, steps, x := list[int32](1, 2, 3, 1), list[int32](1, 1, 2, 1), f(2, 5, 6, 3)
	y := must(kerneltest.Run("MaxPoolV2", valid, x, window, steps))[0]
	return append(all,
		operation{op: "MaxPoolV2", attrs: valid, in: in{x, window, steps}},
		operation{op: "MaxPoolGradV2", attrs: valid, in: in{x, y, f(y.Dims()...), window, steps}},
		operation{op: "MaxPoolGradGradV2", attrs: valid, in: in{x, y, f(2, 5, 6, 3), window, steps}},
		operation{op: "MaxPoolWithArgmax", attrs: registry.Attrs{ints("ksize", 1, 2, 2, 1), ints("strides", 1, 2, 2, 1), str("padding", "SAME"), boolean("include_batch_in_index", true)}, in: in{x}})
}

// recurrentOperations are of LSTM and GRU cells, and their gradients.
func recurrentOperations(rng *rand.Rand) (all []operation) {
	f := floatsOf(rng)
	const steps, batch, inputs, size = 4, 3, 4, 5
	w, b, none := f(inputs+size, 4*size), f(4*size), f(size)
	x, cs, h := f(batch, inputs), f(batch, size), f(batch, size)
	for _, peepholes := range []bool{false, true} {
		a := attrs{boolean("use_peephole", peepholes)}
		cell := in{x, cs, h, w, none, f(size), f(size), b}
		out := must(kerneltest.Run("LSTMBlockCell", a, cell...))
		all = append(all, operation{op: "LSTMBlockCell", attrs: a, in: cell},
			operation{op: "LSTMBlockCellGrad", attrs: a, in: append(append(append(in{}, cell...), out[:6]...), f(batch, size), f(batch, size))})
		for _, version := range []string{"", "V2"} {
			block := append(in{one(int64(3)), f(steps, batch, inputs)}, cell[1:]...)
			out := must(kerneltest.Run("BlockLSTM"+version, a, block...))
			all = append(all, operation{op: "BlockLSTM" + version, attrs: a, in: block},
				operation{op: "BlockLSTMGrad" + version, attrs: a, in: append(append(append(in{}, block...), out...), f(steps, batch, size), f(steps, batch, size))})
		}
	}
	gru := in{x, h, f(inputs+size, 2*size), f(inputs+size, size), f(2 * size), f(size)}
	out := must(kerneltest.Run("GRUBlockCell", nil, gru...))
	return append(all, operation{op: "GRUBlockCell", in: gru},
		operation{op: "GRUBlockCellGrad", in: append(append(append(in{}, gru...), out[:3]...), f(batch, size))})
}

// normalizeOperations normalize with running averages, given moments, and channels first.
func normalizeOperations(rng *rand.Rand) (all []operation) {
	f := floatsOf(rng)
	positive := must(kerneltest.Run("Exp", nil, f(5)))[0]
	for _, c := range []struct {
		format string
		x, dy  *tensor.Tensor
	}{
		{"NHWC", f(2, 3, 4, 5), f(2, 3, 4, 5)}, {"NCHW", f(2, 5, 3, 4), f(2, 5, 3, 4)}, {"NCDHW", f(2, 5, 2, 3, 2), f(2, 5, 2, 3, 2)},
	} {
		scale, offset, mean := f(5), f(5), f(5)
		for _, training := range []bool{false, true} {
			a := attrs{str("data_format", c.format), boolean("is_training", training)}
			all = append(all, operation{op: "FusedBatchNormV3", attrs: append(attrs{number("exponential_avg_factor", 0.25)}, a...), in: in{c.x, scale, offset, mean, positive}},
				operation{op: "FusedBatchNormGradV3", attrs: a, in: in{c.dy, c.x, scale, mean, positive, one(float32(0))}})
		}
	}
	return all
}

// imageOperations are of pixels, and of quantization.
func imageOperations(rng *rand.Rand) []operation {
	f := floatsOf(rng)
	unit := must(kerneltest.Run("Sigmoid", nil, f(2, 4, 5, 3)))[0]
	x := f(2, 5, 6, 3)
	boxes := must1(tensor.FromSlice([]float32{0, 0, 1, 1, 0.8, 0.1, 0.2, 1.3, 0.25, 0.25, 0.5, 0.5}, 3, 4))
	patches := attrs{ints("ksizes", 1, 3, 2, 1), ints("strides", 1, 2, 1, 1), ints("rates", 1, 1, 2, 1), str("padding", "SAME")}
	volumes := attrs{ints("ksizes", 1, 2, 3, 2, 1), ints("strides", 1, 1, 2, 1, 1), str("padding", "VALID")}
	dilate := attrs{ints("strides", 1, 1, 2, 1), ints("rates", 1, 2, 1, 1), str("padding", "SAME")}
	low, high := list[float32](-1, -3, 0), list[float32](1, 2, 5)
	return []operation{
		{op: "RGBToHSV", in: in{unit}}, {op: "HSVToRGB", in: in{unit}}, {op: "AdjustHue", in: in{unit, one(float32(0.3))}},
		{op: "AdjustSaturation", in: in{unit, one(float32(1.5))}}, {op: "AdjustContrastv2", in: in{unit, one(float32(1.5))}},
		{op: "ExtractImagePatches", attrs: patches, in: in{x}}, {op: "ExtractVolumePatches", attrs: volumes, in: in{f(1, 3, 4, 5, 2)}},
		{op: "Dilation2D", attrs: dilate, in: in{x, f(2, 3, 3)}},
		{op: "CropAndResize", attrs: attrs{number("extrapolation_value", 9)}, in: in{x, boxes, list[int32](1, 0, 1), list[int32](4, 3)}},
		{op: "CropAndResize", attrs: attrs{str("method", "nearest")}, in: in{x, boxes, list[int32](1, 0, 1), list[int32](1, 3)}},
		{op: "FakeQuantWithMinMaxArgs", attrs: attrs{number("min", -2), number("max", 4)}, in: in{x}},
		{op: "FakeQuantWithMinMaxVars", attrs: attrs{boolean("narrow_range", true)}, in: in{x, one(float32(-2)), one(float32(3))}},
		{op: "FakeQuantWithMinMaxVarsPerChannel", attrs: attrs{integer("num_bits", 4)}, in: in{x, low, high}},
		{op: "FakeQuantWithMinMaxArgsGradient", attrs: attrs{number("min", -2), number("max", 4)}, in: in{f(2, 3), f(2, 3)}},
		{op: "FakeQuantWithMinMaxVarsGradient", in: in{f(2, 5, 6, 3), x, one(float32(-2)), one(float32(3))}},
		{op: "FakeQuantWithMinMaxVarsPerChannelGradient", in: in{f(2, 5, 6, 3), x, low, high}},
	}
}
