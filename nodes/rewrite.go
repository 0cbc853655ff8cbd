package nodes

import (
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/rewrite"
)

// rewrite lets the passes at a program whose functions are lowered, and prunes what
// they make of it. It answers what the program is for in the graph that makes.
func (c *compiler) rewrite(g *graph.Graph, spec Spec, o rewrite.Options) (Spec, error) {
	nodes := g.Nodes()
	need := make([]*graph.Node, 0, len(c.p.nodes))
	for id, number := range c.number {
		if number != 0 {
			need = append(need, nodes[id])
		}
	}
	o.Device = c.p.devices[0]
	from := rewrite.Program{Graph: g, Nodes: need, Feeds: spec.Feeds, Fetches: spec.Fetches, Targets: spec.Targets}
	to, stats, err := rewrite.Run(c.ctx, from, o)
	if err != nil {
		return spec, err
	}
	c.p.rewritten, c.p.graph = stats, from
	if to == nil {
		return spec, nil
	}
	c.p.graph = *to
	spec.Feeds, spec.Fetches, spec.Targets = to.Feeds, to.Fetches, to.Targets
	c.number, c.fed, c.p.nodes = make([]int32, to.Graph.NumNodes()), nil, nil
	return spec, c.prune(spec)
}

// Rewritten is what the passes did to the program, in their order.
func (p *Program) Rewritten() []rewrite.Stat { return p.rewritten }

// Text is the program as it was laid out, one node a line; "" if no passes were let
// at it.
func (p *Program) Text() string {
	var b strings.Builder
	for _, n := range p.graph.Nodes {
		b.WriteString(n.String())
		b.WriteByte('\n')
	}
	return b.String()
}
