// Package messages is the engine in which every node of a graph, every frame of a
// loop and every step is a Proto.Actor actor, and tokens are messages. No actor
// reads another's state, and no lock is shared. It is a second implementation of
// what graphs mean, which shares no rule with package nodes, so that each checks
// the other; it is slower.
//
// The behaviour of the actors is in [protocol], which knows no actor library:
// behaviours that take a message and return messages. This package provides the
// rest: spawning, mailboxes, a dispatcher, supervision, kernels.
//
//   - A stage has the actors of one program and runs one step at a time. The
//     step's actor is the parent of all; a node's or a frame's is spawned when the
//     first message for it is sent. Stages are kept for the next step of their program.
//   - All actors of a stage take their turns on one goroutine, that of the engine's
//     caller: a message between them is a store into the stage's queue and a call of
//     Receive, and wakes no goroutine. Steps run side by side, and so do kernels:
//     those that are measured to be worth another core go to the pool, those that
//     may wait are started, and the node is sent a message when its kernel is done.
//   - Notices to frames of their iterations accumulate in the frame's
//     mailbox until its nodes have nothing else to do, or there is much of it.
//   - A kernel that panics is its node's failure. The node's supervisor, the step's
//     actor, fails the step and stops the node, and the stage is not used again.
//   - So it is with an actor that is stopped or poisoned from outside: the step fails with
//     ABORTED and names it, the next one has other actors. All other messages from outside
//     are dropped.
//   - A step ends when its credit has come back (see [protocol]). If a fetch has not
//     come by then it hangs, and asks its nodes what they wait for.
//
// What comes from other goroutines, kernels that are done and the library's own
// messages, goes through the stage's mailbox, the one place where goroutines meet.
package messages
