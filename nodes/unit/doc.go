// Package unit compiles loops, and whole programs, in which nothing can block into
// units: instructions in a fixed order that have the effect of the tokens of package
// nodes without moving any.
//
// Three packages have what a unit is at each stage:
//
//   - form: values and nested blocks of instructions, the passes that decide about
//     them, and a verifier. What is a chain, a band or a pick is decided here.
//   - code: instructions over slots, which are emitted from a form. How a chain, a
//     band or a pick is written down is decided here.
//   - machine: what executes code, on one goroutine at a time.
//
// A [Compiler] of this package puts the first two in a row: it makes the unit of a
// frame with all frames below it, or says why there can be none. Package nodes calls
// it when a program is compiled, and lets a machine run a loop when all its Enters
// have arrived.
//
// # The form
//
// The [form.Form] has values and nested blocks of instructions. Of
// the nodes that only say where values go (Switch, Merge, Enter, Exit,
// NextIteration, LoopCond, Identity) it has kept no instruction but moves. This
// loop adds w to a until a counter has come to a limit:
//
//	program
//		%0 int32 = _arg_limit:0
//		%1 float = _arg_x:0
//		%2 float = Neg(%1)  # w
//		loop L
//			%4 float ← copy %1
//			%5 int32 ← copy 0
//			%6 bool = Less(%5, %0)  # less
//			while move %6
//				%7 float → %4 = AddV2(move %4, %2)  # a1
//				%9 int32 → %5 = AddV2(move %5, 1)  # i1
//				%4 ← move %7
//				%5 ← move %9
//			end
//				drop %5
//		drop %2
//		fetch _retval_a_out:0 = move %4
//
// What it says:
//
//   - A value has a number, a type, and one place where it is made; that of a
//     Merge is made by one of several moves, one on each side.
//   - A loop runs its head (what comes before its test), the test, and as long as
//     that holds its body, after which the variables get their next values all at
//     once; then its tail. What is made in a loop and still there after the tail
//     is there for those around it.
//   - Who uses a value borrows it (%2 in the loop), moves it (move %4: it is given
//     up, and a kernel may write over it), or copies it (copy %1: one more holds
//     it; no element is copied). What is given up unused is dropped.
//   - Calls that are of one chain say so: small kernels on tensors that may be
//     run as one instruction, in buffers of their own, once they are prepared for
//     the shapes that come (form/chain.go).
//   - %7 → %4 is written to the register of %4, which then needs no move.
//
// A form that [form.Form.Verify] accepts gives every value up exactly once on every
// path, uses none that is not there, and writes no register that holds something.
//
// # What does not change
//
// A unit cannot be distinguished from tokens by its values, to the bit, by the error that
// a step fails with, its node and its iteration, by the order of side effects, by
// the account of memory, or by how soon it ends when it is cancelled. Where tokens
// may act in several orders the unit has chosen one.
//
// # What it does not do
//
// It computes nothing ahead and leaves no kernel out: constants are not folded,
// equal computations are made twice, invariants stay in their loop. It knows shapes
// only as they come, and makes no code for them: a chain runs the inner function of
// each kernel, one after another. It takes no frame in which a kernel may wait, a
// Merge that two live inputs could reach, or a loop of which a part may be entered:
// tokens run those, and loops within them may be units still.
// docs/design/2026-11-22-units.md says why it is made so.
package unit
