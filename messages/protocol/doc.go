// Package protocol is the message protocol of package messages: how the nodes of a
// graph, the frames of its loops and a step run a program with messages and private
// state only.
//
// An actor here is a value with a method that takes one message and appends what
// it sends to an [Outbox]. It starts nothing, waits for nothing, reads no clock and
// looks into no other actor. Package messages lets actors of Proto.Actor own these
// values; package messages/explore delivers the same messages in every order.
//
//	[Node]   a node of the program; its state by [Tag], what it does in the file of its kind
//	[Frame]  one entry of a loop: iterations, constants, dead exits
//	[Step]   what was fetched, and whether anything can still happen
//
// # Messages
//
//	verb     from → to                   what it says
//	Arrive   node or frame → node        a token, along an edge
//	Retire   frame → node                an iteration is over: forget what has come for it
//	Enter    Enter node → frame below    a value, or death, comes into the frame
//	Iterate  NextIteration → its frame   a value for the next iteration
//	Leave    Exit → its frame            a value for the iteration around the frame
//	Notice   node → its frame            credit comes back; the node has begun to wait, has acted, or is a dead Exit
//	Notice   frame → frame around it     credit comes back; a frame waits, or no longer does
//	Notice   root frame → step           the same
//	Fetched  node → step                 what a fetch is, and credit to be passed on
//
// No order is required of the network, not even between two actors: each message
// comes once, some time.
//
// # Termination
//
// Nobody sees all of a step, so its end is found by the recovery of credit
// (F. Mattern, Global quiescence detection based on credit distribution and
// recovery, Information Processing Letters 30, 1989). See [Credit] and [Purse].
// Each iteration is a computation of its own, whose frame hands credit out and
// gets it back; a frame in its turn holds credit of the iteration that it was
// entered from, as long as anything goes on in it. That is why all that goes into a
// frame, out of it, and from one iteration to the next, goes by the frame: it
// takes credit of one iteration and gives credit of another.
//
//   - Conservation: for each iteration, what its frame has issued is what lies in
//     the frame's purse, in messages on their way, and with nodes whose kernels run.
//   - So if the purse is full again, no message of the iteration is on its way, and
//     no node of it runs: nothing can happen in it but what comes from outside, from
//     the iteration before or from Enters.
//   - An iteration is over when its purse is full, no frame entered from it lives, the
//     iteration before it is over, and, for the first, all Enters have come: then
//     nothing can come from outside either. A frame is over when its iterations are.
//   - A frame in which all purses are full but which waits for Enters gives the
//     credit of the iteration around it back, and reports that it is suspended. So
//     the step's credit comes back also when nothing can happen any more though
//     not all has ended; the root frame is suspended then, and the step hangs.
package protocol
