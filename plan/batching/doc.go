// Package batching finds loops whose iterations can run for several callers at once, and makes
// the programs that do so.
//
// In a service many callers run one model, each at another iteration of the same loop. Every step
// multiplies its few rows by the same weights. Batched, one product serves all callers, and as
// they are joined by the iteration and not by the request, a caller joins and leaves at any
// iteration (Gao and others, Low Latency RNN Inference with Cellular Batching, EuroSys 2018; Yu
// and others, Orca, OSDI 2022, as iteration-level scheduling).
//
// # Roles
//
// Each value in the loop has a [Role]:
//
//	invariant  the same for all callers: weights, constants, what follows from them
//	row        of one shape in all callers and iterations: the batched program has them
//	           stacked, along a new first dimension
//	kept       everything else, such as the list that a decoder writes its words to
//
// So a counter is a row of its own, and beams of several rows stay together. Kept variables are
// not in the batch. They may depend on rows, but no row and not the condition may depend on them:
// then each caller can compute them afterwards, in its own step.
//
// # Programs
//
// [Loop.Build] makes four programs for arguments of given shapes:
//
//	First  rows, invariants → whether there is an iteration, of callers that join
//	Next   rows, invariants → the next rows, whether there is another iteration,
//	       what the kept variables take of the rows (cuts), and what may fail though
//	       nothing needs it
//	Kept   kept variables, cuts of all iterations, invariants → the last kept variables,
//	       of one caller
//	Whole  the loop as it is, for a caller that goes on alone
//
// rules.go says how each operation is computed on stacked rows. An operation without a rule makes
// what depends on it kept. A loop is worth batching if there is a product of rows and an
// invariant; else, and if its condition depends on a kept value, Build fails and says why.
// branches.go has conditionals: the batch computes all branches and selects for each caller.
//
// # Frames
//
// frame.go makes a condition and a body of a loop of Enter, Merge, Switch, NextIteration and Exit, as
// graphs of TensorFlow 1 have them.
//
// # Calls
//
// A [Recursion] is a function that calls itself, such as one over trees. Calls and conditionals
// divide it, and those that it calls, into stages: [Recursion.Build] makes a program of each stage,
// for the rows of all calls that stand before it. An argument that is passed on in all calls and
// only read element by element is a table, which stays the step's own.
package batching
