// Package cellular runs loops of several steps as one: it has the kernel of batching.Op, which
// package plan/batching puts in place of a While.
//
//	kernel.go    what a step does: find the programs for its shapes, join a lane
//	lane.go      the callers that are in one loop with the same invariants, iteration by iteration
//	member.go    one caller: its rows, its kept values, and how it ends
//	stack.go     rows of callers as one tensor
//
// A lane has no goroutine. The first caller drives it on the goroutine of its kernel: it runs
// iterations of all members until its own is done, and then hands the lane to another. Callers
// that arrive join before the next iteration; nobody waits for company. A caller leaves after the
// iteration in which its condition fails, when its context ends, or when the batch fails: then
// each member goes on alone with the rows that it has, and the error of one is not that of
// another.
//
// What a caller keeps outside of the batch, such as the list that it writes, it computes in its own
// step, with its own context, after it has left: the lane logs what each iteration has for it.
// Batches run in a step of their own, within the session's memory limit, that ends when all members
// have gone.
package cellular
