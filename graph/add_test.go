package graph

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// add adds an operation that must be valid.
func add(t *testing.T, g *Graph, spec OpSpec) *Node {
	t.Helper()
	n, err := g.AddOperation(spec)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func placeholder(t *testing.T, g *Graph, name string, dt tensor.DType) Output {
	t.Helper()
	return add(t, g, OpSpec{Type: "Placeholder", Name: name, Attrs: map[string]any{"dtype": dt}}).Output(0)
}

// elements returns a value with the elements of tensors in their place.
func elements(v any) any {
	switch v := v.(type) {
	case *tensor.Tensor:
		return v.Value()
	case []*tensor.Tensor:
		list := make([]any, len(v))
		for i, t := range v {
			list[i] = t.Value()
		}
		return list
	}
	return v
}

func TestAttrsReadBack(t *testing.T) {
	registry.Define("AllAttrs").
		Attr("s: string").Attr("i: int").Attr("f: float").Attr("b: bool").Attr("d: type").Attr("h: shape").Attr("t: tensor").
		Attr("ls: list(string)").Attr("li: list(int)").Attr("lf: list(float)").Attr("lb: list(bool)").
		Attr("ld: list(type)").Attr("lh: list(shape)").Attr("lt: list(tensor)").Attr("empty: list(float) = []").Attr("fn: func = {}")
	value, err := tensor.NewTensor([]int32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	attrs := map[string]any{
		"s": "text", "i": int64(-3), "f": float32(2.5), "b": true, "d": tensor.Half, "h": MakeShape(2, -1), "t": value,
		"ls": []string{"a", ""}, "li": []int64{1}, "lf": []float32{1, 2}, "lb": []bool{true, false},
		"ld": []tensor.DType{tensor.Float}, "lh": []Shape{ScalarShape(), {}}, "lt": []*tensor.Tensor{value},
	}
	g := New()
	n := add(t, g, OpSpec{Type: "AllAttrs", Attrs: attrs})
	for name, want := range attrs {
		got, err := n.Attr(name)
		if err != nil || !reflect.DeepEqual(elements(got), elements(want)) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, want)
		}
	}
	if got, err := n.Attr("empty"); err != nil || !reflect.DeepEqual(got, []float32(nil)) {
		t.Errorf("an empty list of floats reads %#v, %v", got, err)
	}
	if _, err := n.Attr("fn"); status.CodeOf(err) != status.Unimplemented {
		t.Errorf("a function reads with %v", err)
	}
	if _, err := n.Attr("none"); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("an attribute that is not there reads with %v", err)
	}
}

func TestAddOperationRefuses(t *testing.T) {
	g, other := New(), New()
	x, y := placeholder(t, g, "x", tensor.Float), placeholder(t, g, "y", tensor.Int32)
	foreign := placeholder(t, other, "x", tensor.Float)
	for _, c := range []struct {
		spec OpSpec
		want string
	}{
		{OpSpec{Type: "Nothing"}, "Op type not registered 'Nothing'"},
		{OpSpec{Type: "NoOp", Name: "x"}, "Duplicate node name in graph: 'x'"},
		{OpSpec{Type: "NoOp", Name: "a:1"}, "invalid characters"},
		{OpSpec{Type: "NoOp", Name: "^a"}, "invalid characters"},
		{OpSpec{Type: "NoOp", Name: "a\n"}, "invalid characters"},
		{OpSpec{Type: "NoOp", Device: "gpu"}, "parsing the device spec"},
		{OpSpec{Type: "Neg"}, "0 inputs specified"},
		{OpSpec{Type: "Neg", Input: []Input{nil}}, "input 0 is nil"},
		{OpSpec{Type: "Neg", Input: []Input{Output{}}}, "not an output of a node of this graph"},
		{OpSpec{Type: "Neg", Input: []Input{foreign}}, "not an output of a node of this graph"},
		{OpSpec{Type: "Neg", Input: []Input{Output{x.Op, 1}}}, "invalid output 1 of source node x"},
		{OpSpec{Type: "Neg", Input: []Input{OutputList{x}}}, "single Tensor expected"},
		{OpSpec{Type: "ShapeN", Input: []Input{x}}, "expected list"},
		{OpSpec{Type: "ShapeN", Input: []Input{OutputList{}}}, "must be at least minimum 1"},
		{OpSpec{Type: "Add", Input: []Input{x, y}}, "Inconsistent values for attr 'T' DT_FLOAT vs. DT_INT32"},
		{OpSpec{Type: "Neg", Input: []Input{x}, Attrs: map[string]any{"T": 1}}, "values of type int cannot be attributes"},
		{OpSpec{Type: "Neg", Input: []Input{x}, Attrs: map[string]any{"T": "float"}}, "attr 'T'"},
		{OpSpec{Type: "Const", Attrs: map[string]any{"dtype": tensor.Float, "value": (*tensor.Tensor)(nil)}}, "attr 'value': the tensor is nil"},
		{OpSpec{Type: "NoOp", ControlDependencies: []*Node{foreign.Op}}, "control dependency"},
		{OpSpec{Type: "NoOp", ControlDependencies: []*Node{nil}}, "control dependency"},
	} {
		n, err := g.AddOperation(c.spec)
		if err == nil || n != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.spec, err, c.want)
		}
	}
	if g.NumNodes() != 2 {
		t.Errorf("the graph has %d nodes:\n%s", g.NumNodes(), textOf(g, textOptions{}))
	}
}

func TestOutputs(t *testing.T) {
	g := New()
	x := add(t, g, OpSpec{Type: "Placeholder", Name: "x", Attrs: map[string]any{"dtype": tensor.Float, "shape": MakeShape(-1, 3)}}).Output(0)
	n := add(t, g, OpSpec{Type: "ShapeN", Input: []Input{OutputList{x, x}}})
	if size, err := n.OutputListSize("output"); size != 2 || err != nil {
		t.Errorf("ShapeN of two has %d outputs, %v", size, err)
	}
	if _, err := n.OutputListSize("input"); err == nil {
		t.Error("an output that is not there has a size")
	}
	if n.NumInputs() != 2 || n.NumOutputs() != 2 || n.Name() != "ShapeN" || n.Type() != "ShapeN" {
		t.Errorf("node %v has %d inputs and %d outputs", n, n.NumInputs(), n.NumOutputs())
	}
	if got := fmt.Sprint(x.DataType(), x.Shape(), n.Output(1).DataType(), n.Output(1).Shape()); got != "float [?, 3] int32 ?" {
		t.Error(got)
	}
	m := add(t, g, OpSpec{Type: "Neg", Input: []Input{x}, Device: "/device:CPU:1", ControlDependencies: []*Node{n, n}})
	want := []Consumer{{n, 0}, {n, 1}, {m, 0}}
	if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(x.Consumers())); diff != "" {
		t.Errorf("consumers (-want +got):\n%s", diff)
	}
	if c := x.Consumers()[2]; c.Producer() != x || c.DataType() != tensor.Float {
		t.Errorf("%v takes %v from %v", c, c.DataType(), c.Producer())
	}
	if m.Device() != "/device:CPU:1" || len(m.Controls()) != 1 {
		t.Errorf("device %q, controls %v", m.Device(), m.Controls())
	}
	if x.Op.Output(7).DataType() != tensor.Invalid || x.Op.Output(7).Shape().NumDimensions() != -1 {
		t.Error("an output that does not exist has properties")
	}
}

// Operations hands out copies; what is asked of a copy is answered for the node.
func TestOperationsAreCopies(t *testing.T) {
	g := New()
	x := placeholder(t, g, "x", tensor.Float)
	ops := g.Operations()
	if len(ops) != 1 || ops[0].Name() != "x" {
		t.Fatalf("operations %v", ops)
	}
	y := add(t, g, OpSpec{Type: "Neg", Name: "y", Input: []Input{ops[0].Output(0)}, ControlDependencies: []*Node{&ops[0]}})
	if y.Inputs()[0] != x || y.Controls()[0] != x.Op {
		t.Error("an edge leads to the copy")
	}
	if copied := (Output{&ops[0], 0}); len(copied.Consumers()) != 1 || copied.Canonical() != x {
		t.Error("a copy's output is not the node's")
	}
	if g.Operation("y") != y || g.Operation("z") != nil {
		t.Error("look-up by name")
	}
}

func TestZeroOutputPanicsReadably(t *testing.T) {
	for name, f := range map[string]func(){
		"DataType":  func() { Output{}.DataType() },
		"Shape":     func() { Output{}.Shape() },
		"Consumers": func() { Output{}.Consumers() },
		"Producer":  func() { Consumer{}.Producer() },
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, "see Scope.Err() for details") {
					t.Errorf("%s: %s", name, text)
				}
			}()
			f()
		}()
	}
}

func TestShape(t *testing.T) {
	for _, c := range []struct {
		shape Shape
		text  string
		dims  int
		full  bool
	}{
		{Shape{}, "?", -1, false},
		{ScalarShape(), "[]", 0, true},
		{MakeShape(), "[]", 0, true},
		{MakeShape(-1, 2), "[?, 2]", 2, false},
		{MakeShape(1, 3), "[1, 3]", 2, true},
	} {
		if c.shape.String() != c.text || c.shape.NumDimensions() != c.dims || c.shape.IsFullySpecified() != c.full {
			t.Errorf("%v: %d dimensions, fully specified %v", c.shape, c.shape.NumDimensions(), c.shape.IsFullySpecified())
		}
		dims, err := c.shape.ToSlice()
		if (err != nil) != (c.dims < 0) || err == nil && !reflect.DeepEqual(MakeShape(dims...), c.shape) {
			t.Errorf("%v to slice: %v, %v", c.shape, dims, err)
		}
	}
	if s := MakeShape(-1, 2); s.Size(0) != -1 || s.Size(1) != 2 || s.Size(2) != -1 || s.Size(-1) != -1 {
		t.Error("sizes")
	}
}

func TestBuilder(t *testing.T) {
	g := New()
	b := NewBuilder(g)
	c := b.Const([]float32{1, 2})
	in := b.Scope("layer")
	x := in.On("/device:CPU:0").After(c.Op).Op("Neg", nil, c)
	y := b.Scope("layer").Op("Add", nil, x, x)
	y2 := b.Op("Add", nil, y, x)
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
	want := `Const = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [2] values: 1.0 2.0>}
layer/Neg = Neg(Const, ^Const) @/device:CPU:0 {T=DT_FLOAT}
layer_1/Add = Add(layer/Neg, layer/Neg) {T=DT_FLOAT}
Add = Add(layer_1/Add, layer/Neg) {T=DT_FLOAT}
`
	if diff := cmp.Diff(want, textOf(g, textOptions{})); diff != "" {
		t.Errorf("graph (-want +got):\n%s", diff)
	}
	b.Scope("s").Op("Nothing", nil)
	if b.Err() == nil || in.Op("Neg", nil, y2) != (Output{}) || g.NumNodes() != 4 {
		t.Errorf("the error does not stick: %v, %d nodes", b.Err(), g.NumNodes())
	}
}

func TestUniqueName(t *testing.T) {
	g := New()
	add(t, g, OpSpec{Type: "NoOp", Name: "a/b/c"})
	add(t, g, OpSpec{Type: "NoOp", Name: "a_1"})
	for name, want := range map[string]string{"a": "a_2", "a/b": "a/b_1", "a/b/c": "a/b/c_1", "b": "b", "a_1": "a_1_1"} {
		if got := g.UniqueName(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
	add(t, g, OpSpec{Type: "NoOp", Name: "a_2"})
	if got := g.UniqueName("a"); got != "a_3" {
		t.Errorf("a becomes %s", got)
	}
}

func TestAddCopy(t *testing.T) {
	from, to := New(), New()
	if err := addText(from, `
		x = Placeholder() {dtype=DT_FLOAT, shape=shape [2]}
		y = Neg(x) {_mark="m"}
		m = MatMul(y, y) {transpose_a=true}
	`); err == nil {
		t.Fatal("a product of vectors is accepted")
	}
	if err := addText(from, "x = Placeholder() {dtype=DT_FLOAT, shape=shape [2]}\ny = Neg(x) {_mark=\"m\"}"); err != nil {
		t.Fatal(err)
	}
	x, err := to.AddCopy(from.Operation("x"), CopySpec{Name: "in"})
	if err != nil {
		t.Fatal(err)
	}
	y, err := to.AddCopy(from.Operation("y"), CopySpec{Name: "out", Inputs: []Output{x.Output(0)}, Controls: []*Node{x}, Device: "/cpu:0"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := y.String(), `out = Neg(in, ^in) @/cpu:0 {T=DT_FLOAT, _mark="m"}`; got != want {
		t.Errorf("copy %s, want %s", got, want)
	}
	if y.Output(0).Shape().String() != "[2]" {
		t.Errorf("shape %v", y.Output(0).Shape())
	}
	for _, c := range []struct {
		spec CopySpec
		want string
	}{
		{CopySpec{Name: "out", Inputs: []Output{x.Output(0)}}, "Duplicate node name"},
		{CopySpec{Name: "z"}, "do not match 0 inputs specified"},
		{CopySpec{Name: "z", Inputs: []Output{from.Operation("x").Output(0)}}, "not an output of a node of this graph"},
		{CopySpec{Name: "z", Inputs: []Output{x.Output(0)}, Attrs: registry.Attrs{{Name: "T", Value: registry.TypeAttr(tensor.Int32)}}}, "incompatible with expected int32"},
		{CopySpec{Name: "z", Inputs: []Output{x.Output(0)}, Controls: []*Node{from.Operation("x")}}, "not a node of this graph"},
		{CopySpec{Name: "", Inputs: []Output{x.Output(0)}}, "invalid characters"},
	} {
		if _, err := to.AddCopy(from.Operation("y"), c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.spec, err, c.want)
		}
	}
}

// TestLooseNames adds nodes with names that TensorFlow takes from a program and not
// from a GraphDef.
func TestLooseNames(t *testing.T) {
	for _, name := range []string{"a b", "list(float)", "é", "-", "a/", "_x"} {
		g := New()
		n, err := g.AddOperation(OpSpec{Type: "NoOp", Name: name})
		if err != nil || n.Name() != name || g.Operation(name) != n {
			t.Errorf("%q: %v", name, err)
		}
	}
}
