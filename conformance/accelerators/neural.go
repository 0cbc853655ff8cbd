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

// windowTrials convolves and pools images of 9 by 8 with padding SAME, which for a
// window of 3 and strides of 2 and 1 puts one row above, and one column to the left.
func windowTrials() (all []trial) {
	rng := rand.New(rand.NewPCG(1, 11))
	for _, c := range []struct {
		strides, dilation, before [2]int64
		padding                   string
	}{
		{[2]int64{2, 1}, [2]int64{1, 1}, [2]int64{1, 1}, "SAME"},
		{[2]int64{1, 1}, [2]int64{2, 1}, [2]int64{0, 0}, "VALID"},
	} {
		x, f := random(rng, tensor.Float, 2, 9, 8, 3), random(rng, tensor.Float, 3, 3, 3, 5)
		w := code.Window{Size: [2]int64{3, 3}, Strides: c.strides, Dilation: c.dilation, Before: c.before}
		attrs := registry.Attrs{ints("strides", 1, c.strides[0], c.strides[1], 1), ints("dilations", 1, c.dilation[0], c.dilation[1], 1), str("padding", c.padding)}
		y := must(kerneltest.Run("Conv2D", attrs, x, f))
		g := random(rng, tensor.Float, y[0].Dims()...)
		all = append(all,
			trial{op: "Conv2D", in: []*tensor.Tensor{x, f}, want: y, tol: rough, write: func(out, in []code.Array) ([]devices.Launch, error) {
				return code.Conv2D(out[0], in[0], in[1], w)
			}},
			trial{op: "Conv2DBackpropInput", in: []*tensor.Tensor{f, g}, want: must(kerneltest.Run("Conv2DBackpropInput", attrs, list[int32](2, 9, 8, 3), f, g)), tol: rough, write: func(out, in []code.Array) ([]devices.Launch, error) {
				return code.Conv2DBackpropInput(out[0], in[0], in[1], w)
			}},
			trial{op: "Conv2DBackpropFilter", in: []*tensor.Tensor{x, g}, want: must(kerneltest.Run("Conv2DBackpropFilter", attrs, x, list[int32](3, 3, 3, 5), g)), tol: rough, write: func(out, in []code.Array) ([]devices.Launch, error) {
				return code.Conv2DBackpropFilter(out[0], in[0], in[1], w)
			}})
		if c.padding == "VALID" {
			continue
		}
		attrs = registry.Attrs{ints("ksize", 1, 3, 3, 1), ints("strides", 1, c.strides[0], c.strides[1], 1), str("padding", c.padding)}
		y = must(kerneltest.Run("MaxPool", attrs, x))
		g = random(rng, tensor.Float, y[0].Dims()...)
		pool := func(average bool) func(out, in []code.Array) ([]devices.Launch, error) {
			return func(out, in []code.Array) ([]devices.Launch, error) { return code.Pool(out[0], in[0], w, average) }
		}
		all = append(all,
			trial{op: "MaxPool", in: []*tensor.Tensor{x}, want: y, write: pool(false)},
			trial{op: "AvgPool", in: []*tensor.Tensor{x}, want: must(kerneltest.Run("AvgPool", attrs, x)), tol: rough, write: pool(true)},
			trial{op: "MaxPoolGrad", in: []*tensor.Tensor{x, g}, want: must(kerneltest.Run("MaxPoolGrad", attrs, x, y[0], g)), tol: rough, write: func(out, in []code.Array) ([]devices.Launch, error) {
				return code.PoolGrad(out[0], in[0], in[1], w, false)
			}},
			trial{op: "AvgPoolGrad", in: []*tensor.Tensor{g}, want: must(kerneltest.Run("AvgPoolGrad", attrs, list[int32](2, 9, 8, 3), g)), tol: rough, write: func(out, in []code.Array) ([]devices.Launch, error) {
				return code.PoolGrad(out[0], code.Array{}, in[0], w, true)
			}})
	}
	return all
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
		{op: "FusedBatchNormV3", in: []*tensor.Tensor{x, scale, offset}, want: []*tensor.Tensor{y[0], y[3], y[4]}, tol: rough, write: func(out, in []code.Array) ([]devices.Launch, error) {
			moments, err := code.Moments(out[1], out[2], in[0])
			if err != nil {
				return nil, err
			}
			all, err := code.Normalize(out[0], in[0], in[1], in[2], out[1], out[2], epsilon)
			return append(moments, all...), err
		}},
		{op: "Mul", in: []*tensor.Tensor{x}, want: must(kerneltest.Run("Mul", nil, x, one(float32(1.25)))), tol: rough, write: func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Scale(out[0], in[0], 1.25)
		}},
		{op: "FusedBatchNormGradV3", in: []*tensor.Tensor{dy, x, scale, y[3], y[4]}, want: grads[:3], tol: rough, write: func(out, in []code.Array) ([]devices.Launch, error) {
			return code.NormalizeGrad(out[0], out[1], out[2], in[0], in[1], in[2], in[3], in[4], epsilon, false)
		}},
	}
}
