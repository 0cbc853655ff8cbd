package lower

import (
	"context"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan"
)

// Pass is the pass that puts the bodies of functions in place of what calls them.
var Pass = pass(Functions)

// PassOf is Pass for a program that is the body of a function, which runs entirely or as
// [Effects] has it.
func PassOf(entirely bool) plan.Pass {
	return pass(func(ctx context.Context, g *graph.Graph, need []*graph.Node, feeds []graph.Output) (*Graph, error) {
		return Body(ctx, g, need, feeds, entirely)
	})
}

// Keeping is Pass but for nodes that stay.
func Keeping(stays func(*graph.Node) bool) plan.Pass {
	return pass(func(ctx context.Context, g *graph.Graph, need []*graph.Node, feeds []graph.Output) (*Graph, error) {
		return functions(ctx, g, need, feeds, nil, stays)
	})
}

func pass(lower func(context.Context, *graph.Graph, []*graph.Node, []graph.Output) (*Graph, error)) plan.Pass {
	return plan.Pass{
		Name: "lower",
		When: func(p *plan.Program) bool { return slices.ContainsFunc(p.Nodes, Lowers) },
		Run: func(ctx context.Context, p *plan.Program) error {
			l, err := lower(ctx, p.Graph, p.Nodes, p.Feeds)
			if err != nil {
				return err
			}
			targets, err := l.Targets(p.Fetches, p.Targets)
			if err != nil {
				return err
			}
			fetches := make([]graph.Output, len(p.Fetches))
			for i, f := range p.Fetches {
				fetches[i] = l.Output(f)
			}
			p.Graph, p.Feeds, p.Fetches, p.Targets = l.Graph, l.Feeds, fetches, targets
			return plan.Prune.Run(ctx, p)
		},
	}
}
