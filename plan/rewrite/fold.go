package rewrite

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// fold computes what depends on constants alone. A node whose inputs are constants,
// and which is pure, becomes a constant under its own name, and waits for what it
// and its inputs waited for: so it is alive in the same frame, iterations and
// branches. A node that fails stays, to fail in its own name if it is ever run.
func fold(w *work) error {
	for _, n := range w.Nodes() {
		if err := w.Watch.Steps(4); err != nil {
			return err
		}
		if n.NumInputs() == 0 || n.Class() == graph.ClassConstant || w.IsFed(n) || !pure(n) {
			continue
		}
		in, ok := constants(n)
		if !ok {
			continue
		}
		out, err := w.evaluate(n, in)
		if err != nil {
			return err
		}
		if out == nil {
			continue
		}
		if err := w.freeze(n, out); err != nil {
			return err
		}
	}
	return nil
}

// constants returns the values of a node's inputs, if all are constants.
func constants(n *graph.Node) ([]*tensor.Tensor, bool) {
	in := make([]*tensor.Tensor, n.NumInputs())
	for i, from := range n.Inputs() {
		if in[i] = constant(from.Op); in[i] == nil {
			return nil, false
		}
	}
	return in, true
}

// constant returns the value of a constant; nil if the node is none, or one that fails.
func constant(n *graph.Node) *tensor.Tensor {
	if n.Class() != graph.ClassConstant {
		return nil
	}
	v := n.Attrs().Find("value")
	if v == nil || v.Tensor == nil || v.Tensor.DType() != n.OutputTypes()[0] || v.Tensor.DType() == tensor.Variant {
		return nil
	}
	return v.Tensor
}

// gates returns the nodes that n waits for, itself or through those of its inputs that are
// constants: it is alive where these are, as far as constants decide that.
func gates(n *graph.Node) []*graph.Node {
	var all union
	all.add(n.Controls())
	for _, from := range n.Inputs() {
		if from.Op.Class() == graph.ClassConstant {
			all.add(from.Op.Controls())
		}
	}
	return all.nodes
}

// A union is nodes, each once, in the order in which they came.
type union struct {
	nodes []*graph.Node
	known map[*graph.Node]bool // once they are many
}

func (u *union) add(nodes []*graph.Node) {
	const few = 16
	for _, n := range nodes {
		if u.known == nil && len(u.nodes) > few {
			u.known = make(map[*graph.Node]bool, 2*len(u.nodes))
			for _, n := range u.nodes {
				u.known[n] = true
			}
		}
		if u.known[n] || u.known == nil && slices.Contains(u.nodes, n) {
			continue
		}
		u.nodes = append(u.nodes, n)
		if u.known != nil {
			u.known[n] = true
		}
	}
}

// freeze makes n a constant; of a node of several outputs, those that are needed.
func (w *work) freeze(n *graph.Node, out []*tensor.Tensor) error {
	after := gates(n)
	if len(out) == 1 {
		_, err := w.ReplaceByNew(n, constantSpec(out[0], after))
		return err
	}
	used := make([]bool, len(out))
	for e := range n.Out() {
		if !e.IsControl() {
			used[e.From.Index] = true
		}
	}
	with := make([]graph.Output, len(out))
	for i, t := range out {
		if !used[i] && !w.IsFetched(n.Output(i)) && i > 0 {
			continue
		}
		spec := constantSpec(t, after)
		spec.Name, spec.Device = w.UniqueName(n.Name()+"/folded"), n.Device()
		c, err := w.Add(spec)
		if err != nil {
			return err
		}
		with[i] = c.Output(0)
	}
	return w.Replace(n, with...)
}

func constantSpec(t *tensor.Tensor, after []*graph.Node) graph.OpSpec {
	return graph.OpSpec{Type: "Const", Attrs: graph.Attrs{"dtype": t.DType(), "value": t}, ControlDependencies: after}
}
