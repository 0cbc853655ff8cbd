// Package plan holds a program while it is compiled, and runs passes over it.
//
//	stats, err := plan.Run(ctx, p, []plan.Pass{plan.Prune, lower.Pass, …}, plan.Options{})
//
// A [Program] is what a step needs of a graph, what it is for, and what passes have found out:
// where nodes run, how it was split, what may wait. A [Pass] changes it in one way. Passes
// know of each other only what stands in the program.
//
//	package         passes
//	plan            prune
//	plan/lower      lower: functions in the place of their calls
//	plan/rewrite    fold, branches, arithmetic, algebra, hoist, common, transposes, batchnorm,
//	                pads, epilogue, updates, elementwise, winograd
//	plan/placement  place
//	plan/partition  split
//
// Package plan/race finds operations that touch one object in no order. Package compile
// lists the passes of a program and has it laid out.
//
// # Two kinds of passes
//
// A program must be pruned, lowered, placed and split to be run. All other passes only make
// it faster. They are switched off by name, and given up as a whole where one fails. They
// edit one copy of the program's nodes, an [Edit], which becomes a graph once they are
// through, and is dropped where they have changed nothing.
//
// No pass numbers nodes: a program has them by id, and package nodes numbers what is left
// at the end.
//
// # Looking at passes
//
// [Options].After is shown the program after each pass; `troupe show MODEL --passes all` prints
// it. [Program.Verify] says what is wrong with one; with [Options].Verify or the build tag
// invariants it is asked after every pass. [Bisect] finds the pass that makes a result wrong.
package plan
