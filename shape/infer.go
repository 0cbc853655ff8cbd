package shape

import (
	"strings"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Node is what inference looks at of a node in a graph, which package graph
// has. Nodes are compared and used as keys, so a node is a pointer. The
// slices that it returns are not written.
type Node interface {
	Name() string
	Def() *registry.OpDef
	Attrs() registry.Attrs
	InputTypes() []tensor.DType
	OutputTypes() []tensor.DType
	NumInputs() int
	// Producer is the node that input i comes from and the index of its
	// output. It is nil if that node has not been inferred yet: the shape that
	// a back edge brings is unknown.
	Producer(i int) (Node, int)
	// OutputShapes is what [Inferrer.Infer] found for the node.
	OutputShapes() []Shape
	// OutputHandles is the handle data that Infer found, nil for all but a few
	// nodes.
	OutputHandles() [][]HandleData
}

// A Bound node puts out values that are known though its operation does not say
// them: an argument in the body of a function, for which the caller hands over
// a constant.
type Bound interface {
	Node
	// Bound is the value of an output, nil if it is not known.
	Bound(output int) *tensor.Tensor
}

// An Inferrer infers the nodes of one graph, each after those its inputs come
// from. It keeps what it worked out of constants, so a graph whose nodes
// share the arithmetic on their shapes is inferred in linear time. It is not
// safe for concurrent use. The zero Inferrer is ready.
//
// Loops: a Merge is inferred before the NextIteration that it takes. As that
// input's shape is unknown then, so is the Merge's output; and a value that is
// not a loop invariant loses its shape at the Enter, as in TensorFlow, since an
// iteration may change it. So one pass is enough, and what it finds holds in
// every iteration.
type Inferrer struct {
	// Producer is the version of the graph that the nodes are of; 0: the newest.
	Producer int

	ctx   Context
	eval  evaluator
	slab  []Shape // what outputs are cut from
	size  int     // of the slab when it was whole
	ready bool
}

// slabSize is the most shapes that are allocated at a time, and firstSlab how
// many at first: most functions have few nodes.
const (
	slabSize  = 256
	firstSlab = 8
)

// Infer finds the shapes of a node's outputs, and of what is behind those that
// are resources or variants. An operation without a shape function has outputs
// of unknown rank. The error says what is wrong and lists the shapes of the
// inputs; the caller adds the node's name.
func (f *Inferrer) Infer(n Node) ([]Shape, [][]HandleData, error) {
	def := n.Def()
	types := n.OutputTypes()
	outputs := f.shapes(len(types))
	f.eval.credit += creditOfNode
	infer := Lookup(def.Name)
	if infer == nil {
		return outputs, nil, nil
	}

	c := &f.ctx
	if !f.ready {
		c.Constant, c.ConstantShape, c.ConstantPart = f.constant, f.constantShape, f.constantPart
		f.ready = true
	}
	c.Node, c.Op, c.Attrs, c.Producer = n.Name(), def, n.Attrs(), f.Producer
	c.InputTypes, c.OutputTypes = n.InputTypes(), types
	c.Outputs, c.OutputHandles, c.err = outputs, nil, nil
	c.Inputs, c.InputHandles = c.Inputs[:0], c.InputHandles[:0]
	f.eval.node = n
	for i := range n.NumInputs() {
		s, handles := produced(n, i)
		c.Inputs = append(c.Inputs, s)
		if handles != nil {
			for len(c.InputHandles) < i {
				c.InputHandles = append(c.InputHandles, nil)
			}
			c.InputHandles = append(c.InputHandles, handles)
		}
	}

	err := infer(c)
	if err == nil {
		err = c.err
	}
	if err != nil {
		clear(outputs)
		return outputs, nil, withInputs(err, c.Inputs)
	}
	return outputs, c.OutputHandles, nil
}

// Constant returns the value of input i of a node if it can be worked out before the
// graph runs, else nil.
func (f *Inferrer) Constant(n Node, i int) *tensor.Tensor {
	if i < 0 || i >= n.NumInputs() {
		return nil
	}
	f.eval.node = n
	return f.eval.constant(i)
}

// shapes is n shapes of unknown rank.
func (f *Inferrer) shapes(n int) []Shape {
	if n > slabSize/4 {
		return make([]Shape, n)
	}
	if len(f.slab) < n {
		f.size = min(max(2*f.size, firstSlab, 4*n), slabSize)
		f.slab = make([]Shape, f.size)
	}
	s := f.slab[:n:n]
	f.slab = f.slab[n:]
	return s
}

// produced returns what is known of input i of a node.
func produced(n Node, i int) (Shape, []HandleData) {
	from, out := n.Producer(i)
	if from == nil {
		return Shape{}, nil
	}
	var s Shape
	if shapes := from.OutputShapes(); out >= 0 && out < len(shapes) {
		s = shapes[out]
	}
	if handles := from.OutputHandles(); out >= 0 && out < len(handles) {
		return s, handles[out]
	}
	return s, nil
}

// constant and constantShape are what a shape function asks for.
func (f *Inferrer) constant(i int) *tensor.Tensor { return f.eval.constant(i) }

func (f *Inferrer) constantShape(i int) Shape { return f.eval.shape(i) }

func (f *Inferrer) constantPart(i int) (elements []int64, known []bool) { return f.eval.part(i) }

// withInputs adds the inputs' shapes to what a shape function complained of.
func withInputs(err error, inputs []Shape) error {
	const most = 10
	e := *status.From(err)
	var b strings.Builder
	b.WriteString(e.Message)
	for i, s := range inputs[:min(len(inputs), most)] {
		if i == 0 {
			b.WriteString(" with input shapes: ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(s.String())
	}
	if len(inputs) > most {
		b.WriteString(", and more")
	}
	e.Message = b.String()
	return &e
}
