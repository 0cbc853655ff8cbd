// Package actors drives steps for the product. It is the only package that
// knows the actor library.
//
// [Engine] drives a step on the goroutine of its caller. Tokens between nodes go
// by the direct path of package nodes; expensive kernels and those that wait run
// elsewhere and report to the step's inbox. [Messages] plays every node as a
// spawned actor instead and sends every token as a message.
//
// An engine's session actor is spawned and supervises its device's actor. Steps
// and nodes have PIDs of the address [Address], with the ids "session/step" and
// "session/step/node", which are resolved when used; what is sent to them waits
// in the step's mail, which its driver reads in order of arrival, between two
// nodes or while it waits. A PID of a step that has ended leads to the dead
// letters.
//
//	message       from → to                    order and answer
//	Inspect       anybody → step or node       in order of arrival; a Status to the sender
//	Abort         anybody → step or node       in order; the step fails with ABORTED
//	Steps         anybody → session actor      by its mailbox; Running to the sender
//	faulted       step → session actor         once, after a kernel's panic ended the step
//	nodes.Token   node → node (Messages)       in order for each pair of nodes
//
// Closing an engine waits for its session actor; no step may be running.
package actors
