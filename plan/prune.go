package plan

import (
	"cmp"
	"context"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
)

// Prune is the pass that leaves of a program what its fetches and targets need.
var Prune = Pass{Name: "prune", Run: prune}

func prune(ctx context.Context, p *Program) error {
	watch := status.NewWatch(ctx)
	needs, err := graph.NewNeeds(p.Feeds)
	if err != nil {
		return err
	}
	needed := make([]bool, p.Graph.NumNodes())
	count := 0
	err = needs.Walk(watch, p.Fetches, p.Targets, func(n *graph.Node) bool {
		if needed[n.ID()] {
			return false
		}
		needed[n.ID()] = true
		count++
		return true
	}, func(int32) {})
	if err != nil {
		return err
	}
	p.Nodes = make([]*graph.Node, 0, count)
	for id, n := range p.Graph.Nodes()[:len(needed)] {
		if needed[id] {
			p.Nodes = append(p.Nodes, n)
		}
	}
	return nil
}

// has reports whether a node is among nodes, which come by id.
func has(nodes []*graph.Node, n *graph.Node, id int) bool {
	i, ok := slices.BinarySearchFunc(nodes, id, func(m *graph.Node, id int) int { return cmp.Compare(m.ID(), id) })
	return ok && nodes[i] == n
}
