// Package region builds loops and conditionals from Enter, Merge, LoopCond, Switch,
// NextIteration and Exit nodes.
//
//	root := region.Root(w)
//	loop, err := root.Loop(region.LoopSpec{Frame: "count", Init: []graph.Output{zero}})
//	less, err := loop.Cond.Add(graph.OpSpec{Type: "Less", Input: []graph.Input{loop.Vars[0], limit}})
//	err = loop.Test(less.Output(0))
//	more, err := loop.Body.Add(graph.OpSpec{Type: "AddV2", Input: []graph.Input{loop.Current[0], one}})
//	results, err := loop.Close([]graph.Output{more.Output(0)})
//
// A [Region] is a part of a graph that runs as a whole or not at all: the graph
// itself, the condition or the body of a [Loop], a branch of a [Choice]. Regions
// nest to any depth. What is added to one may take outputs of those around it:
// they are brought in where they are first used, through all regions between,
// by a constant Enter into a loop and by a Switch into a branch, references as
// references but for a Case, which forwards their values. Each region but
// the root has a pivot, a node that runs, alive, if and only if the region does.
// What waits for nothing else of its region waits for the pivot: else it would
// run without the region, or not in its iteration.
//
// Who builds says through a [Writer] where nodes go and what they are called.
// Builders are op.While, on a scope, plan/lower, on the copy of a graph, package
// gradients and the random programs of conformance/programs. A region serves one
// goroutine. Errors are those of the writer, and INVALID_ARGUMENT for outputs of
// regions that do not enclose the one that uses them.
package region
