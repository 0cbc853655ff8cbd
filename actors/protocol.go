package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Abort asks a step, or the step of a node, to end with an error.
type Abort struct {
	Reason string
}

// Inspect asks a step or a node what it is doing. The answer, a *Status or a
// *NodeStatus, goes to the sender.
type Inspect struct {
	Limit int // waiting nodes to name, or iterations of a node; 16 if it is 0
}

// A Status is a step's answer to [Inspect].
type Status struct {
	Step   *actor.PID
	Report status.Report
}

// A NodeStatus is a node's answer to [Inspect].
type NodeStatus struct {
	Node   *actor.PID
	Report nodes.NodeReport
}

// Deliver is a token from outside the step for a node that receives, one whose
// kernel is a [kernel.Receiver]; no other node accepts tokens. It may come before
// the node waits for it. For each node and iteration there is one token. The
// answer, a *Delivered, goes to the sender.
type Deliver struct {
	Tag   string       // frame and iteration: "loop[3]"; "" in the root frame
	Value tensor.Value // not to be changed any more
	Dead  bool         // there is no value
}

// Delivered answers [Deliver].
type Delivered struct {
	Err error // why the token was refused; nil if the step has it
}

// Steps asks an engine's session actor for the steps that are running. The
// answer, a *Running, goes to the sender.
type Steps struct{}

// Running answers [Steps].
type Running struct {
	Steps []*actor.PID
}

// faulted tells an engine's session actor that a kernel panicked in a step.
type faulted struct {
	step string
	err  error
}
