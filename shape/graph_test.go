package shape_test

import (
	"os"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"

	_ "github.com/troupe-go/troupe/ops/all"
	_ "github.com/troupe-go/troupe/ops/data"
	_ "github.com/troupe-go/troupe/ops/random"
	_ "github.com/troupe-go/troupe/ops/strings"
)

// definitions is TensorFlow's own, by name: the tests do not depend on which
// operations the packages of ops define.
var definitions = sync.OnceValue(func() map[string]*registry.OpDef {
	b, err := os.ReadFile("../registry/testdata/ops.pb")
	if err != nil {
		panic(err)
	}
	list, err := registry.UnmarshalOpList(b)
	if err != nil {
		panic(err)
	}
	defs := map[string]*registry.OpDef{}
	for _, def := range list {
		defs[def.Name] = def
	}
	for _, def := range registry.Global.Defs(true) { // and what TensorFlow does not export
		if defs[def.Name] == nil {
			defs[def.Name] = def
		}
	}
	return defs
})

// A node is a node of a graph, for tests.
type node struct {
	name     string
	def      *registry.OpDef
	attrs    registry.Attrs
	ins, out []tensor.DType
	inputs   []edge
	shapes   []shape.Shape
	handles  [][]shape.HandleData
}

type edge struct {
	from *node
	out  int
}

func (n *node) Name() string                        { return n.name }
func (n *node) Def() *registry.OpDef                { return n.def }
func (n *node) Attrs() registry.Attrs               { return n.attrs }
func (n *node) InputTypes() []tensor.DType          { return n.ins }
func (n *node) OutputTypes() []tensor.DType         { return n.out }
func (n *node) NumInputs() int                      { return len(n.inputs) }
func (n *node) OutputShapes() []shape.Shape         { return n.shapes }
func (n *node) OutputHandles() [][]shape.HandleData { return n.handles }

func (n *node) Producer(i int) (shape.Node, int) {
	if n.inputs[i].from == nil {
		return nil, 0
	}
	return n.inputs[i].from, n.inputs[i].out
}

// newNode makes a node of an operation, with its defaults.
func newNode(op string, attrs registry.Attrs, inputs ...edge) (*node, error) {
	def := definitions()[op]
	r, err := registry.Resolve(def, attrs)
	if err != nil {
		return nil, err
	}
	return &node{name: "n", def: def, attrs: r.Attrs, ins: r.Inputs, out: r.Outputs, inputs: inputs}, nil
}

// infer infers a node and keeps what was found.
func infer(f *shape.Inferrer, n *node) error {
	var err error
	n.shapes, n.handles, err = f.Infer(n)
	return err
}

// add makes and infers a node that is right.
func add(t testing.TB, f *shape.Inferrer, op string, attrs registry.Attrs, inputs ...edge) *node {
	t.Helper()
	n, err := newNode(op, attrs, inputs...)
	if err == nil {
		err = infer(f, n)
	}
	if err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	return n
}

// source returns a node with one output of that type and shape.
func source(dt tensor.DType, s shape.Shape) *node {
	return &node{name: "source", def: &registry.OpDef{Name: "Placeholder"}, out: []tensor.DType{dt}, shapes: []shape.Shape{s}}
}

// constant returns a node that puts out a tensor.
func constant(value *tensor.Tensor) *node {
	n := source(value.DType(), shape.Of(value.Dims()...))
	n.def = &registry.OpDef{Name: "Const"}
	n.attrs = registry.Attrs{{Name: "value", Value: registry.TensorAttr(value)}}
	return n
}
