// Package partition splits a program with nodes on several devices into one piece per
// device, joined only by _Send and _Recv nodes:
//
//	err := partition.Split(ctx, program, options)
//	pieces, err := partition.Graphs(ctx, program)
//
// It is a function from a graph to a graph: it starts nothing and runs nothing.
//
// # Edges
//
// An edge whose ends are on different devices becomes a Send where the value is made
// and a Recv where it is wanted. All consumers of one output on one device share a
// Recv. A control edge becomes a constant that waits for the source, its Send and
// Recv, and an Identity that the consumers wait for. Data and control are apart. A
// dead token crosses as one. The two ends are matched by a key: the devices, the
// incarnation of the sender, and a name that is the pair's own; what distinguishes
// iterations of a loop is added when they run.
//
// A Send and its Recv stand for an edge, so nodes that are moved for the sake of
// fewer or of possible edges are moved first: an Enter and a NextIteration to who
// takes what they bring, a Switch and an Exit to where their data come from; and a
// small constant is repeated on every device that reads it, and any constant on every
// accelerator, where memory is apart.
//
// # Loops
//
// A Recv within a frame must act once in each of its iterations, though nothing of the
// loop may be on its device but itself. So a device that receives within a frame, or
// sends from within it what nothing there would set off, has a control loop: Enter,
// Merge, Switch and NextIteration of a dummy constant, whose Switch asks the frame's
// LoopCond, by a Recv where that is on another device. All that is received in the
// frame waits for the Merge. The Enter of a nested control loop takes what the Merge of
// the one around it puts out.
//
// # Memory
//
// Where [Options].Copies asks for it, an edge on an accelerator that goes from its
// memory to the host's, or back, gets a _Download or an _Upload, one for all who
// want the copy. What is sent and received is in the host's memory, but for what
// lies in an accelerator's and goes to another: the token is sent, and a _Copy
// behind the Recv, one for all who want it, brings what it carries.
//
// # Late receives
//
// Where [Options].Late asks for it, a Recv waits, by a ControlTrigger, for an
// operation of its device that is estimated to start shortly before the first that
// wants what it receives; within loops, and where [plan.Program].Waits says that nodes
// may wait for what no edge says, for one that all who want it wait for anyhow.
// Edges between pieces stay what they were.
//
// # Side by side
//
// The program then has all pieces side by side, in which a Recv waits for its Send by
// a control edge, so that order can be seen across devices. An engine that runs the
// pieces together may take that edge for the transfer itself.
package partition
