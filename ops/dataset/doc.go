// Package dataset holds the operations on datasets, which are variants that describe a
// sequence of elements, and on their iterators.
//
// Programs import it for its effect, which is to register these operations.
package dataset
