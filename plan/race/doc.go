// Package race finds data races of a graph: operations of a step that access the same
// variable, queue, table or other resource without an order between them.
//
//	races, err := race.Find(ctx, race.Program{Graph: g, Fetches: fetches})
//	for _, r := range races {
//		fmt.Println(r)
//	}
//
// What a graph means is what its edges say: operations between which no path of
// edges leads may run in either order, or at once. If one of two such operations
// changes a variable that the other reads, the result depends on the schedule,
// today's, or that of the machine it will run on. Graphs that Python functions are
// traced into have control edges for this; in graphs of TensorFlow 1 their author
// had to think of them.
//
// # What is an access
//
// Which objects an input may stand for is found by following references and handles
// from the operations that make them through control flow; two operations with one
// shared name make one object. Who computes with what a reference variable shares
// (package sharing) reads it at that moment, and so does who fetches a reference:
// in TensorFlow at any time after its node has run, here when the step has ended.
// What each operation does to the object is in access.go. Two accesses conflict
// unless both read, or both add: sums do not depend on the order, up to rounding. A
// queue orders who puts in and who takes out; two that put in, or two that take
// out, are not ordered by it.
//
// # What is ordered
//
// Access a comes before b if a path of data or control edges leads from a to b.
// Nodes in a loop act once in each iteration. Accesses of one iteration are ordered by
// paths within it; a node is ordered with those of the next iterations, itself
// included, by paths through as many NextIterations. A node outside of a loop comes before
// those within by paths to the first iteration. Bodies that run one after
// another, parallel_iterations being 1, are in order. Two accesses of which a
// condition lets only one run never meet.
//
// # What it does not know
//
// Keys of tables and indices of TensorArrays count as different only if both are
// constants; which handle a list, a variant or a feed holds is not known, and such
// accesses are left out. So are kernels' calls of functions that could not be laid
// out as nodes. A race that is reported may be harmless, if both orders happen to give
// one result; running the graph under several schedules decides that better.
package race
