package rewrite

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// pure reports whether what a node puts out is a function of its inputs and attributes,
// so that it may be computed at another time, once for several, or not at all.
// Resources and variants are not values in this sense: they stand for what changes.
func pure(n *graph.Node) bool {
	switch n.Class() {
	case graph.ClassOther, graph.ClassIdentity, graph.ClassConstant:
	default:
		return false
	}
	def := n.Def()
	if def.Stateful || n.NumOutputs() == 0 || def.Is(registry.Impure) {
		return false
	}
	for i := range def.Attrs {
		if def.Attrs[i].Kind&^registry.ListOf == registry.KindFunc {
			return false
		}
	}
	for _, list := range [][]tensor.DType{n.InputTypes(), n.OutputTypes()} {
		for _, t := range list {
			if t == tensor.Resource || t == tensor.Variant || t.IsRef() {
				return false
			}
		}
	}
	for _, from := range n.Inputs() {
		if from.DataType().IsRef() { // read when the node runs
			return false
		}
	}
	return true
}
