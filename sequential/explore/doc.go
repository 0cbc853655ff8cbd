// Package explore runs steps under all schedules, or random ones, and compares the
// outcomes.
//
//	result, err := explore.Explore(ctx, &explore.System{Steps: steps}, explore.Options{})
//	if result.All && len(result.Answers) == 1 {
//		// whatever the schedule, this is what comes of it
//	}
//
// An event is that a node acts in an iteration, its kernel included; a schedule is an
// order of events. States are not kept: a schedule is run from the beginning, with
// variables and queues made again, by an engine that asks which event is next (package
// sequential). This is called stateless model checking.
//
// # What is left out
//
// Events that commute need not be run in both orders. Two that a path of edges
// orders are never possible at once. Of others package race reports whether they touch one
// object so that their order matters ([race.Unordered]). An event that is in no such pair
// is independent of all that can happen before it does, so it may happen as soon as it
// can, and no other choice is worth running (a persistent set of one). Among those that
// are left, sleep sets (P. Godefroid, Partial-Order Methods for the Verification of
// Concurrent Systems, 1996) keep one schedule of each class of equivalent ones; others
// are given up when they turn out to be equivalent, and counted as redundant.
//
// A kernel that fails ends the step, and which is the first to fail is part of the
// answer. An event that has once failed therefore counts as one whose order with
// others of the kind matters, and the exploration begins again.
//
// # What it does not know
//
// What two events do to an object is taken to be one thing each, without anything
// between: kernels lock what they touch. What race does not know is not explored:
// handles in lists and variants, what functions do that call themselves (the result
// then says that not all was run), the order in which a random operation draws for
// iterations that run at once. Kernels that end on goroutines of their own may do
// so at different times; a schedule that then goes another way than before ends the
// exploration with an error.
package explore
