package model

import (
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// Loaders of TensorFlow 2 go by a graph of objects, in the messages SavedObjectGraph
// of the model and TrackableObjectGraph of its checkpoint, whose nodes have the same
// numbers. Node 0 is the model. Its children are variables by their paths, so that
// "layer/w" is model.layer.w; the lists "variables" and "trainable_variables"; and
// "signatures", whose children are functions that are given the variables they read.

const (
	// attribute is what the checkpoint has of a variable, and attributeOf what stands
	// between that and the variable's name.
	attribute, attributeOf = "VARIABLE_VALUE", "/.ATTRIBUTES/"
)

// An object is a node of the object graph.
type object struct {
	children []child // by name
	kind     protowire.Number
	body     []byte    // the message of that kind
	variable *variable // that the object is, or nil
}

type child struct {
	name string
	node int
}

// Fields of SavedObject that say of which kind it is.
const (
	userObject   = 4
	savedVar     = 7
	bareFunction = 8
)

// objects is an object graph that is being made.
type objects struct {
	nodes     []object
	functions []byte // entries of the map concrete_functions
}

// isTracked reports whether the model gets an object graph: its state is in variables
// behind resources alone. Others are loaded by their signatures: references, and tables,
// which are made again by functions of their own, have no object here.
func (m *Export) isTracked(g *graph.Graph) bool {
	if m.Init != nil || len(m.Assets) > 0 {
		return false
	}
	some := false
	for _, n := range g.Nodes() {
		switch {
		case n.Type() == "VarHandleOp":
			some = true
		case makesResource(n):
			return false
		}
	}
	return some
}

// addObjects adds the object graph, and the functions of the signatures.
func (m *Export) addObjects(s *saved) error {
	if !s.tracked {
		return nil
	}
	o := &objects{}
	root := o.add(object{kind: userObject, body: user("_generic_user_object")})
	handles := map[string]int{}
	var all, trainable []int
	for _, v := range s.vars {
		id, err := o.addVariable(s, v)
		if err != nil {
			return err
		}
		handles[v.name] = id
		all = append(all, id)
		if v.trainable() {
			trainable = append(trainable, id)
		}
	}
	signatures := o.add(object{kind: userObject, body: user("signature_map")})
	o.link(root, "signatures", signatures)
	for _, v := range s.vars {
		o.place(root, v.name, handles[v.name])
	}
	for _, list := range []struct {
		name string
		of   []int
	}{{"variables", all}, {"trainable_variables", trainable}} {
		if o.find(root, list.name) >= 0 { // a variable's
			continue
		}
		id := o.add(object{kind: userObject, body: user("trackable_list_wrapper")})
		o.link(root, list.name, id)
		for i, v := range list.of {
			o.link(id, strconv.Itoa(i), v)
		}
	}
	for _, key := range sorted.Keys(m.Signatures) {
		id, err := o.addSignature(s, key, m.Signatures[key], handles)
		if err != nil {
			return err
		}
		o.link(signatures, key, id)
	}
	s.objects = o
	return nil
}

// makesResource reports whether a node makes something that lasts from step to step.
func makesResource(n *graph.Node) bool {
	for i := range n.NumOutputs() {
		if dt := n.Output(i).DataType(); n.Def().Stateful && (dt == tensor.Resource || dt.IsRef()) {
			return true
		}
	}
	return false
}

// trainable reports whether gradients can flow to the variable.
func (v variable) trainable() bool {
	switch v.value.DType() {
	case tensor.Float, tensor.Double, tensor.Half, tensor.Bfloat16, tensor.Complex64, tensor.Complex128:
		return true
	}
	return false
}

func (o *objects) add(x object) int {
	o.nodes = append(o.nodes, x)
	return len(o.nodes) - 1
}

func (o *objects) link(parent int, name string, node int) {
	o.nodes[parent].children = append(o.nodes[parent].children, child{name, node})
}

// find returns the child of that name; -1 if there is none.
func (o *objects) find(parent int, name string) int {
	for _, c := range o.nodes[parent].children {
		if c.name == name {
			return c.node
		}
	}
	return -1
}

// place makes a variable the descendant of the root that its name, a path, says. Where
// the path goes through another variable, or the name is taken, what remains of it is
// one name.
func (o *objects) place(at int, path string, node int) {
	for {
		name, rest, deeper := strings.Cut(path, "/")
		next := o.find(at, name)
		switch {
		case !deeper && next < 0:
			o.link(at, name, node)
			return
		case deeper && next < 0:
			next = o.add(object{kind: userObject, body: user("_generic_user_object")})
			o.link(at, name, next)
		case !deeper || o.nodes[next].kind != userObject || name == "signatures":
			name = strings.ReplaceAll(path, "/", "_")
			for i := 1; o.find(at, name) >= 0; i++ {
				name = fmt.Sprintf("%s_%d", strings.ReplaceAll(path, "/", "_"), i)
			}
			o.link(at, name, node)
			return
		}
		at, path = next, rest
	}
}

// user returns the message SavedUserObject.
func user(identifier string) []byte {
	const name, version = 1, 2
	b := wire.AppendField(nil, name, identifier)
	return wire.AppendField(b, version, wire.AppendNumber(nil, 1, 1)) // a VersionDef
}

// addVariable adds the message SavedVariable.
func (o *objects) addVariable(s *saved, v variable) (int, error) {
	const dtype, shape, trainable, name = 1, 2, 3, 6
	dims := &wire.TensorShapeProto{}
	for _, d := range v.value.Dims() {
		dims.Dim = append(dims.Dim, &wire.TensorShapeProto_Dim{Size: d})
	}
	p, err := proto.Marshal(dims)
	if err != nil {
		return 0, err
	}
	b := wire.AppendNumber(nil, dtype, uint64(v.value.DType()))
	b = wire.AppendField(b, shape, p)
	if v.trainable() {
		b = wire.AppendNumber(b, trainable, 1)
	}
	return o.add(object{kind: savedVar, body: wire.AppendField(b, name, v.name), variable: &v}), nil
}

// addSignature adds a signature as a function of its inputs, by name, and of the
// variables that it needs.
func (o *objects) addSignature(s *saved, key string, sig ExportSignature, handles map[string]int) (int, error) {
	at := func(x graph.Output) graph.Output { return s.graph.Operation(x.Op.Name()).Output(x.Index) }
	inputs, outputs := sorted.Keys(sig.Inputs), sorted.Keys(sig.Outputs)
	spec := graph.FunctionSpec{Name: functionName(s.graph, key), Stateful: true}
	for _, name := range inputs {
		spec.Inputs = append(spec.Inputs, at(sig.Inputs[name]))
	}
	for _, name := range outputs {
		spec.Outputs = append(spec.Outputs, at(sig.Outputs[name]))
	}
	needed, err := s.graph.Subgraph(spec.Inputs, spec.Outputs, nil)
	if err != nil {
		return 0, err
	}
	var bound []byte
	for _, n := range needed {
		if id, ok := handles[n.Name()]; ok {
			spec.Inputs = append(spec.Inputs, n.Output(0))
			bound = protowire.AppendVarint(bound, uint64(id))
		}
	}
	f, err := s.graph.MakeFunction(spec)
	if err != nil {
		return 0, err
	}
	if err := s.graph.AddFunction(f, nil); err != nil {
		return 0, err
	}
	given, err := specs(inputs, sig.Inputs)
	if err != nil {
		return 0, err
	}
	answer, err := specs(outputs, sig.Outputs)
	if err != nil {
		return 0, err
	}
	const (
		boundInputs, inputSignature, outputSignature = 2, 3, 4 // of SavedConcreteFunction
		functionOf, keywords, positional             = 1, 2, 3 // of SavedBareConcreteFunction
	)
	var concrete []byte
	if len(bound) > 0 {
		concrete = wire.AppendField(concrete, boundInputs, bound)
	}
	concrete = wire.AppendField(concrete, inputSignature, tuple(tuple(), given))
	concrete = wire.AppendField(concrete, outputSignature, answer)
	entry := wire.AppendField(nil, 1, spec.Name)
	o.functions = wire.AppendField(o.functions, 2, wire.AppendField(entry, 2, concrete))

	b := wire.AppendField(nil, functionOf, spec.Name)
	for _, name := range inputs {
		b = wire.AppendField(b, keywords, name)
	}
	if len(inputs) == 1 { // may be given without its name
		b = wire.AppendNumber(b, positional, 1)
	}
	return o.add(object{kind: bareFunction, body: b}), nil
}

// functionName returns a name for the function of a signature, which no other has.
func functionName(g *graph.Graph, key string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, key)
	for i := 0; ; i++ {
		name := fmt.Sprintf("__inference_signature_wrapper_%s_%d", clean, i)
		if g.Function(name) == nil {
			return name
		}
	}
}

// Fields of the message StructuredValue.
const (
	specValue, tupleValue, dictValue = 33, 52, 53
)

// tuple returns the message StructuredValue of a tuple.
func tuple(values ...[]byte) []byte {
	var b []byte
	for _, v := range values {
		b = wire.AppendField(b, 1, v)
	}
	return wire.AppendField(nil, tupleValue, b)
}

// specs returns the message StructuredValue of a dictionary of TensorSpecs.
func specs(names []string, of map[string]graph.Output) ([]byte, error) {
	const specName, specShape, specType = 1, 2, 3
	var fields []byte
	for _, name := range names {
		shape, err := proto.Marshal(shapeProto(of[name].Shape()))
		if err != nil {
			return nil, err
		}
		spec := wire.AppendField(nil, specName, name)
		spec = wire.AppendField(spec, specShape, shape)
		spec = wire.AppendNumber(spec, specType, uint64(of[name].DataType().Base()))
		entry := wire.AppendField(nil, 1, name)
		fields = wire.AppendField(fields, 1, wire.AppendField(entry, 2, wire.AppendField(nil, specValue, spec)))
	}
	return wire.AppendField(nil, dictValue, fields), nil
}

// references appends references to the children of a node, as both messages have them.
func (x *object) references(b []byte) []byte {
	const children, nodeID, localName = 1, 1, 2
	for _, c := range x.children {
		ref := wire.AppendNumber(nil, nodeID, uint64(c.node))
		b = wire.AppendField(b, children, wire.AppendField(ref, localName, c.name))
	}
	return b
}

// marshal returns the message SavedObjectGraph.
func (o *objects) marshal() []byte {
	var b []byte
	for i := range o.nodes {
		x := &o.nodes[i]
		b = wire.AppendField(b, 1, wire.AppendField(x.references(nil), x.kind, x.body))
	}
	return append(b, o.functions...)
}

// checkpoint returns the message TrackableObjectGraph.
func (o *objects) checkpoint() []byte {
	const attributes, name, fullName, key = 2, 1, 2, 3
	var b []byte
	for i := range o.nodes {
		x := &o.nodes[i]
		m := x.references(nil)
		if x.variable != nil {
			a := wire.AppendField(nil, name, attribute)
			a = wire.AppendField(a, fullName, x.variable.name)
			m = wire.AppendField(m, attributes, wire.AppendField(a, key, x.variable.key))
		}
		b = wire.AppendField(b, 1, m)
	}
	return b
}
