package graph

import (
	"bytes"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

// Shapes go through calls as in TensorFlow: the body is inferred with what is
// known of the arguments, constants included, unless the node has the attribute
// _disable_call_shape_inference. What a body makes of arguments is kept, so
// that ten thousand calls alike cost one inference, and so does each function of
// a chain of ten thousand. A function that calls itself with arguments of the
// same shapes, without end, has unknown results. [inference] follows calls.

const disableInference = "_disable_call_shape_inference"

const (
	// maxOpen is how many calls of one body, with arguments of different shapes,
	// are followed within one another.
	maxOpen = 16
	// maxConstantDepth is how deep within one another calls may be whose arguments
	// are looked for as constants. To those further in they are unknown.
	maxConstantDepth = 256
	// creditOfLibrary and creditOfCall are how many nodes of bodies may be
	// inferred for a library, and for each call in its graph besides. Each body
	// that there is may be inferred again than that. A few functions that
	// call each other can ask for any number.
	creditOfLibrary = 1 << 20
	creditOfCall    = 1 << 8
	// maxKept and maxVariants are how many results are kept of a body: for
	// arguments of different shapes, and for constants among those of the
	// same shapes.
	maxKept     = 1024
	maxVariants = 16
	// maxCompared is the size of the largest constants that are compared.
	maxCompared = 1024
)

// inferredCallee returns the function whose body says what the node puts out; nil if
// the node is no call, or one that says itself what it puts out.
func (n *Node) inferredCallee() *registry.Func {
	f := n.Callee()
	if f == nil {
		return nil
	}
	if v := n.sig.attrs.Find(disableInference); v != nil && v.B {
		return nil
	}
	return f
}

// A call is one call to be inferred.
type call struct {
	node     shape.Node
	inferrer *shape.Inferrer // of the graph or body that the node is in
	library  *library
	in       *activation // whose body the node is in; nil in the graph itself
}

// unknown returns what is known of the outputs of a call with unknown results.
func (c *call) unknown() []shape.Shape { return make([]shape.Shape, len(c.node.OutputTypes())) }

// An inferredCall is what is known of the results for some arguments. asked are
// the constants that it depends on, in the order in which they were asked for:
// a call for which they are the same has the same results.
type inferredCall struct {
	asked   []askedConstant
	results []shape.Shape
	handles [][]shape.HandleData
	err     error
	levels  int // how many bodies within one another the error came through
}

// An askedConstant is the value of an argument; nil if it is not known.
type askedConstant struct {
	arg   int
	value *tensor.Tensor
}

// inferredCalls is what has been inferred of calls of one body.
type inferredCalls struct {
	mu      sync.Mutex
	byShape map[string][]*inferredCall
}

// grant adds to the credit of a library.
func (l *library) grant(nodes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.granted += nodes
}

// pay takes from the credit, if that is not used up.
func (l *library) pay(nodes int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spent > creditOfLibrary+l.granted {
		return false
	}
	l.spent += 1 + nodes
	return true
}

// find returns the result that was kept for the arguments of an activation, nil if
// there is none.
func (s *inferredCalls) find(key string, a *activation) *inferredCall {
	s.mu.Lock()
	list := s.byShape[key]
	s.mu.Unlock()
	for _, r := range list {
		if !slices.ContainsFunc(r.asked, func(q askedConstant) bool { return !sameConstant(a.constant(q.arg), q.value) }) {
			return r
		}
	}
	return nil
}

// keep keeps a result, unless there are many already.
func (s *inferredCalls) keep(key string, r *inferredCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.byShape[key]
	if len(list) == maxVariants || len(s.byShape) == maxKept && list == nil {
		return
	}
	if s.byShape == nil {
		s.byShape = map[string][]*inferredCall{}
	}
	s.byShape[key] = append(list[:len(list):len(list)], r)
}

// sameConstant reports whether two tensors, or two nils, are surely equal.
func sameConstant(a, b *tensor.Tensor) bool {
	switch {
	case a == b:
		return true
	case a == nil || b == nil || a.DType() != b.DType() || !slices.Equal(a.Dims(), b.Dims()) || a.NumElements() > maxCompared:
		return false
	}
	x, err := tensorproto.Marshal(a)
	if err != nil {
		return false
	}
	y, err := tensorproto.Marshal(b)
	return err == nil && bytes.Equal(x, y)
}

// countError returns the error of a call that passes too few arguments or takes too
// few results.
func countError(what string, index, n int) error {
	return status.Errorf(status.Internal, "Function instantiation included invalid %s index: %d not in [0, %d).", what, index, n)
}
