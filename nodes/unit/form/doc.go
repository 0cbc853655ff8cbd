// Package form has the form of units: values, and nested blocks of instructions that
// make and use them; the passes that build it from a [Flow] and improve it; and
// [Form.Verify], which checks it. Package nodes/unit describes the form.
//
// In the order in which they act:
//
//	flow.go        the input: the nodes of a program in their frames
//	analysis.go    under which condition each node is live, and whose value it forwards
//	condition.go   conditions: conjunctions of what predicates are, interned
//	schedule.go    an order of nodes that keeps those under one condition together
//	build.go       the form (form.go), without lifetimes
//	pick.go        which slices are x[i]
//	band.go        which calls are brought together to run side by side
//	chain.go       which calls follow each other, and are one instruction if their
//	               kernels can be prepared
//	lifetimes.go   which use moves a value and which borrows it; drops; which values
//	               share a register
//	verify.go      checks of the result, which share nothing with the passes
//	scalars.go     islands: where values are certainly scalars if some others are
//
// credit.go bounds the work of all passes. passes.go names those that can be switched
// off, and what emission does that can be. print.go prints forms.
package form
