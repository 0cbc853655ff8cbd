package accelerators

import (
	"math/rand/v2"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func ints(name string, x ...int64) registry.NamedAttr {
	v := registry.AttrValue{Kind: registry.KindInt + registry.ListOf}
	for _, n := range x {
		v.List = append(v.List, registry.AttrValue{Kind: registry.KindInt, I: n})
	}
	return registry.NamedAttr{Name: name, Value: v}
}

func str(name, s string) registry.NamedAttr {
	return registry.NamedAttr{Name: name, Value: registry.AttrValue{Kind: registry.KindString, S: s}}
}

var rough = tensor.Tolerance{ATol: 1e-4, RTol: 1e-4}

// A convolving is one of a convolution's three arrays, made of the other two.
type convolving func(z, a, b code.Array, w code.Window, scratch code.Array) ([]devices.Launch, error)

// convolutionTrials are of a convolution op, forward and backward.
func convolutionTrials(rng *rand.Rand, op, padding string, x, f []int64, strides, dilation, before [2]int64, writes [3]convolving, needs [3]func(z, a, b code.Array, w code.Window) code.Array) []trial {
	w := code.Window{Size: [2]int64{f[0], f[1]}, Strides: strides, Dilation: dilation, Before: before}
	attrs := registry.Attrs{ints("strides", 1, strides[0], strides[1], 1), ints("dilations", 1, dilation[0], dilation[1], 1), str("padding", padding)}
	images, filter := random(rng, tensor.Float, x...), random(rng, tensor.Float, f...)
	y := must(kerneltest.Run(op, attrs, images, filter))
	g := random(rng, tensor.Float, y[0].Dims()...)
	sizes := func(dims []int64) *tensor.Tensor {
		return list(int32(dims[0]), int32(dims[1]), int32(dims[2]), int32(dims[3]))
	}
	make := func(which int, name string, want []*tensor.Tensor, in ...*tensor.Tensor) trial {
		t := trial{op: name, in: in, want: want, tol: tensor.Tolerance{ATol: 2e-3, RTol: 1e-4}, write: func(out, in []code.Array) ([]devices.Launch, error) {
			return writes[which](out[0], in[0], in[1], w, lent(out, 1))
		}}
		if needs[which] != nil {
			t.need = func(out, in []code.Array) code.Array { return needs[which](out[0], in[0], in[1], w) }
		}
		return t
	}
	return []trial{
		make(0, op, y, images, filter),
		make(1, op+"BackpropInput", must(kerneltest.Run(op+"BackpropInput", attrs, sizes(x), filter, g)), filter, g),
		make(2, op+"BackpropFilter", must(kerneltest.Run(op+"BackpropFilter", attrs, images, sizes(f), g)), images, g),
	}
}

// windowTrials convolves and pools images of 9 by 8 with padding SAME, which for a
// window of 3 and strides of 2 and 1 puts one row above, and one column to the left, and
// convolves some of other sizes.
func windowTrials() (all []trial) {
	rng := rand.New(rand.NewPCG(1, 11))
	type pair = [2]int64
	dense := [3]convolving{code.Conv2D, code.Conv2DBackpropInput, code.Conv2DBackpropFilter}
	denseNeeds := [3]func(z, a, b code.Array, w code.Window) code.Array{code.Conv2DScratch, code.Conv2DBackpropInputScratch, code.Conv2DBackpropFilterScratch}
	without := func(f func(z, a, b code.Array, w code.Window) ([]devices.Launch, error)) convolving {
		return func(z, a, b code.Array, w code.Window, _ code.Array) ([]devices.Launch, error) { return f(z, a, b, w) }
	}
	apart := [3]convolving{without(code.Depthwise), without(code.DepthwiseBackpropInput), code.DepthwiseBackpropFilter}
	apartNeeds := [3]func(z, a, b code.Array, w code.Window) code.Array{nil, nil, code.DepthwiseBackpropFilterScratch}
	for _, c := range []struct {
		x, f                      []int64
		strides, dilation, before pair
		padding                   string
	}{
		{[]int64{2, 9, 8, 3}, []int64{3, 3, 3, 5}, pair{2, 1}, pair{1, 1}, pair{1, 1}, "SAME"},
		{[]int64{2, 9, 8, 3}, []int64{3, 3, 3, 5}, pair{1, 1}, pair{2, 1}, pair{0, 0}, "VALID"},
		{[]int64{2, 11, 8, 4}, []int64{3, 2, 2, 6}, pair{2, 3}, pair{3, 2}, pair{0, 0}, "VALID"}, // in groups
		{[]int64{2, 5, 6, 20}, []int64{1, 1, 20, 9}, pair{1, 1}, pair{1, 1}, pair{0, 0}, "SAME"},
		{[]int64{2, 5, 6, 20}, []int64{1, 1, 20, 9}, pair{2, 2}, pair{1, 1}, pair{0, 0}, "VALID"},
		{[]int64{4, 33, 32, 16}, []int64{3, 3, 16, 18}, pair{1, 1}, pair{1, 1}, pair{1, 1}, "SAME"},
	} {
		all = append(all, convolutionTrials(rng, "Conv2D", c.padding, c.x, c.f, c.strides, c.dilation, c.before, dense, denseNeeds)...)
	}
	for _, c := range []struct {
		x, f            []int64
		strides, before pair
		padding         string
	}{
		{[]int64{2, 9, 8, 3}, []int64{3, 3, 3, 2}, pair{2, 2}, pair{1, 0}, "SAME"},
		{[]int64{4, 30, 31, 40}, []int64{3, 3, 40, 1}, pair{1, 1}, pair{1, 1}, "SAME"},
	} {
		all = append(all, convolutionTrials(rng, "DepthwiseConv2dNative", c.padding, c.x, c.f, c.strides, pair{1, 1}, c.before, apart, apartNeeds)...)
	}
	x := random(rng, tensor.Float, 2, 9, 8, 3)
	w := code.Window{Size: pair{3, 3}, Strides: pair{2, 1}, Dilation: pair{1, 1}, Before: pair{1, 1}}
	attrs := registry.Attrs{ints("ksize", 1, 3, 3, 1), ints("strides", 1, 2, 1, 1), str("padding", "SAME")}
	y := must(kerneltest.Run("MaxPool", attrs, x))
	g := random(rng, tensor.Float, y[0].Dims()...)
	pool := func(average bool) writing {
		return func(out, in []code.Array) ([]devices.Launch, error) { return code.Pool(out[0], in[0], w, average) }
	}
	return append(all,
		trial{op: "MaxPool", in: []*tensor.Tensor{x}, want: y, write: pool(false)},
		trial{op: "AvgPool", in: []*tensor.Tensor{x}, want: must(kerneltest.Run("AvgPool", attrs, x)), tol: rough, write: pool(true)},
		trial{op: "MaxPoolGrad", in: []*tensor.Tensor{x, g}, want: must(kerneltest.Run("MaxPoolGrad", attrs, x, y[0], g)), tol: rough, need: func(_, in []code.Array) code.Array { return code.MaxPoolGradScratch(in[1]) }, write: func(out, in []code.Array) ([]devices.Launch, error) {
			return code.MaxPoolGrad(out[0], in[0], in[1], w, lent(out, 1))
		}},
		trial{op: "AvgPoolGrad", in: []*tensor.Tensor{g}, want: must(kerneltest.Run("AvgPoolGrad", attrs, list[int32](2, 9, 8, 3), g)), tol: rough, write: func(out, in []code.Array) ([]devices.Launch, error) {
			return code.AvgPoolGrad(out[0], in[0], w)
		}})
}

func normalizeTrials() []trial {
	rng := rand.New(rand.NewPCG(1, 12))
	x, scale, offset := random(rng, tensor.Float, 4, 5, 6, 3), random(rng, tensor.Float, 3), random(rng, tensor.Float, 3)
	empty := must1(tensor.New(tensor.Float, 0))
	y := must(kerneltest.Run("FusedBatchNormV3", nil, x, scale, offset, empty, empty))
	dy := random(rng, tensor.Float, 4, 5, 6, 3)
	grads := must(kerneltest.Run("FusedBatchNormGradV3", nil, dy, x, scale, y[3], y[4], y[5]))
	const epsilon = 1e-4 // the attribute's default
	return []trial{
		{op: "FusedBatchNormV3", in: []*tensor.Tensor{x, scale, offset}, want: []*tensor.Tensor{y[0], y[3], y[4]}, tol: rough, need: func(_, in []code.Array) code.Array { return code.MomentsScratch(in[0]) }, write: func(out, in []code.Array) ([]devices.Launch, error) {
			moments, err := code.Moments(out[1], out[2], in[0], lent(out, 3))
			if err != nil {
				return nil, err
			}
			all, err := code.Normalize(out[0], in[0], in[1], in[2], out[1], out[2], epsilon)
			return append(moments, all...), err
		}},
		{op: "Mul", in: []*tensor.Tensor{x}, want: must(kerneltest.Run("Mul", nil, x, one(float32(1.25)))), tol: rough, write: func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Scale(out[0], in[0], 1.25)
		}},
		{op: "FusedBatchNormGradV3", in: []*tensor.Tensor{dy, x, scale, y[3], y[4]}, want: grads[:3], tol: rough, need: func(_, in []code.Array) code.Array { return code.MomentsScratch(in[1]) }, write: func(out, in []code.Array) ([]devices.Launch, error) {
			return code.NormalizeGrad(out[0], out[1], out[2], in[0], in[1], in[2], in[3], in[4], lent(out, 3), epsilon, false)
		}},
	}
}
