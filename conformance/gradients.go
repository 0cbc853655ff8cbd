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
	// Order is how often is differentiated, 0 stands for 1: the gradients of order 2
	// are those of the sum of all elements of the gradients of order 1, and come
	// after them.
	Order int `json:"order"`
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
	var all []graph.Output
	ys, xs, weights := lists[0], lists[1], lists[2]
	for range max(1, a.Order) {
		dxs, err := gradients.Dense(g, ys, xs, gradients.Options{GradYs: weights})
		if err != nil {
			return nil, err
		}
		all = append(all, dxs...)
		ys, weights = dxs, nil
	}
	return all, nil
}
