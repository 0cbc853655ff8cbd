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

// Inspect requests a report from a step or a node. The reply, a *Status or a
// *NodeStatus, goes to the sender.
type Inspect struct {
	Limit int // waiting nodes to name, or iterations of a node; 16 if it is 0
}

// A Status is a step's reply to [Inspect].
type Status struct {
	Step   *actor.PID
	Report status.Report
}

// A NodeStatus is a node's reply to [Inspect].
type NodeStatus struct {
	Node   *actor.PID
	Report nodes.NodeReport
}

// Deliver is a token from outside the step for a node that receives, one whose
// kernel is a [kernel.Receiver]; no other node accepts tokens. It may arrive before
// the node waits for it. For each node and iteration there is one token. The
// reply, a *Delivered, goes to the sender.
type Deliver struct {
	Tag   string       // frame and iteration: "loop[3]"; "" in the root frame
	Value tensor.Value // must not be changed afterwards
	Dead  bool         // there is no value
}

// Delivered is the reply to [Deliver].
type Delivered struct {
	Err error // why the token was refused; nil if it was accepted
}

// Steps requests the running steps from an engine's session actor. The
// reply, a *Running, goes to the sender.
type Steps struct{}

// Running is the reply to [Steps].
type Running struct {
	Steps []*actor.PID
}

// faulted reports to an engine's session actor that a kernel panicked in a step.
type faulted struct {
	step string
	err  error
}
