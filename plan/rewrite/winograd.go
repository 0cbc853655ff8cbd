package rewrite

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// winograd marks convolutions of floats by 3×3 filters, alone or fused: their kernel may compute them by
// Winograd's transforms, and does where that pays for the sizes that there are. It costs
// digits: docs/design/2026-11-29-winograd.md says how many. Gradients are not marked.
func winograd(w *work) error {
	for _, n := range w.Nodes() {
		if err := w.Watch.Step(); err != nil {
			return err
		}
		if op := n.Type(); op != "Conv2D" && op != "_FusedConv2D" || n.OutputTypes()[0] != tensor.Float || !slides(n.Attrs()) {
			continue
		}
		if f := w.Claimed(n.Inputs()[1]); f.Known() && (f.Rank() != 4 || f.Dim(0) != 3 && f.Dim(0) >= 0 || f.Dim(1) != 3 && f.Dim(1) >= 0) {
			continue
		}
		spec := graph.OpSpec{Type: n.Type(), ControlDependencies: n.Controls(), Attrs: graph.Attrs{"_winograd": true}}
		in := n.Inputs()
		spec.Input = []graph.Input{in[0], in[1]}
		if n.Type() == "_FusedConv2D" {
			args := len(in) - 2
			if v := n.Attrs().Find("num_host_args"); v != nil {
				args -= int(v.I)
			}
			spec.Input = append(spec.Input, graph.OutputList(in[2:2+args]), graph.OutputList(in[2+args:]))
		}
		for _, a := range n.Attrs() {
			spec.Attrs[a.Name] = a.Value
		}
		if err := w.fused(n, spec); err != nil {
			return err
		}
	}
	return nil
}

// slides reports whether the windows of a convolution move by one, over pixels whose
// channels come last.
func slides(attrs registry.Attrs) bool {
	if f := attrs.Find("data_format"); f != nil && f.S != "NHWC" {
		return false
	}
	for _, name := range []string{"strides", "dilations"} {
		if v := attrs.Find(name); v != nil {
			for i := range v.List {
				if v.List[i].I != 1 {
					return false
				}
			}
		}
	}
	return true
}
