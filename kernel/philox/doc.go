// Package philox implements the random number generator of the random operations, and
// the random streams of nodes that continue from step to step.
package philox
