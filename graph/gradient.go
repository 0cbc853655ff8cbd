package graph

import (
	"context"

	"github.com/troupe-go/troupe/status"
)

// A Differentiator is what [Graph.AddGradients] calls; package gradients has it.
type Differentiator func(ctx context.Context, g *Graph, prefix string, y, x, dx []Output) ([]Output, error)

var differentiator Differentiator

// RegisterDifferentiator makes [Graph.AddGradients] work. It is for the init
// function of package gradients.
func RegisterDifferentiator(d Differentiator) { differentiator = d }

// AddGradients adds what computes the gradient of the sum of y with respect to
// each of x, dx being the gradients of y, or nil for ones. The nodes are named
// under prefix, which must be new; "" stands for "gradients", made unique.
//
// A gradient has the type and shape of its x, and is zeros where y does not depend
// on x or x has a type that has no gradients. It fails with NOT_FOUND if an
// operation between them has no registered gradient. Package gradients can do more. In a program that does not link it the error is
// UNIMPLEMENTED.
func (g *Graph) AddGradients(prefix string, y []Output, x []Output, dx []Output) ([]Output, error) {
	return g.AddGradientsContext(context.Background(), prefix, y, x, dx)
}

// AddGradientsContext is [Graph.AddGradients] until ctx ends. What it had added by then
// stays, and nothing needs it.
func (g *Graph) AddGradientsContext(ctx context.Context, prefix string, y []Output, x []Output, dx []Output) ([]Output, error) {
	if differentiator == nil {
		return nil, status.Errorf(status.Unimplemented, "gradients need package gradients, which the program does not import")
	}
	return differentiator(ctx, g, prefix, y, x, dx)
}
