package rewrite

import (
	"math"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// batchNorm multiplies the factors of a batch normalization, if all are constants, into
// the constant filter of the convolution before it; a
// BiasAdd of the rest stays. Sums are rounded otherwise then, so this is not among
// the default passes.
func batchNorm(w *work) error {
	for _, n := range w.Nodes() {
		if err := w.Watch.Step(); err != nil {
			return err
		}
		if !w.isInference(n) || len(n.Controls()) > 0 {
			continue
		}
		of := n.Inputs()[0]
		if !products[of.Op.Type()].norms || of.DataType() != tensor.Float || !w.soleConsumer(of.Op) {
			continue
		}
		if f := of.Op.Attrs().Find("data_format"); f != nil && f.S != "NHWC" {
			continue
		}
		if err := w.foldNorm(n, of.Op); err != nil {
			return err
		}
	}
	return nil
}

// soleConsumer reports whether one input of one node is all that takes what n puts out.
func (w *work) soleConsumer(n *graph.Node) bool {
	if w.Keeps(n) {
		return false
	}
	k := 0
	for e := range n.Out() {
		if k++; e.IsControl() {
			return false
		}
	}
	return k == 1
}

// foldNorm folds a normalization into the product that it follows.
func (w *work) foldNorm(n, product *graph.Node) error {
	filter := constant(product.Inputs()[1].Op)
	if filter == nil || len(product.Inputs()[1].Op.Controls()) > 0 || len(filter.Shape()) == 0 {
		return nil
	}
	shape := filter.Shape()
	depth := int(shape[len(shape)-1])
	var given [4][]float32 // scale, offset, mean, variance
	for i := range given {
		from := n.Inputs()[1+i].Op
		t := constant(from)
		if t == nil || t.DType() != tensor.Float || len(from.Controls()) > 0 || len(t.Shape()) != 1 || int(t.Shape()[0]) != depth {
			return nil
		}
		given[i], _ = tensor.Data[float32](t)
	}
	weights, err := tensor.Data[float32](filter)
	if err != nil || depth == 0 || w.made+4*len(weights) > mostFolded {
		return nil
	}
	w.made += 4 * len(weights)
	epsilon := float64(n.Attrs().Find("epsilon").F)
	factor, rest := make([]float64, depth), make([]float32, depth)
	for c := range depth {
		factor[c] = float64(given[0][c]) / math.Sqrt(float64(given[3][c])+epsilon)
		rest[c] = float32(float64(given[1][c]) - float64(given[2][c])*factor[c])
	}
	scaled := make([]float32, len(weights))
	for i, x := range weights {
		scaled[i] = float32(float64(x) * factor[i%depth])
	}
	newFilter, err := tensor.FromSlice(scaled, shape...)
	if err != nil {
		return err
	}
	newBias, err := tensor.FromSlice(rest, int64(depth))
	if err != nil {
		return err
	}
	var consts [2]graph.Output
	for i, t := range []*tensor.Tensor{newFilter, newBias} {
		spec := constantSpec(t, nil)
		spec.Name, spec.Device = w.UniqueName(n.Name()+[]string{"/filter", "/bias"}[i]), n.Device()
		c, err := w.Add(spec)
		if err != nil {
			return err
		}
		consts[i] = c.Output(0)
	}
	if err := w.SetInput(product, 1, consts[0]); err != nil {
		return err
	}
	w.Changed()
	// Of the normalization's outputs only the first is taken.
	bias, err := w.Add(graph.OpSpec{
		Type: "BiasAdd", Name: w.UniqueName(n.Name()), Device: n.Device(), Input: []graph.Input{product.Output(0), consts[1]},
	})
	if err != nil {
		return err
	}
	return w.ReplaceBy(n, bias)
}
