package rewrite

import (
	"github.com/troupe-go/troupe/graph"
)

// algebra returns what holds for numbers and not for their bits: minus zero plus zero is
// zero. It is not among the default passes.
func algebra(w *work) error {
	return w.apply(map[string]rule{
		"Add": neutral(true, zero), "AddV2": neutral(true, zero), "Sub": neutral(false, zero),
		"BiasAdd": biasOfZeros,
	})
}

func zero(x number) bool { return x.value == 0 }

// biasOfZeros knows a bias that adds nothing, where it fits.
func biasOfZeros(w *work, n *graph.Node) (graph.Output, *graph.Node, bool) {
	of := n.Inputs()[0]
	t := constant(n.Inputs()[1].Op)
	s, err := w.shape(of)
	if t == nil || err != nil || !s.Known() || s.Rank() < 2 || len(t.Shape()) != 1 || !allZero(t) {
		return of, nil, false
	}
	at := s.Rank() - 1
	if f := n.Attrs().Find("data_format"); f != nil && f.S == "NCHW" {
		at = 1
	}
	return of, nil, s.Dim(at) == t.Shape()[0]
}
