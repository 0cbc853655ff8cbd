// Package sequential runs steps one activation at a time, on the caller's goroutine:
// the reference engine, and engines whose schedule is chosen.
//
// [New] always takes the node that became ready first. [Seeded] lets a seeded
// source choose among all that could happen next, be it that a node acts or
// that a kernel which was started earlier completes: a schedule is a number
// that can be pasted into a test. Asynchronous kernels, which wait for other
// steps, complete when they do, so a seed fixes the schedule of a program
// only as far as it has none of them. A recursive function is run as a step
// within the step, whose nodes are among what could happen next.
package sequential
