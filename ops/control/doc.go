// Package control defines the operations of dataflow control flow: Switch and
// Merge, the frame operations Enter, Exit, NextIteration and LoopCond, and
// those that exist for their control edges alone. What they do with a token is
// the step machine's (package nodes); only what is an ordinary computation has
// a kernel here.
//
// Programs import it for its effect, which is to register these operations.
package control
