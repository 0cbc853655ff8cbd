// Package philox holds the generator of random numbers that operations draw with,
// and the streams of nodes whose draws go on from step to step.
package philox
