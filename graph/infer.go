package graph

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// An inference works out the shapes of nodes as they are added, one after
// another.
type inference struct {
	g       *Graph
	ctx     shape.Context
	node_   *Node
	unknown []shape.Shape // all of unknown rank, shared by nodes
	slab    []shape.Shape
}

func (inf *inference) begin(g *Graph) {
	inf.g = g
	inf.ctx.Constant = inf.constant
}

// node sets the shapes of n's outputs, which have not been shown to anybody.
// Shapes
// that the node brought along must agree with those that are inferred. With lenient set, contradictions are passed
// over.
func (inf *inference) node(n *Node, lenient bool) error {
	outputs := len(n.sig.outTypes)
	for len(inf.unknown) < outputs {
		inf.unknown = make([]shape.Shape, max(outputs, 64))
	}
	n.shapes = inf.unknown[:outputs:outputs]
	infer := shape.Lookup(n.sig.op.Name)
	if infer == nil || n.sig.class == ClassCall {
		return nil
	}
	if len(inf.slab) < outputs {
		inf.slab = make([]shape.Shape, max(outputs, 1024))
	}
	c := &inf.ctx
	inf.node_ = n
	c.Node, c.Op, c.Attrs = n.name, n.sig.op, n.sig.attrs
	c.InputTypes, c.OutputTypes = n.sig.inTypes, n.sig.outTypes
	c.Inputs = c.Inputs[:0]
	for _, from := range n.inputs {
		var s shape.Shape
		if from.Op.shapes != nil { // nil: the far end of a back edge
			s = from.Op.shapes[from.Index]
		}
		c.Inputs = append(c.Inputs, s)
	}
	c.Outputs = inf.slab[:outputs:outputs]
	if err := infer(c); err != nil {
		if lenient {
			clear(c.Outputs)
			return nil
		}
		return err
	}
	n.shapes = c.Outputs
	inf.slab = inf.slab[outputs:]
	return nil
}

// constant is the value of input i if it is a constant.
func (inf *inference) constant(i int) *tensor.Tensor {
	from := inf.node_.inputs[i].Op
	if from.sig == nil || from.sig.class != ClassConstant {
		return nil
	}
	if v := from.sig.attrs.Find("value"); v != nil {
		return v.Tensor
	}
	return nil
}
