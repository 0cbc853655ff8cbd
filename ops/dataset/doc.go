// Package dataset holds the operations on datasets, which are variants that describe
// a sequence of elements, and on the iterators that go through one.
package dataset
