// Package kerneltest runs single kernels without a graph, for tests.
//
//	out, err := kerneltest.Run("AddV2", nil, x, y)
//
// Kernels get a context of their own for each run: no memory limit unless one
// is set, blocks run one after another, the seed is 0, and resources last as
// long as the Runner.
package kerneltest
