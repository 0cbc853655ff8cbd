package compile

import (
	"context"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/plan/rewrite"
)

// Bisect finds the optional pass that makes a program's result wrong: the first of those of
// spec.Rewrite with which it is. wrong runs a program, and compares what it answers with what
// it should, such as what the sequential engine answers without any pass. The pass is "" where
// the result is wrong without any: then a pass that must run, the layout, a unit or the engine
// is to blame. found is false where it is right with all.
func Bisect(ctx context.Context, g *graph.Graph, spec Spec, wrong func(*nodes.Program) (bool, error)) (pass string, found bool, err error) {
	return spec.Rewrite.Passes.Bisect(func(on rewrite.Passes) (bool, error) {
		of := spec
		of.Rewrite.Passes = on
		p, err := Graph(ctx, g, of)
		if err != nil {
			return false, err
		}
		defer spec.discard(p)
		return wrong(p)
	})
}

// discard gives back what a program takes that is used no more.
func (s *Spec) discard(p *nodes.Program) {
	if s.Functions != nil {
		s.Functions.Discard(p)
	}
}
