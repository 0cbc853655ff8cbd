// Package compile makes of a graph, and of what a step is for, a program that engines run.
//
//	p, err := compile.Graph(ctx, g, compile.Spec{Feeds: feeds, Fetches: fetches})
//
// It is where the passes of package plan and the layout of package nodes meet, which do not
// know of each other. The passes, in their order:
//
//	prune   what fetches and targets do not need is left out
//	lower   functions take the place of their calls      where there are calls
//	fold … elementwise   see package plan/rewrite        optional
//	place   nodes are put on devices                     where there are several
//	waits   what may wait for what no edge says          where that matters
//	split   pieces, joined by Sends and Recvs            where several devices are used
//
// [Make] runs the passes alone; [Planned.Layout] and [Planned.Pieces] lay out what they have
// made. Optional passes are switched off by name ([rewrite.Parse]); a program means the same
// without them.
//
// [Functions] compiles the functions that stayed calls, and those that kernels call, when they
// are first called.
package compile
