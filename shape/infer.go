package shape

import (
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A Node is what inference looks at of a node in a graph, which package graph
// has. Its slices are not written.
type Node interface {
	Name() string
	Def() *registry.OpDef
	Attrs() registry.Attrs
	InputTypes() []tensor.DType
	OutputTypes() []tensor.DType
	NumInputs() int
	// Producer is the node that input i comes from and the index of its
	// output. It is nil if that node is not there yet: the shape that a back
	// edge brings is unknown.
	Producer(i int) (Node, int)
	// OutputShapes is what inference found for the node; empty before.
	OutputShapes() []Shape
	// OutputHandles is the handle data that inference found, nil for all but
	// a few nodes.
	OutputHandles() [][]HandleData
}
