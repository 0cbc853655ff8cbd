package graph

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

// infer sets the shapes of n's outputs, before anybody else sees the node. With
// lenient set, a contradiction leaves them unknown. The end of what is watched is an
// error all the same.
func (n *Node) infer(inferrer *shape.Inferrer, lenient bool, watch *status.Watch) error {
	if n.graph.bare {
		n.shapes = unknownShapes(len(n.sig.outTypes))
		return nil
	}
	shapes, handles, err := n.inferred(inferrer, watch)
	if err == nil {
		err = n.agree(shapes)
	}
	if err != nil {
		if err := watch.Ask(); err != nil {
			return err
		}
		if !lenient {
			return err
		}
		clear(shapes)
		handles = nil
	}
	n.shapes, n.handles = shapes, handles
	return nil
}

// inferred returns what is known of n's outputs: of those of a call, what the body of
// the function makes of the arguments, else what the shape function says.
func (n *Node) inferred(inferrer *shape.Inferrer, watch *status.Watch) ([]shape.Shape, [][]shape.HandleData, error) {
	if f := n.inferredCallee(); f != nil && n.graph.blind {
		return make([]shape.Shape, len(n.sig.outTypes)), nil, nil
	} else if f != nil {
		i := inference{allowance: n.graph.library, watch: watch}
		a := i.outermost(&call{node: n, inferrer: inferrer, library: n.graph.library}, f)
		return a.shapes, a.handles, a.err
	}
	return inferrer.Infer(n)
}

// inferAlone is infer for a node of a function's body that is being built: a
// call has unknown results, as what it calls may need the body itself, and nothing
// is refused before a call says what the arguments are.
func (n *Node) inferAlone(inferrer *shape.Inferrer) {
	shapes, handles, err := inferrer.Infer(n)
	if err != nil {
		clear(shapes)
		handles = nil
	}
	n.shapes, n.handles = shapes, handles
}

// agree narrows shapes by those that the node brought along.
func (n *Node) agree(shapes []shape.Shape) error {
	declared := n.sig.declared
	if declared == nil {
		return nil
	}
	if len(declared) < len(shapes) {
		return status.Invalid("Node '%s' has %d outputs but the %s attribute specifies shapes for %d outputs",
			n.name, len(shapes), outputShapes, len(declared))
	}
	for i := range shapes { // TensorFlow lets there be more
		s, err := shape.Merge(shapes[i], shape.FromAttr(declared[i].Shape))
		if err != nil {
			return status.Invalid("Node '%s' has an %s attribute inconsistent with the GraphDef for output #%d: %s",
				n.name, outputShapes, i, status.From(err).Message)
		}
		shapes[i] = s
	}
	return nil
}

// Producer returns the node and the output that input i comes from, as package shape
// asks for it: nil if that node is yet to be built, at the far end of a back edge.
func (n *Node) Producer(i int) (shape.Node, int) {
	from := n.self.inputs[i]
	if from.Op.sig == nil {
		return nil, 0
	}
	return from.Op, from.Index
}

// OutputShapes returns what is known of the outputs' shapes, not to be written.
func (n *Node) OutputShapes() []shape.Shape { return n.self.shapes }

// OutputHandles returns what is known of the tensors behind outputs that are
// resources or variants, by output; not to be written.
func (n *Node) OutputHandles() [][]shape.HandleData { return n.self.handles }
