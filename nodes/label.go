package nodes

import (
	"weak"

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
// feeds and fetches. If the program has released them it is compiled again.
func (p *Program) Nodes() []*graph.Node {
	all := make([]*graph.Node, len(p.nodes))
	for i, n := range p.full().nodes {
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

// full returns the program with its nodes: p, or, if p has released them, what is compiled
// again.
func (p *Program) full() *Program {
	if p.again == nil {
		return p
	}
	p.gone.Lock()
	defer p.gone.Unlock()
	if made := p.made.Value(); made != nil {
		return made
	}
	made, err := p.again()
	if err != nil { // it was compiled before
		panic("nodes: a program does not compile again: " + err.Error())
	}
	p.made = weak.Make(made)
	return made
}
