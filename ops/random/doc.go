// Package random holds the operations that draw random numbers.
//
// Those with attributes seed and seed2 go on from draw to draw; with both 0 they
// begin differently in each process. The Stateless ones are functions of their
// inputs. The Stateful ones keep their generator in a variable.
//
// Programs import it for its effect, which is to register these operations.
package random
