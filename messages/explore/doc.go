// Package explore runs a step under every order in which its messages can arrive: a
// model checker for package messages/protocol, with the same actors. What differs from
// the engine is the network: here every message that is on its way may be the next to
// arrive, whichever was sent first, and a kernel that runs may end whenever it likes. So
// what holds here holds on every network that loses nothing.
//
// In each state that can be reached is checked:
//
//   - credit is conserved: of each iteration that is alive, what its frame has
//     issued is what has come back, what messages carry, what nodes hold whose
//     kernels run, and what frames hold that were entered from it; of the step, one unit
//   - nothing carries credit of an iteration that is over, or is sent to a frame that
//     is, but what says nothing
//   - a frame has at most parallel_iterations iterations alive
//   - a node acts at most once in an iteration
//   - the step hears of its end only when nothing with credit is on its way, and no
//     kernel runs
//
// and at the end of each order:
//
//   - the step has heard of its end, or has failed: no credit is lost
//   - if it does not hang, all frames are over, and no node keeps anything for
//     an iteration of a loop
//
// States are identified by a hash of 128 bits of all that actors know and messages
// say, so that a state which several orders lead to is looked at once.
package explore
