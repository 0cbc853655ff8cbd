package graph

import (
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Node is an operation in a graph. Nodes are made by a [Graph] and live as
// long as anybody holds them; their methods are safe to call from any goroutine
// once the node is in the graph.
type Node struct {
	self     *Node // the canonical node, of which Operations hands out copies
	graph    *Graph
	id       int
	name     string
	device   string
	sig      *signature
	inputs   []Output
	controls []*Node
	shapes   []shape.Shape // of the outputs
	handles  [][]shape.HandleData
	function string // see Function
}

// ID numbers the nodes of a graph from 0 in the order they were added.
func (n *Node) ID() int { return n.id }

// Name is unique in the graph.
func (n *Node) Name() string { return n.name }

// Function returns the name of the function that the node was copied from the body of, the
// innermost if several lie within each other; "" if there is none.
func (n *Node) Function() string { return n.function }

// Type returns the name of the operation.
func (n *Node) Type() string { return n.sig.op.Name }

// Class reports what the operation means to the executor.
func (n *Node) Class() Class { return n.sig.class }

// Def returns the definition of the operation.
func (n *Node) Def() *registry.OpDef { return n.sig.op }

// Attrs returns the attributes, with defaults; not to be written.
func (n *Node) Attrs() registry.Attrs { return n.sig.attrs }

// Device returns the device that was asked for, perhaps "".
func (n *Node) Device() string { return n.device }

// Graph returns the graph that the node belongs to.
func (n *Node) Graph() *Graph { return n.graph }

// Inputs returns the data inputs by position, not to be written.
func (n *Node) Inputs() []Output { return n.self.inputs }

// Controls returns the nodes this one waits for, each once, not to be written.
func (n *Node) Controls() []*Node { return n.controls }

// InputTypes returns the declared types of the inputs, not to be written.
func (n *Node) InputTypes() []tensor.DType { return n.sig.inTypes }

// OutputTypes returns the types of the outputs, not to be written.
func (n *Node) OutputTypes() []tensor.DType { return n.sig.outTypes }

// NumInputs returns the number of data inputs.
func (n *Node) NumInputs() int { return len(n.self.inputs) }

// NumOutputs returns the number of outputs.
func (n *Node) NumOutputs() int { return len(n.sig.outTypes) }

// Output is output i, which need not exist; of no node at all, the zero Output.
func (n *Node) Output(i int) Output {
	if n == nil {
		return Output{}
	}
	return Output{n.self, i}
}

// OutputListSize returns the number of tensors of an output by its name in the
// definition. It fails with INVALID_ARGUMENT if the operation has no such
// output.
func (n *Node) OutputListSize(output string) (int, error) {
	start, stop, ok := registry.ArgRange(n.sig.op.Outputs, n.sig.attrs, output)
	if !ok {
		return 0, status.Invalid("node %q: operation %s has no output named %q", n.name, n.Type(), output)
	}
	return stop - start, nil
}

// String returns the node in one line, as the text form of a graph has it.
func (n *Node) String() string {
	return string(LineFormat{MaxElements: maxLineElements}.AppendNode(nil, n))
}
