package nodes

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/status"
)

// Check reports why no program can hold the node: it has no kernel, or a kernel
// that refuses its attributes. It is the error that [Compile] fails with.
func Check(n *graph.Node) error {
	switch kind.Of(n.Type()) {
	case kind.Const:
		_, err := constant(n, n.Attrs().Find("value").Tensor)
		return err
	case kind.Kernel:
		if _, err := makeKernel(n, "CPU", LocalCPU, "", 0); err != nil {
			return locate(err, n, LocalCPU)
		}
	}
	return nil
}

// locate reports where an error of a kernel's construction comes from.
func locate(err error, n *graph.Node, device string) error {
	e := *status.From(err)
	if e.Node == "" {
		e.Node, e.Op, e.Device = n.Name(), n.Type(), device
	}
	return &e
}
