package graph

import (
	"strings"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// An activation is the inference of a body for given arguments. It leaves the
// nodes of the body as they are and keeps what it finds itself.
type activation struct {
	body     *Body
	call     *call // nil for a body on its own
	args     []shape.Shape
	held     [][]shape.HandleData // what is behind the arguments
	nodes    []activeNode         // by id
	inferrer shape.Inferrer
	asked    []askedConstant
	askedAt  []int32 // by argument: which of asked, plus 1
	shapes   string  // the key of args and held
	next     int     // the first node that is not inferred
	depth    int     // how many activations it is in
	failed   answer  // the error at the node next
	cut      bool    // less was found than there is to know
}

// An activeNode is a node of the body, as package shape sees it.
type activeNode struct {
	*Node
	in      *activation
	shapes  []shape.Shape
	handles [][]shape.HandleData
	done    bool
}

// Producer is nil for an output that is yet to be inferred.
func (n *activeNode) Producer(i int) (shape.Node, int) {
	from := n.Node.self.inputs[i]
	p := &n.in.nodes[from.Op.id]
	if !p.done {
		return nil, 0
	}
	return p, from.Index
}

func (n *activeNode) OutputShapes() []shape.Shape         { return n.shapes }
func (n *activeNode) OutputHandles() [][]shape.HandleData { return n.handles }

// Bound returns the constant that the caller passes, if the node is an argument.
func (n *activeNode) Bound(int) *tensor.Tensor {
	if n.sig.class != ClassArg {
		return nil
	}
	return n.in.constant(int(n.position()))
}

// newActivation returns the body with the arguments of a call.
func newActivation(body *Body, c *call) *activation {
	a := &activation{body: body, call: c}
	if c.in != nil {
		a.depth = c.in.depth + 1
	}
	for i := range c.node.NumInputs() {
		var s shape.Shape
		var handles []shape.HandleData
		if from, out := c.node.Producer(i); from != nil {
			if shapes := from.OutputShapes(); out < len(shapes) {
				s = shapes[out]
			}
			if h := from.OutputHandles(); out < len(h) {
				handles = h[out]
			}
		}
		a.args = append(a.args, s)
		a.held = append(a.held, handles)
	}
	return a
}

// checkCounts reports whether the call passes all arguments and takes all results.
func (a *activation) checkCounts() error {
	if n := a.call.node.NumInputs(); n < len(a.body.Args) {
		return countError("input", n, n)
	}
	if n := len(a.call.node.OutputTypes()); n < len(a.body.Results) {
		return countError("output", n, n)
	}
	return nil
}

// key returns the same for arguments of which the same is known, constants aside.
func (a *activation) key() string {
	var b strings.Builder
	for i, s := range a.args[:len(a.body.Args)] {
		b.WriteString(s.String())
		for _, h := range a.held[i] {
			b.WriteString("{" + h.Type.String() + h.Shape.String() + "}")
		}
	}
	return b.String()
}

// constant returns the value of an argument, if it is known.
func (a *activation) constant(arg int) *tensor.Tensor {
	if a.call == nil {
		return nil
	}
	if a.askedAt == nil {
		a.askedAt = make([]int32, len(a.args))
	}
	if k := a.askedAt[arg]; k > 0 {
		return a.asked[k-1].value
	}
	var t *tensor.Tensor
	if a.depth < maxConstantDepth {
		t = a.call.inferrer.Constant(a.call.node, arg)
	}
	if t != nil && t.DType() != a.body.Args[arg].sig.outTypes[0].Base() {
		t = nil
	}
	a.asked = append(a.asked, askedConstant{arg, t})
	a.askedAt[arg] = int32(len(a.asked))
	return t
}

// infer returns what is known of the outputs of a node that is no call.
func (a *activation) infer(n *activeNode) answer {
	if n.sig.class != ClassArg {
		shapes, handles, err := a.inferrer.Infer(n)
		return answer{shapes: shapes, handles: handles, err: err}
	}
	at := n.position()
	found := answer{shapes: a.args[at : at+1 : at+1]}
	if held := a.held[at]; held != nil {
		found.handles = [][]shape.HandleData{held}
	}
	return found
}

// results returns what the body returns.
func (a *activation) results() ([]shape.Shape, [][]shape.HandleData) {
	results := make([]shape.Shape, len(a.body.Results))
	var handles [][]shape.HandleData
	for i, n := range a.body.Results {
		from, out := a.nodes[n.id].Producer(0)
		if from == nil {
			continue
		}
		if shapes := from.OutputShapes(); out < len(shapes) {
			results[i] = shapes[out]
		}
		if h := from.OutputHandles(); out < len(h) && h[out] != nil {
			if handles == nil {
				handles = make([][]shape.HandleData, len(results))
			}
			handles[i] = h[out]
		}
	}
	return results, handles
}

// Inferred is what is known of the outputs of a body's nodes for some arguments.
type Inferred struct{ nodes []activeNode }

// Infer determines what is known of the outputs of all nodes, through calls of
// other functions, when arguments of these shapes are passed. A nil list stands
// for what the arguments are declared with. It fails with INVALID_ARGUMENT if
// shapes contradict one another.
func (b *Body) Infer(args []shape.Shape) (*Inferred, error) {
	a := &activation{body: b, args: make([]shape.Shape, len(b.Args)), held: make([][]shape.HandleData, len(b.Args))}
	for i, n := range b.Args {
		if args == nil {
			a.args[i] = n.shapes[0]
			if len(n.handles) > 0 {
				a.held[i] = n.handles[0]
			}
		} else if i < len(args) {
			a.args[i] = args[i]
		}
	}
	a.shapes = a.key()
	i := inference{allowance: b.Graph.lib()}
	if r := i.run(a); r.err != nil {
		return nil, r.err
	}
	return &Inferred{a.nodes}, nil
}

// Shapes returns what is known of a node's outputs, not to be written.
func (f *Inferred) Shapes(n *Node) []shape.Shape { return f.nodes[n.id].shapes }

// Handles returns what is known of the tensors behind a node's outputs that are
// resources or variants, not to be written; see [Node.OutputHandles].
func (f *Inferred) Handles(n *Node) [][]shape.HandleData { return f.nodes[n.id].handles }
