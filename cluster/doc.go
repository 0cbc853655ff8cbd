// Package cluster runs graphs over several processes. A [Worker] is a task of a job: nodes whose
// device is "/job:NAME/task:N" run on it, and variables, queues and tables placed there belong
// to it. A session whose target is
//
//	troupe://HOST:PORT,HOST:PORT
//
// divides each of its programs among these workers. Programs import the package for such
// targets; `troupe worker` is a worker as a command.
//
// # Layers
//
//	actors/remote      packets and buffers between processes: Proto.Actor's remote and gRPC
//	cluster            the shell: it drives the cores, compiles, runs, encodes
//	cluster/protocol   the cores: what a packet, a beat or a result leads to
//
// The shell gives the cores one event at a time, and does what they ask for in order, on the
// goroutine of the event. Large tensors do not go through the cores: a message has a
// description and a ticket, by which the receiver fetches the buffers when it needs them, into
// the memory of the tensor.
//
// # Failure
//
// A worker that dies, hangs, is restarted or is cut off ends the steps that need it with
// UNAVAILABLE or ABORTED and its name, within the bound of all processes. The session registers
// its programs again with the next step. Variables of a worker that was restarted have no
// value; the error of reading one says so.
//
// # What is missing
//
// Accelerators on workers, and workers that come when a session is open: [Discovery] finds those
// that are there. See docs/gaps.md.
package cluster
