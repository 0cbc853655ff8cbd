package rewrite

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// pads gives zeros that a Pad puts around an image to the convolution that takes it, as
// explicit paddings. There they cost nothing: they are left out of sums. All weights must be
// numbers, which those of a constant filter are seen to be; then products with zeros are
// zeros, which change no bit of a sum unless it is -0. A depthwise sum is never -0: its
// kernels add 0 to it. A sum of a Conv2D is, if all it has is a tiny negative product; so there must be a constant behind it that is added to all sums, and makes the same
// of both zeros, as its elements are not -0.
func pads(w *work) error {
	for _, n := range w.Nodes() {
		if err := w.Watch.Step(); err != nil {
			return err
		}
		switch n.Type() {
		case "DepthwiseConv2dNative":
		case "Conv2D":
			if !w.hidesZeros(n) {
				continue
			}
		default:
			continue
		}
		pad := n.Inputs()[0].Op
		if op := pad.Type(); op != "Pad" && op != "PadV2" || !w.soleConsumer(pad) || len(pad.Controls()) > 0 || !w.together(n, pad) {
			continue
		}
		spec, err := w.withPaddings(n, pad)
		if err != nil {
			return err
		}
		if spec.Type != "" {
			if err := w.fused(n, spec); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostBias is how many elements of a constant are looked at that is added to a convolution.
const mostBias = 1 << 14

// hidesZeros reports whether only a sum with a constant takes what n puts out, of which no
// element is -0.
func (w *work) hidesZeros(n *graph.Node) bool {
	if n.OutputTypes()[0] != tensor.Float || !w.soleConsumer(n) {
		return false
	}
	for e := range n.Out() {
		sum := e.To.Op
		if op := sum.Type(); op != "BiasAdd" && op != "Add" && op != "AddV2" {
			return false
		}
		bias := constant(sum.Inputs()[1-e.To.Index].Op)
		if bias == nil {
			return false
		}
		x, err := tensor.Data[float32](bias)
		if err != nil || len(x) > mostBias || slices.ContainsFunc(x, func(v float32) bool { return math.Float32bits(v) == 1<<31 }) {
			return false
		}
	}
	return true
}

// withPaddings returns a convolution with the paddings of the Pad before it; no
// operation if there is none.
func (w *work) withPaddings(n, pad *graph.Node) (spec graph.OpSpec, err error) {
	attrs := n.Attrs()
	if f := attrs.Find("data_format"); f != nil && f.S != "NHWC" {
		return spec, nil
	}
	filter, amounts := constant(n.Inputs()[1].Op), constant(pad.Inputs()[1].Op)
	if attrs.Find("padding").S != "VALID" || filter == nil || amounts == nil || len(filter.Shape()) != 4 || len(pad.Inputs()[1].Op.Controls()) > 0 {
		return spec, nil
	}
	if len(pad.Inputs()) > 2 { // what it fills in
		fill := constant(pad.Inputs()[2].Op)
		if fill == nil || fill.DType() != tensor.Float || len(fill.Shape()) != 0 || len(pad.Inputs()[2].Op.Controls()) > 0 {
			return spec, nil
		}
		if x, err := tensor.Data[float32](fill); err != nil || math.Float32bits(x[0]) != 0 {
			return spec, nil
		}
	}
	if s, err := w.shape(pad.Inputs()[0]); err != nil || !s.Known() || s.Rank() != 4 {
		return spec, err
	}
	around, ok := around(amounts)
	if !ok || !w.allNumbers(filter) {
		return spec, nil
	}
	strides, dilations := attrs.Find("strides"), attrs.Find("dilations")
	if len(strides.List) != 4 || dilations != nil && len(dilations.List) != 4 {
		return spec, nil
	}
	for i := 1; i <= 2; i++ { // an empty image has no result then, and does not fail
		covers := filter.Shape()[i-1]
		if dilations != nil {
			covers = (covers-1)*dilations.List[i].I + 1
		}
		if around[2*i]+around[2*i+1]-covers <= -2*strides.List[i].I {
			return spec, nil
		}
	}
	spec = graph.OpSpec{Type: n.Type(), ControlDependencies: n.Controls(), Input: []graph.Input{pad.Inputs()[0], n.Inputs()[1]},
		Attrs: graph.Attrs{"T": n.OutputTypes()[0], "strides": *strides, "padding": "EXPLICIT", "explicit_paddings": around}}
	if dilations != nil {
		spec.Attrs["dilations"] = *dilations
	}
	return spec, nil
}

// around returns the paddings of an image with channels last, if there are none of batch and
// channels.
func around(t *tensor.Tensor) ([]int64, bool) {
	list, ok := paddings(t)
	if !ok || list[0]|list[1]|list[6]|list[7] != 0 {
		return nil, false
	}
	return list, true
}

// paddings returns the numbers of a 4×2 tensor of paddings, if none is negative.
func paddings(t *tensor.Tensor) ([]int64, bool) {
	if t == nil || !slices.Equal(t.Shape(), []int64{4, 2}) {
		return nil, false
	}
	list := make([]int64, 8)
	switch t.DType() {
	case tensor.Int32:
		x, _ := tensor.Data[int32](t)
		for i := range list {
			list[i] = int64(x[i])
		}
	case tensor.Int64:
		x, _ := tensor.Data[int64](t)
		copy(list, x)
	default:
		return nil, false
	}
	for _, p := range list {
		if p < 0 || p > math.MaxInt16 {
			return nil, false
		}
	}
	return list, true
}

// allNumbers reports whether all weights of a filter of floats are finite.
func (w *work) allNumbers(filter *tensor.Tensor) bool {
	x, err := tensor.Data[float32](filter)
	if err != nil || w.made+4*len(x) > mostFolded {
		return false
	}
	w.made += 4 * len(x) // they are read once
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}
