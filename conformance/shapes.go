package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A shapeRow is an operation added to a graph, and the shapes of its outputs.
type shapeRow struct {
	Op      string                     `json:"op"`
	Attrs   map[string]json.RawMessage `json:"attrs"`
	Inputs  []shapeInput               `json:"inputs"` // lists flattened
	Outputs [][]int64                  `json:"outputs"`
	Handles [][]shapeHandle            `json:"handles"` // of outputs that are handles; nil: not compared
	Error   string                     `json:"error"`   // in place of outputs
	Code    string                     `json:"code"`    // of the error; "" is INVALID_ARGUMENT
}

// A shapeInput is a placeholder, a constant if it has a value, a variable if
// its type is a reference, or if it has a handle what makes one: a variable, a
// TensorArray if it is a vector, or a list.
type shapeInput struct {
	DType string          `json:"dtype"`
	Shape *[]int64        `json:"shape"` // nil: unknown rank; -1: unknown dimension
	Value json.RawMessage `json:"value"`

	Handle *shapeHandle `json:"handle"`
}

// A shapeHandle is what is behind a handle.
type shapeHandle struct {
	DType string   `json:"dtype"`
	Shape *[]int64 `json:"shape"`
}

func loadShapes(files fs.FS, group string) ([]*Case, error) {
	data, err := fs.ReadFile(files, "shapes.json")
	if err != nil {
		return nil, err
	}
	var rows []shapeRow
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&rows); err != nil {
		return nil, fmt.Errorf("shapes.json: %w", err)
	}
	cases := make([]*Case, len(rows))
	for i := range rows {
		cases[i] = &Case{
			Name:  fmt.Sprintf("%s/%d", group, i),
			About: "Shapes of the outputs of " + rows[i].Op + ".",
			Ops:   []string{rows[i].Op},
			run:   func(context.Context, Config) error { return rows[i].run() },
		}
	}
	graphs, err := loadShapeGraphs(files, group)
	return append(cases, graphs...), err
}

func (r *shapeRow) run() error {
	op, err := registry.Global.Lookup(r.Op)
	if err != nil {
		return gapOr(fmt.Errorf("%s: %w", r.Op, err))
	}
	n, err := r.add(op)
	if r.Error != "" {
		want := status.InvalidArgument
		if r.Code != "" {
			var ok bool
			if want, ok = status.ParseCode(r.Code); !ok {
				return fmt.Errorf("%q is not a status code", r.Code)
			}
		}
		if status.CodeOf(err) != want {
			return gapOr(fmt.Errorf("%s: want %v %q, got %w", r.Op, want, r.Error, orNone(err)))
		}
		return nil
	}
	if err != nil {
		return gapOr(fmt.Errorf("%s: it was refused: %w", r.Op, err))
	}
	if n.NumOutputs() != len(r.Outputs) {
		return fmt.Errorf("%s: %d outputs, want %d", r.Op, n.NumOutputs(), len(r.Outputs))
	}
	var diffs []error
	for i, want := range r.Outputs {
		wanted := graph.Shape{}
		if want != nil {
			wanted = graph.MakeShape(want...)
		}
		if got := n.Output(i).Shape(); got.String() != wanted.String() {
			diffs = append(diffs, fmt.Errorf("%s: output %d has shape %v, want %v", r.Op, i, got, wanted))
		}
	}
	for i, want := range r.Handles {
		if got := handlesOf(n, i); !reflect.DeepEqual(got, handleStrings(want)) {
			diffs = append(diffs, fmt.Errorf("%s: output %d is a handle of %v, want %v", r.Op, i, got, handleStrings(want)))
		}
	}
	return inOneLine(diffs)
}

// handlesOf returns what is known behind output i of a node.
func handlesOf(n *graph.Node, i int) []string {
	var all []string
	if handles := n.OutputHandles(); i < len(handles) {
		for _, h := range handles[i] {
			all = append(all, fmt.Sprintf("%v%v", h.Type, h.Shape))
		}
	}
	return all
}

func handleStrings(handles []shapeHandle) []string {
	var all []string
	for _, h := range handles {
		dt, _ := tensor.ParseDType(h.DType)
		all = append(all, fmt.Sprintf("%v%v", dt, inferred(h.Shape)))
	}
	return all
}

func orNone(err error) error {
	if err == nil {
		return errors.New("no error")
	}
	return err
}

// add builds a graph of the row's inputs and its operation.
func (r *shapeRow) add(op *registry.OpDef) (*graph.Node, error) {
	g := graph.New()
	attrs := map[string]any{}
	for name, raw := range r.Attrs {
		v, err := parseAttr(op.Attr(name), raw)
		if err != nil {
			return nil, fmt.Errorf("attr %s: %w", name, err)
		}
		attrs[name] = v
	}
	outs := make(graph.OutputList, len(r.Inputs))
	for i := range r.Inputs {
		n, err := r.Inputs[i].add(g, fmt.Sprintf("in%d", i))
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
		outs[i] = n.Output(0)
	}
	inputs, err := arguments(op, attrs, outs)
	if err != nil {
		return nil, err
	}
	return g.AddOperation(graph.OpSpec{Type: r.Op, Name: "op", Input: inputs, Attrs: attrs})
}

// arguments groups flattened inputs by the arguments of the definition.
func arguments(op *registry.OpDef, attrs map[string]any, outs graph.OutputList) ([]graph.Input, error) {
	var inputs []graph.Input
	for _, arg := range op.Inputs {
		n := 1
		switch {
		case arg.NumberAttr != "":
			v, _ := attrs[arg.NumberAttr].(registry.AttrValue)
			n = int(v.I)
		case arg.TypeListAttr != "":
			v, _ := attrs[arg.TypeListAttr].(registry.AttrValue)
			n = len(v.List)
		}
		if n < 0 || n > len(outs) {
			return nil, fmt.Errorf("argument %s wants %d inputs, %d are left", arg.Name, n, len(outs))
		}
		if arg.NumberAttr != "" || arg.TypeListAttr != "" {
			inputs = append(inputs, outs[:n:n])
		} else {
			inputs = append(inputs, outs[0])
		}
		outs = outs[n:]
	}
	if len(outs) > 0 {
		return nil, fmt.Errorf("%d inputs too many", len(outs))
	}
	return inputs, nil
}

func (in *shapeInput) add(g *graph.Graph, name string) (*graph.Node, error) {
	dt, ok := tensor.ParseDType(in.DType)
	if !ok {
		return nil, fmt.Errorf("unknown dtype %q", in.DType)
	}
	if in.Handle != nil {
		return in.addHandle(g, name, dt)
	}
	if in.Value == nil {
		s := shapeOf(in.Shape)
		if dt.IsRef() {
			return g.AddOperation(graph.OpSpec{Type: "VariableV2", Name: name, Attrs: map[string]any{"dtype": dt.Base(), "shape": s}})
		}
		return g.AddOperation(graph.OpSpec{Type: "Placeholder", Name: name, Attrs: map[string]any{"dtype": dt, "shape": s}})
	}
	t, err := in.constant(dt)
	if err != nil {
		return nil, err
	}
	return g.AddOperation(graph.OpSpec{Type: "Const", Name: name, Attrs: map[string]any{"dtype": dt, "value": t}})
}

func shapeOf(dims *[]int64) graph.Shape {
	if dims == nil {
		return graph.Shape{}
	}
	return graph.MakeShape(*dims...)
}

func (in *shapeInput) addHandle(g *graph.Graph, name string, dt tensor.DType) (*graph.Node, error) {
	element, ok := tensor.ParseDType(in.Handle.DType)
	if !ok {
		return nil, fmt.Errorf("unknown dtype %q", in.Handle.DType)
	}
	number := func(suffix string, t *tensor.Tensor) (graph.Output, error) {
		n, err := g.AddOperation(graph.OpSpec{Type: "Const", Name: name + suffix, Attrs: map[string]any{"dtype": t.DType(), "value": t}})
		if err != nil {
			return graph.Output{}, err
		}
		return n.Output(0), nil
	}
	spec := graph.OpSpec{Type: "VarHandleOp", Name: name, Attrs: map[string]any{"dtype": element, "shape": shapeOf(in.Handle.Shape)}}
	if dt == tensor.Resource && (in.Shape == nil || len(*in.Shape) == 0) {
		return g.AddOperation(spec)
	}
	size, err := tensor.FromSlice([]int32{3})
	if err != nil {
		return nil, err
	}
	sizeOut, err := number("_size", size)
	if err != nil {
		return nil, err
	}
	if dt == tensor.Resource {
		spec.Type, spec.Input = "TensorArrayV3", []graph.Input{sizeOut}
		spec.Attrs = map[string]any{"dtype": element, "element_shape": shapeOf(in.Handle.Shape)}
		return g.AddOperation(spec)
	}
	dims := []int32{-1}
	rank := []int64{}
	if in.Handle.Shape != nil {
		dims, rank = []int32{}, []int64{int64(len(*in.Handle.Shape))}
		for _, d := range *in.Handle.Shape {
			dims = append(dims, int32(d))
		}
	}
	dimsTensor, err := tensor.FromSlice(dims, rank...)
	if err != nil {
		return nil, err
	}
	dimsOut, err := number("_shape", dimsTensor)
	if err != nil {
		return nil, err
	}
	spec.Type, spec.Input = "EmptyTensorList", []graph.Input{dimsOut, sizeOut}
	spec.Attrs = map[string]any{"element_dtype": element}
	return g.AddOperation(spec)
}

func (in *shapeInput) constant(dt tensor.DType) (*tensor.Tensor, error) {
	if in.Shape == nil {
		return nil, errors.New("a constant of unknown rank")
	}
	var v any
	if err := json.Unmarshal(in.Value, &v); err != nil {
		return nil, err
	}
	flat := flatten(v, nil)
	switch dt {
	case tensor.Int32:
		return constant(flat, *in.Shape, func(x any) int32 { f, _ := x.(float64); return int32(f) })
	case tensor.Int64:
		return constant(flat, *in.Shape, func(x any) int64 { f, _ := x.(float64); return int64(f) })
	case tensor.Float:
		return constant(flat, *in.Shape, func(x any) float32 { f, _ := x.(float64); return float32(f) })
	case tensor.Bool:
		return constant(flat, *in.Shape, func(x any) bool { b, _ := x.(bool); return b })
	case tensor.String:
		return constant(flat, *in.Shape, func(x any) string { s, _ := x.(string); return s })
	}
	return nil, fmt.Errorf("a constant of dtype %v", dt)
}

func flatten(v any, flat []any) []any {
	if list, ok := v.([]any); ok {
		for _, e := range list {
			flat = flatten(e, flat)
		}
		return flat
	}
	return append(flat, v)
}

func constant[T tensor.Element](flat []any, dims []int64, convert func(any) T) (*tensor.Tensor, error) {
	data := make([]T, len(flat))
	for i, x := range flat {
		data[i] = convert(x)
	}
	return tensor.FromSlice(data, dims...)
}

// parseAttr reads an attribute as the table writes it: types by name, shapes
// as {"shape": [2, -1]} or as a list, null being unknown.
func parseAttr(def *registry.AttrDef, raw json.RawMessage) (registry.AttrValue, error) {
	if def == nil {
		return registry.AttrValue{}, errors.New("the definition does not have it")
	}
	if !def.Kind.IsList() {
		return parseScalarAttr(def.Kind, raw)
	}
	var elems []json.RawMessage
	if err := json.Unmarshal(raw, &elems); err != nil {
		return registry.AttrValue{}, err
	}
	list := make([]registry.AttrValue, len(elems))
	for i, e := range elems {
		var err error
		if list[i], err = parseScalarAttr(def.Kind.Elem(), e); err != nil {
			return registry.AttrValue{}, err
		}
	}
	return registry.ListAttr(def.Kind.Elem(), list...), nil
}

func parseScalarAttr(kind registry.AttrKind, raw json.RawMessage) (v registry.AttrValue, err error) {
	v.Kind = kind
	switch kind {
	case registry.KindString:
		err = json.Unmarshal(raw, &v.S)
	case registry.KindInt:
		err = json.Unmarshal(raw, &v.I)
	case registry.KindFloat:
		err = json.Unmarshal(raw, &v.F)
	case registry.KindBool:
		err = json.Unmarshal(raw, &v.B)
	case registry.KindType:
		var name string
		if err = json.Unmarshal(raw, &name); err == nil {
			var ok bool
			if v.Type, ok = tensor.ParseDType(name); !ok {
				err = fmt.Errorf("unknown dtype %q", name)
			}
		}
	case registry.KindShape:
		v.Shape, err = parseShape(raw)
	case registry.KindFunc:
		var f struct{ Func string }
		if err = json.Unmarshal(raw, &f); err == nil {
			v.Func = &registry.Func{Name: f.Func}
		}
	default:
		err = fmt.Errorf("an attribute of kind %v", kind)
	}
	return v, err
}

func parseShape(raw json.RawMessage) (registry.Shape, error) {
	var dims *[]*int64
	if bytes.HasPrefix(raw, []byte("{")) {
		var wrapped struct {
			Shape *[]*int64 `json:"shape"`
		}
		if err := json.Unmarshal(raw, &wrapped); err != nil {
			return registry.Shape{}, err
		}
		dims = wrapped.Shape
	} else if err := json.Unmarshal(raw, &dims); err != nil {
		return registry.Shape{}, err
	}
	if dims == nil {
		return registry.Shape{Unknown: true}, nil
	}
	s := registry.Shape{Dims: slices.Repeat([]int64{-1}, len(*dims))}
	for i, d := range *dims {
		if d != nil {
			s.Dims[i] = *d
		}
	}
	return s, nil
}
