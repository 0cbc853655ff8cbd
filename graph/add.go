package graph

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// An OpSpec is an operation to be added to a graph.
type OpSpec struct {
	// Type is the name of an operation or of a function of the graph.
	Type string
	// Name is the node's name, which must be new in the graph; it defaults to Type. As in
	// TensorFlow it may have characters that are invalid in a GraphDef, such as spaces
	// (see [ValidName]), but then the serialized graph cannot be imported.
	Name string
	// Input is one value for each input argument of the definition: an
	// OutputList where the argument is a list, else an Output.
	Input []Input
	// Attrs is attributes by name: string, int64, float32, bool, tensor.DType,
	// *tensor.Tensor, Shape, a slice of one of these, *registry.Func or
	// registry.AttrValue. Those that follow from the inputs (types, lengths of
	// lists) and those with a default may be left out.
	Attrs map[string]any
	// ControlDependencies is nodes that must have run before.
	ControlDependencies []*Node
	// Device is where the operation ought to run, in full or in part.
	Device string
}

// AddOperation adds a node. It checks all that import checks, and adds nothing
// if it fails.
func (g *Graph) AddOperation(args OpSpec) (*Node, error) {
	if args.Name == "" {
		args.Name = args.Type
	}
	if !looseName(args.Name) {
		return nil, invalidName(args.Name)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	device, err := g.internDevice(args.Device)
	if err != nil {
		return nil, outline.NodeError(err, args.Name, args.Type)
	}
	if _, ok := g.byName[args.Name]; ok {
		return nil, status.Invalid("Duplicate node name in graph: '%s'", args.Name)
	}
	n := &Node{graph: g, id: len(g.nodes), name: args.Name, device: device}
	n.self = n
	if err := n.fill(args); err != nil {
		return nil, outline.NodeError(err, args.Name, args.Type)
	}
	if err := n.infer(&g.inferrer, g.draft, nil); err != nil {
		return nil, outline.NodeError(err, args.Name, args.Type)
	}
	g.add(n)
	return n, nil
}

// fill sets a node's signature and edges.
func (n *Node) fill(args OpSpec) error {
	op, call, err := n.graph.library.Lookup(args.Type)
	if err != nil {
		return err
	}
	sig := &signature{op: op, class: ClassOf(op.Name)}
	if call {
		sig.class = ClassCall
	}
	if err := registry.CheckDeprecation(op, n.graph.versions.Producer); err != nil {
		return err
	}
	attrs, err := attrsOf(args.Attrs)
	if err != nil {
		return err
	}
	inputs, err := n.collect(args.Input)
	if err != nil {
		return err
	}
	r, err := registry.Infer(op, attrs, inputs)
	if err != nil {
		return err
	}
	sig.attrs, sig.inTypes, sig.outTypes = r.Attrs, r.Inputs, r.Outputs
	if _, err := n.connect(sig); err != nil {
		return err
	}
	for _, c := range args.ControlDependencies {
		if c == nil || c.graph != n.graph {
			return status.Invalid("a control dependency is not a node of this graph")
		}
	}
	n.controls = addControls(nil, args.ControlDependencies)
	return nil
}

// collect flattens a node's inputs and says their types.
func (n *Node) collect(inputs []Input) ([]registry.Input, error) {
	types := make([]registry.Input, len(inputs))
	for i, in := range inputs {
		var list OutputList
		switch in := in.(type) {
		case Output:
			list = OutputList{in}
		case OutputList:
			list = in
			types[i].List = true
		default:
			return nil, status.Invalid("input %d is nil", i)
		}
		for _, from := range list {
			from = from.Canonical()
			if from.Op == nil || from.Op.graph != n.graph {
				return nil, status.Invalid("input %d is not an output of a node of this graph", i)
			}
			if !from.Exists() {
				return nil, noOutputError(from)
			}
			types[i].Types = append(types[i].Types, from.Op.sig.outTypes[from.Index])
			n.inputs = append(n.inputs, from)
		}
	}
	return types, nil
}

// Attr returns an attribute's value: a string, int64, float32, bool, tensor.DType,
// *tensor.Tensor, Shape or a slice of one of these, nil for an empty list. It
// fails with INVALID_ARGUMENT if the node has no such attribute and with
// UNIMPLEMENTED for functions, which [Node.Attrs] shows.
func (n *Node) Attr(name string) (any, error) {
	v := n.sig.attrs.Find(name)
	if v == nil {
		return nil, status.Invalid("Operation '%s' has no attr named '%s'.", n.name, name)
	}
	if err := v.Err(); err != nil {
		return nil, status.Within(err, "attr '%s' of node '%s'", name, n.name)
	}
	kind := v.Kind
	if def := n.sig.op.Attr(name); def != nil && len(v.List) == 0 {
		kind = def.Kind // an empty list does not know its elements
	}
	if value := goValue(kind, v); value != nil {
		return value, nil
	}
	return nil, status.Errorf(status.Unimplemented, "attr '%s' of node '%s' is of type %v, for which there is no Go value", name, n.name, kind)
}

// attrsOf returns the attributes that Go values stand for, sorted by name.
func attrsOf(values map[string]any) (registry.Attrs, error) {
	attrs := make(registry.Attrs, 0, len(values)+2)
	for name, value := range values {
		v, err := attrOf(value)
		if err != nil {
			return nil, status.Within(err, "attr '%s'", name)
		}
		attrs = append(attrs, registry.NamedAttr{Name: name, Value: v})
	}
	sorted.By(attrs, func(a, b registry.NamedAttr) int { return strings.Compare(a.Name, b.Name) })
	return attrs, nil
}

func attrOf(value any) (registry.AttrValue, error) {
	switch x := value.(type) {
	case string:
		return registry.StringAttr(x), nil
	case []string:
		return listAttr(registry.KindString, x, registry.StringAttr), nil
	case int64:
		return registry.IntAttr(x), nil
	case []int64:
		return listAttr(registry.KindInt, x, registry.IntAttr), nil
	case float32:
		return registry.FloatAttr(x), nil
	case []float32:
		return listAttr(registry.KindFloat, x, registry.FloatAttr), nil
	case bool:
		return registry.BoolAttr(x), nil
	case []bool:
		return listAttr(registry.KindBool, x, registry.BoolAttr), nil
	case tensor.DType:
		return registry.TypeAttr(x), nil
	case []tensor.DType:
		return listAttr(registry.KindType, x, registry.TypeAttr), nil
	case *tensor.Tensor:
		if x == nil {
			return registry.AttrValue{}, status.Invalid("the tensor is nil")
		}
		return registry.TensorAttr(x), nil
	case []*tensor.Tensor:
		if slices.Contains(x, nil) {
			return registry.AttrValue{}, status.Invalid("one of the tensors is nil")
		}
		return listAttr(registry.KindTensor, x, registry.TensorAttr), nil
	case Shape:
		return shapeAttr(x), nil
	case []Shape:
		return listAttr(registry.KindShape, x, shapeAttr), nil
	case *registry.Func:
		return registry.FuncAttr(x), nil
	case []*registry.Func:
		return listAttr(registry.KindFunc, x, registry.FuncAttr), nil
	case registry.AttrValue:
		return x, nil
	}
	return registry.AttrValue{}, status.Invalid("values of type %T cannot be attributes", value)
}

func listAttr[T any](elem registry.AttrKind, values []T, of func(T) registry.AttrValue) registry.AttrValue {
	list := make([]registry.AttrValue, len(values))
	for i, v := range values {
		list[i] = of(v)
	}
	return registry.ListAttr(elem, list...)
}

func shapeAttr(s Shape) registry.AttrValue {
	return registry.ShapeAttr(registry.Shape{Unknown: s.dims == nil, Dims: s.dims})
}

// goValue returns the inverse of attrOf; nil if there is no Go value.
func goValue(kind registry.AttrKind, v *registry.AttrValue) any {
	switch kind {
	case registry.KindString:
		return v.S
	case registry.KindInt:
		return v.I
	case registry.KindFloat:
		return v.F
	case registry.KindBool:
		return v.B
	case registry.KindType:
		return v.Type
	case registry.KindShape:
		return attrShape(v)
	case registry.KindTensor:
		return v.Tensor
	case registry.KindString | registry.ListOf:
		return goList(v, func(v *registry.AttrValue) string { return v.S })
	case registry.KindInt | registry.ListOf:
		return goList(v, func(v *registry.AttrValue) int64 { return v.I })
	case registry.KindFloat | registry.ListOf:
		return goList(v, func(v *registry.AttrValue) float32 { return v.F })
	case registry.KindBool | registry.ListOf:
		return goList(v, func(v *registry.AttrValue) bool { return v.B })
	case registry.KindType | registry.ListOf:
		return goList(v, func(v *registry.AttrValue) tensor.DType { return v.Type })
	case registry.KindShape | registry.ListOf:
		return goList(v, attrShape)
	case registry.KindTensor | registry.ListOf:
		return goList(v, func(v *registry.AttrValue) *tensor.Tensor { return v.Tensor })
	}
	return nil
}

func goList[T any](v *registry.AttrValue, of func(*registry.AttrValue) T) []T {
	var list []T
	for i := range v.List {
		list = append(list, of(&v.List[i]))
	}
	return list
}

func attrShape(v *registry.AttrValue) Shape {
	if v.Shape.Unknown {
		return Shape{}
	}
	return MakeShape(v.Shape.Dims...)
}
