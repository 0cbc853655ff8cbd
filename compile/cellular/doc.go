// Package cellular runs loops of several steps as one, and calls of recursive functions: it has the
// kernels of batching.Op, which package plan/batching puts in place of a While, and of
// batching.CallOp.
//
//	lane.go      callers that meet with the same invariants: who joins, drives, and leaves
//	kernel.go    of a loop: find the programs for a step's shapes, join a lane
//	stacked.go   its iterations, of all members
//	member.go    one caller: its rows, its kept values, and how it ends
//	trial.go     what it writes to TensorArrays, to be undone
//	stack.go     rows of callers as one tensor
//	calls.go     of calls: find the programs, join a lane
//	agenda.go    calls under way, stage by stage
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
