// Package train holds the operations that apply a gradient to a variable, by the
// update rules of the usual optimizers.
//
// The formulas name inputs, √, powers and products being element by element.
// Apply operations take references, ResourceApply operations resources; the
// Sparse ones update the rows that their indices name, in order.
//
// Programs import it for its effect, which is to register these operations.
package train
