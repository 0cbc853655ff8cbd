package conformance

import (
	"github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/graph"
)

// Gradients asks for a backward graph: for the gradients of ys with respect to each
// of xs, which are given by their names.
type Gradients struct {
	Ys     []string `json:"ys"`
	Xs     []string `json:"xs"`
	GradYs []string `json:"grad_ys"`
}

// add builds it.
func (a *Gradients) add(g *graph.Graph) ([]graph.Output, error) {
	if a == nil {
		return nil, nil
	}
	var lists [3][]graph.Output
	for i, names := range [][]string{a.Ys, a.Xs, a.GradYs} {
		for _, name := range names {
			p, err := g.Find(name)
			if err != nil {
				return nil, err
			}
			lists[i] = append(lists[i], p)
		}
	}
	return gradients.Dense(g, lists[0], lists[1], gradients.Options{GradYs: lists[2]})
}
