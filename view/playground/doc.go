// Package playground runs small graphs in text form and returns pages on which the runs are
// played. Compiled to WebAssembly (cmd/playground) it does so in a browser without a server.
//
//	p := playground.Run(ctx, text)
//
// It has what steps need and no more: the sequential engine, the exploration of schedules,
// and the operations of arrays, control flow, functions, mathematics, queues, variables and
// assertions. It opens no files, starts no threads and links no actors.
//
// The text is that of [notation.Format]. Comments say what runs:
//
//	# fetch: y, z:1        tensors that are fetched
//	# target: init         nodes that run
//	# before: init         nodes that run before, in a step of their own
//	# gradients: y by x    adds the gradient of y with respect to x, as node "dx"
//	# seed: 7              the schedule: one of many; without it, first come, first served
//
// Without any of these everything is fetched that no other node takes.
package playground
