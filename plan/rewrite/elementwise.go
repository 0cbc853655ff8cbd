package rewrite

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

const (
	fusedElementwise = "_FusedElementwise"
	// mostFused bounds a chain: beyond, tiles and operands leave the first cache.
	mostFused = 32
)

// elementwise puts one node in place of several elementwise ones whose results
// nobody takes but the next: a pass over memory in place of several. It leaves
// loops alone, whose scalars have instructions of their own, and what is on a branch,
// where the parts may be alive when the whole is not. The node has the name of the last
// part; the kernel knows those of the others, for errors.
func elementwise(w *work) error {
	if _, err := registry.Global.Lookup(fusedElementwise); err != nil {
		return nil
	}
	g := &grouping{w: w, of: map[*graph.Node]*group{}}
	all := w.Nodes()
	for _, n := range slices.Backward(all) { // consumers come first, as far as ids say so
		if err := w.Watch.Steps(4); err != nil {
			return err
		}
		if err := g.place(n); err != nil {
			return err
		}
	}
	for _, c := range g.groups {
		if len(c.nodes) > 1 {
			if err := w.fuse(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// A group is nodes that become one; the first makes the result.
type group struct{ nodes []*graph.Node }

type grouping struct {
	w      *work
	exits  *exits // what nodes are behind, once somebody asks
	of     map[*graph.Node]*group
	groups []*group
}

// place puts a node into the group of those who take its value, or begins one.
func (g *grouping) place(n *graph.Node) error {
	if !n.Def().Is(registry.Fusible) || g.w.IsFed(n) || n.NumOutputs() != 1 {
		return nil
	}
	if dt := n.OutputTypes()[0]; dt != tensor.Float && dt != tensor.Double || slices.ContainsFunc(n.Inputs(), func(o graph.Output) bool { return o.DataType() != dt }) {
		return nil
	}
	if s := g.w.Claimed(n.Output(0)); !s.Known() || s.Rank() == 0 {
		return nil // scalars are better off with kernels of their own
	}
	if g.exits == nil {
		var err error
		if g.exits, err = g.w.exits(); err != nil {
			return err
		}
	}
	if !g.exits.runs(n) {
		return nil
	}
	if c := g.joins(n); c != nil {
		c.nodes = append(c.nodes, n)
		g.of[n] = c
		return nil
	}
	c := &group{nodes: []*graph.Node{n}}
	g.groups = append(g.groups, c)
	g.of[n] = c
	return nil
}

// joins returns the group of all who take n's value; nil if they are of several, or if
// somebody else wants it.
func (g *grouping) joins(n *graph.Node) *group {
	if g.w.Keeps(n) {
		return nil
	}
	var in *group
	for e := range n.Out() {
		c := g.of[e.To.Op]
		if e.IsControl() || c == nil || in != nil && c != in {
			return nil
		}
		in = c
	}
	if in == nil || len(in.nodes) == mostFused || in.nodes[0].OutputTypes()[0] != n.OutputTypes()[0] || !g.w.together(in.nodes[0], n) {
		return nil
	}
	if isRepeated(g.w.Claimed(n.Output(0)), g.w.Claimed(in.nodes[0].Output(0))) {
		return nil
	}
	return in
}

// isRepeated reports whether s, as far as is known, is broadcast to whole: in one pass over
// whole it would be computed again and again.
func isRepeated(s, whole shape.Shape) bool {
	if !whole.Known() {
		return false
	}
	if s.Rank() < whole.Rank() {
		return true
	}
	for i := range whole.Rank() {
		if s.Dim(i) == 1 && whole.Dim(i) != 1 {
			return true
		}
	}
	return false
}

// fuse puts one node in place of a group.
func (w *work) fuse(c *group) error {
	last := c.nodes[0]
	parts := slices.Clone(c.nodes)
	slices.Reverse(parts) // operands come first now
	place := map[*graph.Node]int{}
	for i, n := range parts {
		place[n] = i
	}
	var inputs graph.OutputList
	at := map[graph.Output]int{}
	var after union
	for _, n := range parts {
		for _, from := range n.Inputs() {
			if _, inside := place[from.Op]; inside {
				continue
			}
			if _, known := at[from]; !known {
				at[from] = len(inputs)
				inputs = append(inputs, from)
			}
		}
		after.add(n.Controls())
	}
	var operands []int64
	var ops, names []string
	for _, n := range parts {
		ops, names = append(ops, n.Type()), append(names, n.Name())
		for _, from := range n.Inputs() {
			if i, inside := place[from.Op]; inside {
				operands = append(operands, int64(len(inputs)+i))
			} else {
				operands = append(operands, int64(at[from]))
			}
		}
	}
	spec := graph.OpSpec{
		Type: fusedElementwise, Input: []graph.Input{inputs}, ControlDependencies: after.nodes,
		Attrs: graph.Attrs{"T": last.OutputTypes()[0], "ops": ops, "operands": operands, "nodes": names},
	}
	return w.fused(last, spec)
}
