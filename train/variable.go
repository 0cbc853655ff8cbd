package train

import (
	"slices"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Variable is a tensor that persists from step to step.
type Variable struct {
	// Name is the variable's name in the graph and in checkpoints.
	Name  string
	DType tf.DataType
	Shape []int64 // all dimensions are known
	// Handle is the input of operations on the variable: a resource, or a reference in a
	// graph of TensorFlow 1.
	Handle tf.Output
	// Value is the variable's value, before the update if the step makes one. To gather
	// rows of a large variable without reading the others, use op.ResourceGather on
	// Handle.
	Value tf.Output
	// Trainable includes the variable in goals whose Variables is nil.
	Trainable bool

	init    *tf.Operation // nil if nothing in the graph initializes the variable
	adopted bool          // from a graph that was there
	aliases []tf.Output   // other handles of the same resource
	average *Variable     // see Options.Average
	of      *Variable     // of a slot or an average: the variable that it belongs to

	// Made by Model.Start.
	ready  tf.Output     // whether it holds anything
	feed   tf.Output     // what assign gives it
	assign *tf.Operation // replaces what it holds
}

// Variable adds a variable with an initializer. The name must be new in the graph; it
// may have parts, as in "dense/kernel". After an error it returns a variable that is not
// nil but cannot be used.
func (m *Model) Variable(name string, init Initializer, dt tf.DataType, dims ...int64) *Variable {
	v := &Variable{Name: name, DType: dt, Shape: slices.Clone(dims), Trainable: dt != tf.Int64 && dt != tf.Int32}
	return m.add(v, init)
}

func (m *Model) add(v *Variable, init Initializer) *Variable {
	s := m.scope
	if _, err := tensor.NumElements(v.DType, v.Shape); err != nil {
		s.UpdateErr("Variable", err)
		return v
	}
	if m.graph.Operation(v.Name) != nil {
		s.UpdateErr("Variable", status.Errorf(status.AlreadyExists, "the graph has a node %q already", v.Name))
	}
	if s.Err() != nil {
		return v
	}
	attrs := map[string]any{"dtype": v.DType, "shape": tf.MakeShape(v.Shape...), "shared_name": v.Name}
	kind, assign := "VarHandleOp", "AssignVariableOp"
	if v.of != nil && v.of.isRef() { // its updates take references alone
		kind, assign = "VariableV2", "Assign"
	}
	v.Handle = s.AddOperation(tf.OpSpec{Type: kind, Name: v.Name, Attrs: attrs}).Output(0)
	parts := s.SubScope(v.Name).WithUniqueNames()
	first := init(parts.SubScope("Initializer").WithUniqueNames(), v.DType, v.Shape, m.seedOf(v.Name))
	if s.Err() != nil {
		return v
	}
	v.init = parts.AddOperation(tf.OpSpec{Type: assign, Name: "Assign", Input: []tf.Input{v.Handle, first}})
	v.read(parts)
	return m.keep(v)
}

// read makes Value.
func (v *Variable) read(s *op.Scope) {
	if v.isRef() {
		v.Value = s.AddOperation(tf.OpSpec{Type: "Identity", Name: "read", Input: []tf.Input{v.Handle}}).Output(0)
		return
	}
	s = s.SubScope("Read")
	v.Value = s.AddOperation(tf.OpSpec{
		Type: "ReadVariableOp", Input: []tf.Input{v.Handle}, Attrs: map[string]any{"dtype": v.DType},
	}).Output(0)
	if s.Err() == nil && v.Value.Shape().NumDimensions() < 0 {
		s.UpdateErr("ReadVariableOp", status.Errorf(status.Internal, "the shape of variable %s got lost", v.Name))
	}
}

func (m *Model) keep(v *Variable) *Variable {
	m.vars = append(m.vars, v)
	m.byName[v.Name] = v
	return v
}

// isRef reports whether the variable is one of TensorFlow 1, behind a reference.
func (v *Variable) isRef() bool { return v.Handle.Op != nil && v.Handle.DataType().IsRef() }

// Adopt adds to the model the variables that the graph already contains, and returns
// them in the order of their names. They keep their values in the session in which the
// model starts; one without a value is set by its initializer, if the graph has one.
// Variables without a known type and shape are ignored, as are those inside functions.
//
// All floating-point variables become trainable, also moving averages of normalizations,
// since a graph does not distinguish them; the caller may clear Trainable of single
// ones.
func (m *Model) Adopt() []*Variable {
	known := map[*tf.Operation]bool{}
	for _, v := range m.vars {
		known[v.Handle.Op] = true
	}
	found := map[string]*Variable{}
	holders := map[string]*Variable{} // by the name that the session has for them
	for _, n := range m.graph.Nodes() {
		switch n.Type() {
		case "VarHandleOp", "VariableV2", "Variable":
		default:
			continue
		}
		v := adopted(n)
		if v == nil || known[n] || m.byName[v.Name] != nil {
			continue
		}
		if first := holders[sharedName(n)]; first == nil {
			holders[sharedName(n)] = v
			found[v.Name] = v
		} else if first.DType == v.DType && slices.Equal(first.Shape, v.Shape) {
			first.aliases = append(first.aliases, v.Handle)
			if first.init == nil {
				first.init = v.init
			}
		}
	}
	names := sorted.Keys(found)
	list := make([]*Variable, 0, len(names))
	for _, name := range names {
		v := found[name]
		v.read(m.scope.SubScope(v.Handle.Op.Name()).WithUniqueNames())
		list = append(list, m.keep(v))
	}
	return list
}

// sharedName returns the name by which the session knows what a node stands for.
func sharedName(n *tf.Operation) string {
	text := func(attr string) string {
		x, _ := n.Attr(attr)
		s, _ := x.(string)
		return s
	}
	name := text("shared_name")
	if name == "" {
		name = n.Name()
	}
	return n.Type() + " " + text("container") + " " + name
}

// adopted returns a variable of a graph, or nil.
func adopted(n *tf.Operation) *Variable {
	dt, err := n.Attr("dtype")
	if err != nil {
		return nil
	}
	declared, err := n.Attr("shape")
	if err != nil {
		return nil
	}
	shape, _ := declared.(tf.Shape)
	dims, err := shape.ToSlice()
	if err != nil || slices.Contains(dims, -1) {
		return nil
	}
	v := &Variable{Name: n.Name(), DType: dt.(tf.DataType), Shape: dims, Handle: n.Output(0), adopted: true}
	switch v.DType {
	case tf.Float, tf.Double, tf.Half, tf.Bfloat16:
		v.Trainable = true
	}
	for _, c := range v.Handle.Consumers() {
		switch c.Op.Type() {
		case "Assign", "AssignVariableOp":
			if c.Index == 0 && c.Op.Name() == n.Name()+"/Assign" {
				v.init = c.Op
			}
		}
	}
	return v
}

// arrange adds what finds out whether the variable holds anything, and what
// replaces it.
func (v *Variable) arrange(s *op.Scope) {
	if v.assign != nil || s.Err() != nil {
		return
	}
	s = s.SubScope("start").SubScope(v.Name).WithUniqueNames()
	kind, assign := "VarIsInitializedOp", "AssignVariableOp"
	if v.isRef() {
		kind, assign = "IsVariableInitialized", "Assign"
	}
	v.ready = s.AddOperation(tf.OpSpec{Type: kind, Input: []tf.Input{v.Handle}}).Output(0)
	v.feed = op.Placeholder(s, v.DType, op.PlaceholderShape(tf.MakeShape(v.Shape...)))
	if s.Err() == nil {
		v.assign = s.AddOperation(tf.OpSpec{Type: assign, Input: []tf.Input{v.Handle, v.feed}})
	}
}

// add adds x to the variable, or subtracts it.
func (v *Variable) change(s *op.Scope, sign string, x tf.Output) *tf.Operation {
	if s.Err() != nil {
		return nil
	}
	name := "Assign" + sign + "VariableOp"
	if v.isRef() {
		name = "Assign" + sign
	}
	return s.AddOperation(tf.OpSpec{Type: name, Input: []tf.Input{v.Handle, x}})
}

// set returns the variable the value x.
func (v *Variable) set(s *op.Scope, x tf.Output) *tf.Operation {
	if s.Err() != nil {
		return nil
	}
	name := "AssignVariableOp"
	if v.isRef() {
		name = "Assign"
	}
	return s.AddOperation(tf.OpSpec{Type: name, Input: []tf.Input{v.Handle, x}})
}

// outputs returns the outputs of variables that of gives.
func outputs(vars []*Variable, of func(*Variable) tf.Output) []tf.Output {
	list := make([]tf.Output, len(vars))
	for i, v := range vars {
		list[i] = of(v)
	}
	return list
}

func valueOf(v *Variable) tf.Output { return v.Value }
