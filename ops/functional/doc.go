// Package functional holds the operations that call functions of the graph's library: calls,
// conditions and loops, and the arguments and results inside a function's body.
//
// A stateless variant promises that its functions have no side effects.
package functional
