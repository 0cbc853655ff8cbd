// Package actors is the default engine: it runs steps on the caller's goroutine, and
// sessions and devices as supervised actors. It creates the process's one actor system,
// which package messages uses too; no other package imports the library.
//
// [Engine] drives a step on the goroutine of its caller. Tokens between nodes go
// by the direct path of package nodes; expensive kernels and those that wait run
// elsewhere and report to the step's inbox.
//
// An engine's session actor is spawned and supervises its device's actor. Steps
// and nodes have PIDs of the address [Address], with the ids "session/step" and
// "session/step/node", which are resolved when used; messages to them wait
// in the step's mailbox, which its driver reads in order of arrival, before the next
// kernel or while it waits. A PID of a step that has ended, or of a node that its
// program does not have, leads to the dead letters, as does a message that
// is not listed here.
//
//	message       from → to                    order and reply
//	Inspect       any → step                   in order of arrival; a Status to the sender
//	Inspect       any → node                   in order; a NodeStatus to the sender
//	Abort         any → step or node           in order; the step fails with ABORTED
//	Deliver       any → node that receives     in order, once nothing else in the step is ready; a Delivered to the sender
//	actor.Watch   any → step or node           actor.Terminated when the step ends, at once if it has; actor.Unwatch cancels it
//	Steps         any → session actor          by its mailbox; Running to the sender
//	faulted       step → session actor         once, after a kernel's panic ended the step
//
// A node that receives is one whose kernel is a [kernel.Receiver]: it waits for a
// token from outside the step, for each iteration that it acts in. A token may
// come before. Tokens for other nodes, tokens of another type than the node's output, and
// a second token before the first is used are refused; those that remain when
// the step ends are dropped.
//
// A function that calls itself is run as a step of its own, with an address of
// its own, on another goroutine.
//
// Closing an engine waits for its session actor; no step may be running.
package actors
