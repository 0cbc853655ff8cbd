package graph

import (
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
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
	op       *registry.OpDef
	attrs    registry.Attrs // given ones, and defaults filled in
	device   string
	inputs   []Output
	controls []*Node
	inTypes  []tensor.DType // as the operation declares them, reference types included
	outTypes []tensor.DType
	shapes   []shape.Shape // of the outputs
}

// An Output is one output of a node. It is comparable.
type Output struct {
	Op    *Node
	Index int
}

// ID numbers the nodes of a graph from 0 in the order they were added.
func (n *Node) ID() int { return n.id }

// Name is unique in the graph.
func (n *Node) Name() string { return n.name }

// Type is the name of the operation.
func (n *Node) Type() string { return n.op.Name }

// Def is the definition of the operation.
func (n *Node) Def() *registry.OpDef { return n.op }

// Attrs is the attributes, with defaults; not to be written.
func (n *Node) Attrs() registry.Attrs { return n.attrs }

// Device is the device that was asked for, perhaps "".
func (n *Node) Device() string { return n.device }

// Inputs is the data inputs by position, not to be written.
func (n *Node) Inputs() []Output { return n.inputs }

// Controls is the nodes this one waits for, not to be written.
func (n *Node) Controls() []*Node { return n.controls }

// InputTypes is the declared types of the inputs, not to be written.
func (n *Node) InputTypes() []tensor.DType { return n.inTypes }

// OutputTypes is the types of the outputs, not to be written.
func (n *Node) OutputTypes() []tensor.DType { return n.outTypes }

// NumInputs is the number of data inputs.
func (n *Node) NumInputs() int { return len(n.inputs) }

// NumOutputs is the number of outputs.
func (n *Node) NumOutputs() int { return len(n.outTypes) }

// Output is output i, which need not exist.
func (n *Node) Output(i int) Output { return Output{n.self, i} }
