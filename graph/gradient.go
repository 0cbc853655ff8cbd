package graph

import (
	"slices"
	"sync"

	"github.com/troupe-go/troupe/status"
)

// A GradientFunc adds to a graph what computes the gradients of a node's
// inputs from those of its outputs. dy has an element for each output; the zero
// Output stands for one that the result does not depend on. It answers an
// element for each input; the zero Output stands for no gradient. Errors go to
// the builder.
type GradientFunc func(b *Builder, n *Node, dy []Output) []Output

var gradients = struct {
	sync.RWMutex
	of map[string]GradientFunc // nil: not differentiable
}{of: map[string]GradientFunc{}}

// RegisterGradient says how operations are differentiated. It panics if that
// has been said of one already.
func RegisterGradient(f GradientFunc, ops ...string) {
	gradients.Lock()
	defer gradients.Unlock()
	for _, op := range ops {
		if _, ok := gradients.of[op]; ok {
			panic("graph: operation " + op + " has two gradients")
		}
		gradients.of[op] = f
	}
}

// RegisterNoGradient says of operations that no gradient flows through them.
func RegisterNoGradient(ops ...string) { RegisterGradient(nil, ops...) }

// LookupGradient finds how an operation is differentiated. The function is nil
// if no gradient flows through it; ok is false if nothing was said of it.
func LookupGradient(op string) (f GradientFunc, ok bool) {
	gradients.RLock()
	defer gradients.RUnlock()
	f, ok = gradients.of[op]
	return f, ok
}

// GradientOps lists the operations that have a gradient function, in
// alphabetical order.
func GradientOps() []string {
	gradients.RLock()
	defer gradients.RUnlock()
	var ops []string
	for op, f := range gradients.of {
		if f != nil {
			ops = append(ops, op)
		}
	}
	slices.Sort(ops)
	return ops
}

// A Differentiator is what [Graph.AddGradients] calls; package gradients has it.
type Differentiator func(g *Graph, prefix string, y, x, dx []Output) ([]Output, error)

var differentiator Differentiator

// RegisterDifferentiator makes [Graph.AddGradients] work. It is for the init
// function of package gradients.
func RegisterDifferentiator(d Differentiator) { differentiator = d }

// AddGradients adds what computes the gradient of the sum of y with respect to
// each of x, dx being the gradients of y, or nil for ones. The nodes are named
// under prefix, which must be new; "" stands for "gradients", made unique. It
// fails with UNIMPLEMENTED in a program that does not link package gradients.
func (g *Graph) AddGradients(prefix string, y []Output, x []Output, dx []Output) ([]Output, error) {
	if differentiator == nil {
		return nil, status.Errorf(status.Unimplemented, "gradients need package gradients, which the program does not import")
	}
	return differentiator(g, prefix, y, x, dx)
}
