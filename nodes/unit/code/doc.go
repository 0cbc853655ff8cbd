// Package code has the code of units: instructions over the slots of a machine, which
// [Emit] writes from a form.
//
//	code.go       the code: instructions and their tables
//	emit.go       writes the code of a form
//	slots.go      where values lie
//	registers.go  where scalars of islands lie
//	moves.go      moves that happen at once
//	pick.go       x[i] as one instruction
//	band.go       calls that may run side by side
//	chain.go      calls that are one instruction once their kernels are prepared
//
// [Verify] executes a form (meaning.go) and its code (execution.go) with symbolic values,
// and compares.
//
// Opcodes of scalars are generated (nodes/unit/gen). print.go prints code.
package code
