package sharing

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
)

// A Handing says how much of an input an output is.
type Handing uint8

const (
	// Fresh: the output is made by the operation.
	Fresh Handing = iota
	// Handle: a reference or handle there stands for what the input's stands for. Of
	// other types the output is made by the operation, or a copy.
	Handle
	// Memory: the output is the input, so that what shares a variable's memory goes on
	// sharing it.
	Memory
)

// EveryInput is the input of an output that is one of several, which one only a step knows.
const EveryInput = -1

// HandsOn reports which input an output of an operation forwards, and how. It is the one
// place that knows: what variables share, and what objects operations touch (package
// race), follow from it.
func HandsOn(n *graph.Node, output int) (input int, how Handing) {
	switch n.Class() {
	case graph.ClassMerge:
		if output == 0 {
			return EveryInput, Memory
		}
		return 0, Fresh // the number of the input that it took
	case graph.ClassIdentity, graph.ClassSwitch, graph.ClassEnter, graph.ClassExit, graph.ClassNextIteration:
		return 0, Memory
	}
	if n.Def().Is(registry.Forwards) {
		return 0, Memory
	}
	switch n.Type() {
	case "IdentityN":
		return output, Handle
	case "RefSelect", "Select", "SelectV2":
		return EveryInput, Handle
	}
	// An operation that changes a variable puts the variable out.
	if output < n.NumOutputs() && n.OutputTypes()[output].IsRef() && n.NumInputs() > 0 && n.InputTypes()[0].IsRef() {
		return 0, Handle
	}
	return 0, Fresh
}
