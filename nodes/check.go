package nodes

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/lower"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/status"
)

// Plays says whether the step machine plays an operation itself, so that it
// needs no kernel.
func Plays(op string) bool { return !kind.Of(op).Runs() || lower.Plays(op) }

// Check says why no program can hold the node: it has no kernel, or a kernel
// that refuses its attributes. It is the error that [Compile] fails with.
func Check(n *graph.Node) error {
	if lower.Lowers(n) {
		return nil
	}
	switch kind.Of(n.Type()) {
	case kind.Const:
		_, err := constant(n, n.Attrs().Find("value").Tensor)
		return err
	case kind.Kernel:
		if _, err := makeKernel(n, "CPU", localCPU, "", 0); err != nil {
			return locate(err, n, localCPU)
		}
	}
	return nil
}

// locate says where an error of a kernel's construction comes from.
func locate(err error, n *graph.Node, device string) error {
	e := *status.From(err)
	if e.Node == "" {
		e.Node, e.Op, e.Device = n.Name(), n.Type(), device
	}
	return &e
}
