// Package lower replaces function calls, and conditionals and loops made of functions,
// by the ordinary nodes that engines run.
//
//	l, err := lower.Functions(ctx, g, needed, feeds)
//	out := l.Output(fetch) // where the fetch is now
//
// A call becomes the nodes of the function's body; If and Case become Switch
// and Merge nodes around the bodies of their branches; While becomes a frame of
// Enter, Merge, Switch, NextIteration and Exit nodes. The graph that it is given
// is unchanged.
//
// What is kept of a function's being one operation:
//
//   - It begins when all its inputs and control inputs are there, and is dead
//     as a whole if one of them is.
//   - Its outputs come when its side effects are done: those that the function
//     lists as control outputs, or, if it lists none, all of its stateful nodes.
//   - An iteration of a loop begins when the side effects of the one before are
//     done.
//
// A function that calls itself cannot be laid out so; where it does, the call
// stays a call, which the engine runs as a step within the step.
package lower
