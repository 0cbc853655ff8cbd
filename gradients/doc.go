// Package gradients builds backward graphs: the nodes that compute the gradients of
// some tensors of a graph with respect to others.
//
//	dxs, err := gradients.Add(g, []graph.Output{loss}, weights, gradients.Options{})
//
// The gradient of x is that of the sum of all elements of all ys. Only what lies
// between ys and xs is walked, from the ys backwards; how each operation propagates
// gradients is in the operation's own file and registered with package
// graph/gradient. Gradients that reach a tensor from several sides are summed once.
// Backward nodes are named under a prefix: those for node "dense/MatMul" are in
// "gradients/dense/MatMul_grad". A backward graph is nodes like others, and can
// be differentiated again.
//
// Programs that link this package can use [graph.Graph.AddGradients].
//
// A graph is only added to, so the nodes that a failed call added remain, unused.
// Calls for one graph must not run concurrently with each other or with other
// additions to it.
package gradients
