// Package reduction holds the operations that combine elements of a tensor: reductions,
// running sums, segments, counts and histograms, order, and products of matrices, with
// Einsum, which are sums.
//
// Programs import it, or all of package math, for its effect, which is to register these
// operations.
package reduction
