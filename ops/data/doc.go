// Package data holds the operations on structures that keep tensors within a step
// or between steps: queues, stacks, tensor arrays, staging areas, barriers and
// accumulators.
//
// The operations of the first format of graphs name a structure by a reference to
// a string; the later ones, of which most end in V2 or V3, by a resource.
package data
