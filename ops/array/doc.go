// Package array holds the operations that make, inspect, move and rearrange
// tensors without computing with their elements: constants and placeholders,
// shapes, slices, joins, transposes, paddings, gathers and scatters.
//
// Elements of any type are moved alike (package kernel/strided), so most
// kernels are registered for all types. Sizes that an input asks for are
// checked before anything is allocated.
//
// Programs import it for its effect, which is to register these operations.
package array
