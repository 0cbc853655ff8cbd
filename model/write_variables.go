package model

import (
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"

	// What saves and restores.
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/io"
	_ "github.com/troupe-go/troupe/ops/state"
)

// addVariables adds the nodes that save and restore the variables of the graph, and
// says where they are: the loader feeds the name of the checkpoint and runs what
// restores.
func (s *saved) addVariables(values map[string]*tensor.Tensor) error {
	var handles []*graph.Node
	var missing []string
	for _, n := range s.graph.Nodes() {
		switch n.Type() {
		case "VarHandleOp", "VariableV2", "Variable":
			if values[n.Name()] == nil {
				missing = append(missing, n.Name())
			}
			handles = append(handles, n)
		}
	}
	if missing != nil {
		return status.Errorf(status.NotFound, "it is not said what these variables hold: %s", strings.Join(missing, ", "))
	}
	if len(handles) == 0 {
		return nil
	}
	sorted.By(handles, func(a, b *graph.Node) int { return strings.Compare(a.Name(), b.Name()) })

	b := graph.NewBuilder(s.graph).Scope(s.graph.UniqueName("save"))
	file := b.Op("PlaceholderWithDefault", graph.Attrs{"shape": graph.ScalarShape()}, b.Const("model"))
	var names []string
	var types []tensor.DType
	var reads graph.OutputList
	for _, n := range handles {
		dt, err := n.Attr("dtype")
		if err != nil {
			return err
		}
		value := values[n.Name()]
		if value.DType() != dt {
			return status.Invalid("variable %s is of type %v, what it holds of type %v", n.Name(), dt, value.DType())
		}
		key := n.Name()
		if s.tracked {
			key += attributeOf + attribute
		}
		names = append(names, key)
		types = append(types, value.DType())
		s.vars = append(s.vars, variable{n.Name(), key, value})
		if n.Type() == "VarHandleOp" {
			reads = append(reads, b.Op("ReadVariableOp", graph.Attrs{"dtype": dt}, n.Output(0)))
		} else {
			reads = append(reads, b.Op("Identity", nil, n.Output(0)))
		}
	}
	whole := b.Const(make([]string, len(names)))
	list := b.Const(names)
	save := b.Add(graph.OpSpec{Type: "SaveV2", Input: []graph.Input{file, list, whole, reads}})
	restore := b.Add(graph.OpSpec{
		Type: "RestoreV2", Input: []graph.Input{file, list, whole}, Attrs: graph.Attrs{"dtypes": types},
	})
	if err := b.Err(); err != nil {
		return err
	}
	done := b.After(save).Op("Identity", nil, file)
	assigns := make([]*graph.Node, len(handles))
	for i, n := range handles {
		kind := "Assign"
		if n.Type() == "VarHandleOp" {
			kind = "AssignVariableOp"
		}
		assigns[i] = b.Add(graph.OpSpec{Type: kind, Input: []graph.Input{n.Output(0), restore.Output(i)}})
	}
	if err := b.Err(); err != nil {
		return err
	}
	all := b.After(assigns...).Add(graph.OpSpec{Type: "NoOp", Name: "restore_all"})
	if err := b.Err(); err != nil {
		return err
	}
	s.meta.SaverDef = &wire.SaverDef{
		FilenameTensorName: file.String(), SaveTensorName: done.String(), RestoreOpName: all.Name(),
		MaxToKeep: 5, Version: wire.SaverDef_V2,
	}
	s.list(handles, reads, assigns)
	return nil
}

// list names the variables in the collections in which TensorFlow looks for them.
func (s *saved) list(handles []*graph.Node, reads graph.OutputList, assigns []*graph.Node) {
	var defs [][]byte
	for i, n := range handles {
		// A message VariableDef.
		b := wire.AppendField(nil, 1, n.Output(0).String()) // variable_name
		b = wire.AppendField(b, 2, assigns[i].Name())       // initializer_name
		b = wire.AppendField(b, 3, reads[i].String())       // snapshot_name
		if n.Type() == "VarHandleOp" {
			b = wire.AppendNumber(b, 5, 1) // is_resource
		}
		b = wire.AppendField(b, 6, reads[i].String()) // initial_value_name
		b = wire.AppendNumber(b, 7, 1)                // trainable
		defs = append(defs, b)
	}
	for _, name := range [...]string{"variables", "trainable_variables"} {
		s.collect(name, &wire.CollectionDef{Kind: &wire.CollectionDef_BytesList_{
			BytesList: &wire.CollectionDef_BytesList{Value: defs}}})
	}
}
