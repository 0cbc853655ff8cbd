package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/nodes"
)

// Abort asks a step, or the step of a node, to end with an error.
type Abort struct {
	Reason string
}

// Inspect asks a step what it is doing. The answer, a *Status, goes to the
// sender.
type Inspect struct {
	Limit int // waiting nodes to name, 16 if it is 0
}

// A Status answers [Inspect].
type Status struct {
	Step   *actor.PID
	Report nodes.Report
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
