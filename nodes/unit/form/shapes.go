package form

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// A shapes infers the shapes of a flow's outputs again: with the variables that bodies of
// functions are given, and with first dimensions of feeds that are not known taken as 1,
// which says most of what there is to know of a model.
type shapes struct {
	flow     *Flow
	inferrer shape.Inferrer
	nodes    []*shapedNode // by node; nil: not inferred yet
	oneRow   bool
}

func newShapes(f *Flow) *shapes { return &shapes{flow: f, nodes: make([]*shapedNode, len(f.Nodes))} }

// A shapedNode is a node as package shape looks at it.
type shapedNode struct {
	*graph.Node
	in      *shapes
	number  int32
	shapes  []shape.Shape
	handles [][]shape.HandleData
}

// of returns the shape of what a source puts out.
func (s *shapes) of(src Source) shape.Shape {
	n, port := s.producer(src)
	if n == nil || port < 0 || port >= len(n.shapes) {
		return shape.Shape{}
	}
	return n.shapes[port]
}

// producer returns the node behind a source, inferred, and its output; nil on a way back.
func (s *shapes) producer(src Source) (*shapedNode, int) {
	n := &s.flow.Nodes[src.Node]
	if n.Kind == kind.Arg {
		o := s.flow.Feeds[n.Aux]
		return s.fed(src.Node, o), o.Index
	}
	return s.node(src.Node), int(src.Port)
}

func (s *shapes) fed(number int32, o graph.Output) *shapedNode {
	if s.nodes[number] == nil {
		all := slices.Clone(o.Op.OutputShapes())
		if f := all[o.Index]; f.Known() && f.Rank() > 0 && f.Dim(0) < 0 {
			all[o.Index], s.oneRow = f.ReplaceDim(0, 1), true
		}
		s.nodes[number] = &shapedNode{Node: o.Op, in: s, number: number, shapes: all, handles: o.Op.OutputHandles()}
	}
	return s.nodes[number]
}

func (s *shapes) node(number int32) *shapedNode {
	if n := s.nodes[number]; n != nil {
		if n.shapes == nil {
			return nil // it is being inferred
		}
		return n
	}
	n := &shapedNode{Node: s.flow.Nodes[number].Def, in: s, number: number}
	s.nodes[number] = n
	for _, src := range s.flow.data(number) { // before the inferrer, which is for one at a time
		s.producer(src)
	}
	found, handles, err := s.inferrer.Infer(n)
	if err != nil {
		found, handles = n.Node.OutputShapes(), n.Node.OutputHandles()
	}
	known := slices.Clone(n.Node.OutputShapes())
	for i, f := range found {
		if i < len(known) {
			if both, err := shape.Merge(f, known[i]); err == nil {
				known[i] = both
			}
		}
	}
	n.shapes, n.handles = known, handles
	return n
}

// Producer returns the node that input i comes from and its output.
func (n *shapedNode) Producer(i int) (shape.Node, int) {
	in := n.in.flow.In[n.number]
	if n.in.flow.Nodes[n.number].Kind == kind.Arg || i >= len(in) || in[i].Port < 0 {
		return nil, 0
	}
	from, port := n.in.producer(in[i])
	if from == nil {
		return nil, 0
	}
	return from, port
}

// OutputShapes returns what was found.
func (n *shapedNode) OutputShapes() []shape.Shape { return n.shapes }

// OutputHandles returns what was found.
func (n *shapedNode) OutputHandles() [][]shape.HandleData { return n.handles }

var _ shape.Node = (*shapedNode)(nil)

// bytesOf returns what elements of a shape take in an arena; 0 for a scalar.
func bytesOf(dt tensor.DType, s shape.Shape) (bytes int64, known bool) {
	if !s.Known() || slices.ContainsFunc(s.Dims(), func(d int64) bool { return d < 0 }) {
		return 0, false
	}
	if s.Rank() == 0 {
		return 0, true
	}
	n, err := tensor.NumElements(dt, s.Dims())
	return int64(n) * int64(dt.Size()), err == nil
}
