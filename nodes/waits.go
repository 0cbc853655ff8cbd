package nodes

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Waits reports whether a node's kernel may wait for something outside its step, or cannot be
// made. Where mightWait holds the kernel is asked.
func Waits(n *graph.Node) bool {
	if !mightWait(n) {
		return false
	}
	k, err := makeKernel(n, "CPU", LocalCPU, "", 0)
	return err != nil || mayWait(k)
}

// mightWait reports whether the kernel of a node could be one that waits: those of
// operations that have no state, call no function and take no reference, which might
// be a queue's, and no variant, which might be a dataset, are not, but for those that
// are registered so.
func mightWait(n *graph.Node) bool {
	if n.Def().Stateful || kernel.Waits(n.Type()) {
		return true
	}
	for _, dt := range n.InputTypes() {
		if dt.IsRef() || dt == tensor.Variant {
			return true
		}
	}
	for _, a := range n.Attrs() {
		if k := a.Value.Kind.Elem(); k == registry.KindFunc || a.Value.Kind == registry.KindFunc {
			return true
		}
	}
	return false
}

// mayWait reports whether a kernel may wait for something outside its step.
func mayWait(k kernel.Kernel) bool {
	switch k.(type) {
	case kernel.Async, kernel.Blocking:
		return true
	}
	return false
}
