// Package functional holds the operations that call functions of the graph's
// library: calls, conditions and loops, and the arguments and results inside a
// function's body.
//
// A stateless variant promises that its functions have no side effects.
//
// Programs import it for its effect, which is to register these operations.
package functional
