package graph_test

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
)

func init() {
	graph.SetNotation(notation.Add, func(g *graph.Graph, o graph.NotationOptions) string {
		return notation.Format(g, notation.Options(o))
	}, notation.DOT)
}
