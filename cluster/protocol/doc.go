// Package protocol is the protocol between the processes of a cluster, as values without
// goroutine, clock or network: a [Master] has sessions and their steps, a [Worker] runs
// parts of steps, a [Link] connects two processes. Each has methods that take one message
// and append what it sends to an [Outbox]. A shell owns these values and moves the
// messages: package cluster/simulation does so over a simulated network, from a seed.
//
// # Parts
//
// The names are those of TensorFlow's distributed runtime:
//
//	[Incarnation]  one life of a process; a restarted process has another one
//	[GraphMgr]     the parts of graphs that are registered with a worker, by handle
//	[Rendezvous]   where tensors of one step wait for their consumers, or consumers for them
//
// # Messages
//
//	verb         from → to          meaning
//	Register     master → worker    a part of a graph, by handle, and the workers it exchanges tensors with
//	Registered   worker → master    the part is compiled and its links are open, or the reason why not, or no longer
//	Deregister   master → worker    release the handle
//	Execute      master → worker    run the part of that handle for a step
//	Executed     worker → master    the part has ended: its fetches, or its error
//	Abort        master → worker    end the step
//	CloseSession master → worker    end the session's steps and release its handles
//	Tensor       worker → worker    a tensor of a step, by key; between master and worker in steps that are fed and fetched while they run
//	Offer        worker → worker    a tensor waits for credit
//	Want         worker → worker    a consumer waits for an offered tensor: send it without credit
//	Credit       worker → worker    that many bytes have been consumed or dropped
//
// # Links
//
// The network may lose, delay, duplicate and reorder packets, and deliver what was sent
// to a dead process to a new one at its address. A link delivers each message of a
// [Conn] once and in order, by numbers, acknowledgements and retransmission, or reports
// that the connection is lost. A connection is named by both incarnations and by a
// number of each, so that no packet of another one is taken for its own. Beats, which
// every open link sends in each period of the shell's timer, are the only failure
// detector: a link on which nothing was heard, or nothing acknowledged, for
// [Config].Patience beats is lost.
//
// # Failure
//
// A step is a set of parts. It succeeds when all have ended without an error, and is
// reported once. If one fails, or a link to a worker that runs one is lost, the master
// aborts the others and reports the first error when they have ended or after
// [Config].Patience beats. A lost link ends what was done for the process at its other
// end: the master's registrations with the worker; a worker's sessions and steps of the
// master; the steps that exchange tensors over a link between workers. Registrations
// are made again when the next step needs them.
package protocol
