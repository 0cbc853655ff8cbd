package graph

import (
	"strconv"

	"github.com/troupe-go/troupe/tensor"
)

// Control is the index that makes an [Output] or a [TensorID] stand for its
// node as a whole: the end of a control edge.
const Control = -1

// An Input is what an [OpSpec] takes for one input argument of an operation:
// an [Output], or an [OutputList] where the argument is a list.
type Input interface {
	isInput()
}

// An Output is one output of a node. It is comparable. The methods of an
// Output without a node panic.
type Output struct {
	Op    *Node
	Index int
}

func (Output) isInput() {}

// An OutputList is the value of a list argument.
type OutputList []Output

func (OutputList) isInput() {}

// node returns the canonical node; it panics readably if there is none.
func (p Output) node() *Node {
	if p.Op == nil {
		panic("graph: the zero Output, which the failure to add an operation leaves, has no properties; see Scope.Err() for details")
	}
	return p.Op.self
}

// Canonical is p with the graph's own node, so that outputs of copies of a
// node compare equal.
func (p Output) Canonical() Output {
	if p.Op != nil {
		p.Op = p.Op.self
	}
	return p
}

// Exists reports whether the node has such an output.
func (p Output) Exists() bool {
	return p.Op != nil && p.Index >= 0 && p.Index < p.Op.NumOutputs()
}

// DataType returns the element type, a reference type where the output is a
// reference; Invalid if the node has no such output.
func (p Output) DataType() tensor.DType {
	n := p.node()
	if !p.Exists() {
		return tensor.Invalid
	}
	return n.sig.outTypes[p.Index]
}

// Shape returns what is known of the shape before the graph runs.
func (p Output) Shape() Shape {
	n := p.node()
	if !p.Exists() {
		return Shape{}
	}
	return shapeOf(n.shapes[p.Index])
}

// Consumers returns the inputs that take this output, in the order they were added.
func (p Output) Consumers() []Consumer {
	var list []Consumer
	for _, u := range p.node().uses() {
		if u.output == p.Index {
			list = append(list, u.by)
		}
	}
	return list
}

// String returns the output as feeds and fetches write it: "name:0".
func (p Output) String() string {
	if p.Op == nil {
		return "<no output>"
	}
	if p.Index == Control {
		return "^" + p.Op.name
	}
	return p.Op.name + ":" + strconv.Itoa(p.Index)
}

// A Consumer is one input of a node.
type Consumer struct {
	Op    *Node
	Index int
}

// DataType returns the type that the input is declared with.
func (c Consumer) DataType() tensor.DType {
	n := Output{Op: c.Op}.node()
	if c.Index < 0 || c.Index >= len(n.sig.inTypes) {
		return tensor.Invalid
	}
	return n.sig.inTypes[c.Index]
}

// Producer returns the output that the input takes; the zero Output if there is no
// such input.
func (c Consumer) Producer() Output {
	n := Output{Op: c.Op}.node()
	if c.Index < 0 || c.Index >= len(n.inputs) {
		return Output{}
	}
	return n.inputs[c.Index]
}
