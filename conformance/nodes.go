package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
)

// A nodeRow is one operation that was executed, and what it put out; or the
// error that it gave, when it was added to the graph or when it ran.
type nodeRow struct {
	Op      string                     `json:"op"`
	Attrs   map[string]json.RawMessage `json:"attrs"`
	Inputs  []nodeInput                `json:"inputs"`  // lists flattened
	Known   bool                       `json:"known"`   // inputs are constants, which shape functions see
	Outputs []*nodeValue               `json:"outputs"` // nil: not compared
	After   []*nodeValue               `json:"after"`   // what the initialized variables hold then
	Error   string                     `json:"error"`   // in place of outputs
	Code    string                     `json:"code"`    // of the error
	Tolerance
}

// A nodeValue is a tensor; its value is text in the form of [literal.Parse],
// all elements in one pair of brackets.
type nodeValue struct {
	DType string  `json:"dtype"`
	Shape []int64 `json:"shape"`
	Value *string `json:"value"`
}

// A nodeInput is a tensor, or a variable that holds it if its type is a
// reference. A resource is a variable, which is not initialized if it has no
// value, a variant a list of a tensor's rows.
type nodeInput struct {
	nodeValue
	Variable *nodeValue `json:"variable"`
	List     *nodeValue `json:"list"`
}

// nodeRows returns the rows of a folder.
func nodeRows(files fs.FS) ([]nodeRow, error) {
	data, err := fs.ReadFile(files, "nodes.json")
	if err != nil {
		return nil, err
	}
	var rows []nodeRow
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&rows); err != nil {
		return nil, fmt.Errorf("nodes.json: %w", err)
	}
	return rows, nil
}

func loadNodes(files fs.FS, group string) ([]*Case, error) {
	rows, err := nodeRows(files)
	if err != nil {
		return nil, err
	}
	cases := make([]*Case, len(rows))
	for i := range rows {
		cases[i] = &Case{
			Name:  fmt.Sprintf("%s/%d", group, i),
			About: "A node of " + rows[i].Op + ".",
			Ops:   []string{rows[i].Op},
			steps: 1,
			run:   rows[i].run,
		}
	}
	return cases, nil
}

// run executes the row's node and compares.
func (r *nodeRow) run(ctx context.Context, cfg Config) error {
	ctx, cancel := context.WithTimeout(ctx, cfg.timeout())
	defer cancel()
	outputs, after, err := r.execute(ctx, cfg)
	switch {
	case panicked(err):
		return fmt.Errorf("%s: panic: %w", r.Op, err)
	case r.Error != "" && err == nil:
		return fmt.Errorf("%s: it gave a value, want %s %q", r.Op, r.Code, r.Error)
	case r.Error != "" && status.CodeOf(err).String() != r.Code:
		return r.refused(fmt.Errorf("%s: want %s %q, it failed with %w", r.Op, r.Code, r.Error, err))
	case r.Error != "":
		return nil
	case err != nil:
		return r.refused(fmt.Errorf("%s: it failed: %w", r.Op, err))
	}
	var diffs []error
	compare := func(what string, got []*tensor.Tensor, want []*nodeValue) error {
		for i, w := range want {
			if w == nil {
				continue
			}
			t, err := w.tensor()
			if err != nil {
				return err
			}
			if err := tensor.Compare(got[i], t, tensor.Tolerance(r.Tolerance)); err != nil {
				diffs = append(diffs, fmt.Errorf("%s: %s %d: %s", r.Op, what, i, status.From(err).Message))
			}
		}
		return nil
	}
	if err := errors.Join(compare("output", outputs, r.Outputs), compare("variable", after, r.After)); err != nil {
		return err
	}
	return inOneLine(diffs)
}

// refused marks an error as a gap if all that it tells of is something missing.
func (r *nodeRow) refused(err error) error {
	if unimplemented(err) {
		return gap{err}
	}
	return err
}

// A nodeGraph is the graph of a row.
type nodeGraph struct {
	*graph.Graph
	op                *graph.Node
	assigns           []*graph.Node
	fetches, variable []graph.Output
	at                []int // the output that a fetch is
}

// execute adds the row's node to a graph and runs it: what it puts out, and
// what the variables hold when it has run.
func (r *nodeRow) execute(ctx context.Context, cfg Config) (outputs, after []*tensor.Tensor, err error) {
	g, err := r.graph()
	if err != nil {
		return nil, nil, err
	}
	s, err := session.NewSession(g.Graph, &session.SessionOptions{Engine: cfg.Engine, Threads: cfg.Threads, MemoryLimit: cfg.MemoryLimit})
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	if len(g.assigns) > 0 {
		if _, err := s.RunContext(ctx, nil, nil, g.assigns); err != nil {
			return nil, nil, err
		}
	}
	fetched, err := s.RunContext(ctx, nil, g.fetches, []*graph.Node{g.op})
	if err != nil {
		return nil, nil, err
	}
	outputs = make([]*tensor.Tensor, max(g.op.NumOutputs(), len(r.Outputs)))
	for i, t := range fetched {
		outputs[g.at[i]] = t
	}
	if g.op.NumOutputs() != len(r.Outputs) && r.Error == "" {
		return nil, nil, status.Errorf(status.Unknown, "%d outputs, want %d", g.op.NumOutputs(), len(r.Outputs))
	}
	for _, v := range g.variable {
		t, err := s.RunContext(ctx, nil, []graph.Output{v}, nil)
		if err != nil {
			return nil, nil, err
		}
		after = append(after, t[0])
	}
	return outputs, after, nil
}

func (r *nodeRow) graph() (*nodeGraph, error) {
	op, err := registry.Global.Lookup(r.Op)
	if err != nil {
		return nil, err
	}
	var attrs registry.Attrs
	for name, raw := range r.Attrs {
		v, err := parseAttr(op.Attr(name), raw)
		if err != nil {
			return nil, fmt.Errorf("attr %s: %w", name, err)
		}
		attrs = append(attrs, registry.NamedAttr{Name: name, Value: v})
	}
	return r.graphOf(attrs)
}

// graphOf returns the row's graph, with these attributes.
func (r *nodeRow) graphOf(given registry.Attrs) (*nodeGraph, error) {
	op, err := registry.Global.Lookup(r.Op)
	if err != nil {
		return nil, err
	}
	attrs := map[string]any{}
	for _, a := range given {
		attrs[a.Name] = a.Value
	}
	g := &nodeGraph{Graph: graph.New()}
	outs := make(graph.OutputList, len(r.Inputs))
	for i := range r.Inputs {
		if outs[i], err = g.input(&r.Inputs[i], fmt.Sprintf("in%d", i), r.Known); err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
	}
	inputs, err := arguments(op, attrs, outs)
	if err != nil {
		return nil, err
	}
	if g.op, err = g.AddOperation(graph.OpSpec{Type: r.Op, Name: "op", Input: inputs, Attrs: attrs}); err != nil {
		return nil, err
	}
	for i := range g.op.NumOutputs() {
		out := g.op.Output(i)
		switch dt := out.DataType().Base(); {
		case dt == tensor.Variant && r.lists():
			if out, err = g.stacked(out, fmt.Sprintf("out%d", i), r.element(attrs)); err != nil {
				return nil, err
			}
		case dt == tensor.Variant, dt == tensor.Resource:
			continue
		}
		g.fetches, g.at = append(g.fetches, out), append(g.at, i)
	}
	return g, nil
}

// lists reports whether variants that the node puts out are lists.
func (r *nodeRow) lists() bool { return len(r.Op) > 10 && r.Op[:10] == "TensorList" }

// element returns the type of the elements of a list.
func (r *nodeRow) element(attrs map[string]any) tensor.DType {
	if v, ok := attrs["element_dtype"].(registry.AttrValue); ok {
		return v.Type
	}
	for _, in := range r.Inputs {
		if in.List != nil {
			dt, _ := tensor.ParseDType(in.List.DType)
			return dt
		}
	}
	return tensor.Float
}

// input adds what stands for an input of the node.
func (g *nodeGraph) input(in *nodeInput, name string, known bool) (graph.Output, error) {
	v := in.held()
	element, ok := tensor.ParseDType(v.DType)
	dt, ok2 := tensor.ParseDType(in.DType)
	if !ok || !ok2 {
		return graph.Output{}, fmt.Errorf("unknown dtype %q or %q", v.DType, in.DType)
	}
	element = element.Base()
	var value graph.Output
	if v.Value != nil {
		t, err := v.tensor()
		if err != nil {
			return graph.Output{}, err
		}
		if value, err = g.constant(name+"_value", t); err != nil {
			return graph.Output{}, err
		}
	}
	switch {
	case in.Variable != nil:
		return g.variableOf(name, "VarHandleOp", "AssignVariableOp", "ReadVariableOp", "dtype", element, v, value)
	case dt.IsRef():
		return g.variableOf(name, "VariableV2", "Assign", "Identity", "T", element, v, value)
	case in.List != nil:
		shape, err := g.constant(name+"_shape", tensor.FromScalar[int32](-1))
		if err != nil {
			return graph.Output{}, err
		}
		return g.add("TensorListFromTensor", name, map[string]any{"element_dtype": element}, value, shape)
	case v.Value == nil:
		return graph.Output{}, errors.New("it has no value")
	case known:
		return value, nil
	}
	return g.add("PlaceholderWithDefault", name, map[string]any{"dtype": dt, "shape": graph.Shape{}}, value)
}

// variableOf adds a variable and what assigns and reads it.
func (g *nodeGraph) variableOf(name, makes, assigns, reads, dtype string, element tensor.DType, v *nodeValue, value graph.Output) (graph.Output, error) {
	variable, err := g.add(makes, name, map[string]any{"dtype": element, "shape": graph.MakeShape(v.Shape...), "shared_name": name})
	if err != nil || v.Value == nil {
		return variable, err
	}
	n, err := g.AddOperation(graph.OpSpec{Type: assigns, Name: name + "_assign", Input: []graph.Input{variable, value}, Attrs: map[string]any{dtype: element}})
	if err != nil {
		return variable, err
	}
	g.assigns = append(g.assigns, n)
	read, err := g.add(reads, name+"_read", map[string]any{dtype: element}, variable)
	g.variable = append(g.variable, read)
	return variable, err
}

// stacked adds what makes a tensor of a list.
func (g *nodeGraph) stacked(list graph.Output, name string, element tensor.DType) (graph.Output, error) {
	shape, err := g.constant(name+"_shape", tensor.FromScalar[int32](-1))
	if err != nil {
		return graph.Output{}, err
	}
	return g.add("TensorListStack", name, map[string]any{"element_dtype": element}, list, shape)
}

func (g *nodeGraph) constant(name string, t *tensor.Tensor) (graph.Output, error) {
	return g.add("Const", name, map[string]any{"dtype": t.DType(), "value": t})
}

func (g *nodeGraph) add(op, name string, attrs map[string]any, inputs ...graph.Output) (graph.Output, error) {
	spec := graph.OpSpec{Type: op, Name: name, Attrs: attrs}
	for _, in := range inputs {
		spec.Input = append(spec.Input, in)
	}
	n, err := g.AddOperation(spec)
	if err != nil {
		return graph.Output{}, err
	}
	return n.Output(0), nil
}

// held returns the value that the input is or holds.
func (in *nodeInput) held() *nodeValue {
	switch {
	case in.Variable != nil:
		return in.Variable
	case in.List != nil:
		return in.List
	}
	return &in.nodeValue
}

func (v *nodeValue) tensor() (*tensor.Tensor, error) {
	dt, ok := tensor.ParseDType(v.DType)
	if !ok || v.Value == nil {
		return nil, fmt.Errorf("a tensor of dtype %q without a value or of none", v.DType)
	}
	t, err := literal.Parse(*v.Value, dt.Base())
	if err != nil {
		return nil, err
	}
	return t.WithShape(v.Shape)
}
