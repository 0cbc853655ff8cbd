package nodes

import (
	"context"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A label is what is known of a node of the graph while steps run. It is empty for feeds and
// fetches.
type label struct {
	name     string
	function string // that the node was copied from the body of
	op       *registry.OpDef
	inputs   []tensor.DType // as the operation declares them, reference types included
	outputs  []tensor.DType
}

func labelOf(n *graph.Node) label {
	return label{n.Name(), n.Function(), n.Def(), n.InputTypes(), n.OutputTypes()}
}

// Def returns the definition of a node's operation; nil of a feed or fetch.
func (p *Program) Def(node int) *registry.OpDef { return p.labels[node].op }

// Nodes returns the nodes of the graph, in which functions are laid out, by number; nil for
// feeds and fetches. The program must have them; see [Program.Full].
func (p *Program) Nodes() []*graph.Node {
	p.mustBeFull()
	all := make([]*graph.Node, len(p.nodes))
	for i, n := range p.nodes {
		all[i] = n.def
	}
	return all
}

// release releases the nodes that the program was laid out from. They take as much memory as
// the program, and steps need none of them.
func (p *Program) release() {
	for i := range p.nodes {
		p.nodes[i].def = nil
	}
}

// Full returns the program with the nodes that it was laid out from, for tools that look at
// them: p, or, if p has released them, what is compiled again. That takes as long as when p was
// compiled, and may fail where it did not then, as when memory has run out.
func (p *Program) Full(ctx context.Context) (*Program, error) {
	if p.again == nil {
		return p, nil
	}
	return p.again(ctx)
}

func (p *Program) mustBeFull() {
	if p.again != nil {
		panic("nodes: the program has released its nodes, and Full was not called")
	}
}
