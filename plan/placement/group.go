package placement

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/sharing"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A group is nodes that are on one device: a tree, whose root knows.
type group struct {
	of     *group // nil: the root
	rank   int
	first  *graph.Node // for messages
	asks   devices.Spec
	types  []string // that have kernels for all its nodes; nil: all
	chosen int      // -1: not yet
	alone  bool     // one node
}

func (g *group) root() *group {
	for g.of != nil {
		if g.of.of != nil {
			g.of = g.of.of
		}
		g = g.of
	}
	return g
}

// join makes two groups one, which asks for what is given.
func join(a, b *group, asks devices.Spec) {
	if a.rank < b.rank {
		a, b = b, a
	}
	if a.rank == b.rank {
		a.rank++
	}
	b.of, a.asks, a.alone = a, asks, false
	switch {
	case a.types == nil:
		a.types = b.types
	case b.types != nil:
		if both := slices.DeleteFunc(slices.Clone(a.types), func(t string) bool { return !slices.Contains(b.types, t) }); len(both) > 0 {
			a.types = both
		} else {
			a.types = []string{"CPU"}
		}
	}
}

// request makes a group of each node, which asks for what the node does.
func (w *placer) request(nodes []*graph.Node) error {
	slab := make([]group, len(nodes))
	parsed := map[string]devices.Spec{"": w.Unasked}
	for i, n := range nodes {
		if err := w.watch.Steps(2); err != nil {
			return err
		}
		asks, ok := parsed[n.Device()]
		if !ok {
			var err error
			if asks, err = devices.Parse(n.Device()); err != nil {
				return err
			}
			parsed[n.Device()] = asks
		}
		slab[i] = group{first: n, asks: asks, types: w.supported(n), chosen: -1, alone: true}
		w.groups[n.ID()] = &slab[i]
	}
	for _, n := range nodes {
		for _, from := range n.Inputs() {
			if id := from.Op.ID(); id < len(w.readers) {
				w.readers[id] = append(w.readers[id], n)
			}
		}
	}
	return nil
}

// colocate joins the groups of nodes that belong together.
func (w *placer) colocate(nodes []*graph.Node) error {
	if len(w.types) > 1 || w.apart() {
		w.colocateVariables(nodes)
		w.colocateShared(nodes)
	}
	for _, n := range nodes { // by id: what a variable asks for comes to all who use it
		if err := w.watch.Steps(1 + n.NumInputs()); err != nil {
			return err
		}
		for k, from := range n.Inputs() {
			if from.Op.ID() >= len(w.groups) || w.groups[from.Op.ID()] == nil || !binds(n, k) {
				continue
			}
			a, b := w.groups[from.Op.ID()].root(), w.groups[n.ID()].root()
			if a != b {
				join(a, b, a.asks.OrElse(b.asks))
			}
		}
	}
	named := map[string]*group{}
	for _, n := range nodes {
		named["loc:@"+n.Name()] = w.groups[n.ID()]
	}
	for _, n := range nodes {
		if err := w.watch.Step(); err != nil {
			return err
		}
		class := n.Attrs().Find("_class")
		if class == nil {
			continue
		}
		for i := range class.List {
			name := class.List[i].S
			if !strings.HasPrefix(name, "loc:@") {
				continue
			}
			other := named[name]
			if other == nil { // of nodes that are not needed: the group is there all the same
				named[name] = w.groups[n.ID()]
				continue
			}
			a, b := other.root(), w.groups[n.ID()].root()
			if a == b {
				continue
			}
			asks, err := b.asks.Merge(a.asks, !w.Strict)
			if err != nil && !w.Strict { // of other jobs
				asks, err = a.asks.OrElse(b.asks), nil
			}
			if err != nil {
				return &status.Error{Code: status.InvalidArgument, Node: n.Name(), Op: n.Type(), Message: "Cannot colocate nodes {{colocation_node " + n.Name() +
					"}} and {{colocation_node " + a.first.Name() + "}}: " + status.From(err).Message}
			}
			join(a, b, asks)
		}
	}
	return nil
}

// apart reports whether the devices are those of several processes.
func (w *placer) apart() bool {
	for _, d := range w.Devices {
		if d.Spec.Process() != w.Devices[0].Spec.Process() {
			return true
		}
	}
	return false
}

// pin chooses the devices of groups of which a node has been placed before, the first
// decides.
func (w *placer) pin(nodes []*graph.Node) {
	for _, n := range nodes {
		if d, ok := w.Pinned[n.Name()]; ok {
			if g := w.groups[n.ID()].root(); g.chosen < 0 {
				g.chosen, g.alone = d, false
			}
		}
	}
}

// colocateVariables joins the handles of one variable, whose value is in the memory of one
// device or process; the first says which. On the CPUs of one process it does not matter.
func (w *placer) colocateVariables(nodes []*graph.Node) {
	type variable struct{ container, name string }
	first := map[variable]*group{}
	for _, n := range nodes {
		if n.Type() != "VarHandleOp" {
			continue
		}
		var v variable
		if a := n.Attrs().Find("container"); a != nil {
			v.container = a.S
		}
		if a := n.Attrs().Find("shared_name"); a != nil {
			v.name = a.S
		}
		if v.name == "" {
			v.name = n.Name()
		}
		b := w.groups[n.ID()]
		if a := first[v]; a == nil {
			first[v] = b
		} else if a, b = a.root(), b.root(); a != b {
			join(a, b, a.asks.OrElse(b.asks))
		}
	}
}

// colocateShared joins what forwards the memory of a reference variable with the variable: an
// accelerator would be given a copy, which no update changes.
func (w *placer) colocateShared(nodes []*graph.Node) {
	shared := sharing.Of(nodes, len(w.groups), func(o graph.Output) bool {
		return o.Op.ID() >= len(w.groups) || w.groups[o.Op.ID()] == nil
	})
	if shared == nil {
		return
	}
	for _, n := range nodes {
		if n.NumOutputs() == 0 || !shared.Could(n.Output(0)) {
			continue
		}
		for _, from := range n.Inputs() {
			if id := from.Op.ID(); id < len(w.groups) && w.groups[id] != nil && (from.DataType().IsRef() || shared.Could(from)) {
				if a, b := w.groups[id].root(), w.groups[n.ID()].root(); a != b {
					join(a, b, a.asks.OrElse(b.asks))
				}
			}
		}
	}
}

// binds reports whether what comes to input k of a node has to be on its device.
func binds(n *graph.Node, k int) bool {
	want := n.InputTypes()[k]
	switch {
	case want == tensor.Resource || want.IsRef():
		return true
	case want == tensor.Variant:
		return strings.Contains(n.Type(), "Dataset") && strings.Contains(n.Inputs()[k].Op.Type(), "Dataset")
	}
	return false
}
