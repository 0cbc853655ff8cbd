// Package programs makes random structured programs: assignments, branches and
// loops nested in one another, over int32 scalars. Each can be evaluated as
// ordinary Go would run it, and can be written as a graph of Switch, Merge,
// Enter, Exit, NextIteration and LoopCond nodes the way TensorFlow's first
// front end wrote them. The evaluator shares nothing with the executor, so
// where the two agree the execution rules are right.
package programs
