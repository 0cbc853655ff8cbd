package model

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/ops/io/bundle"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// A SavedModel of TensorFlow 2 has two graphs of objects: a SavedObjectGraph, whose
// objects are variables, tables and what holds them, and in the checkpoint a
// TrackableObjectGraph, which says under which keys the objects' values are. Both are
// walked side by side from the first object along children of one name. Which object a
// variable's node is, the calls of functions say: a function lists the objects that
// its last inputs are.
//
// The operations that a model's saver runs restore most models. They do not where the
// saver made other nodes for the variables than the signatures read, as for models of
// Keras 3 within a tf.Module.

// An objectGraph is what either message says.
type objectGraph struct {
	objects []savedObject
	bound   map[string][]int // of functions: the objects that the last inputs are
}

type savedObject struct {
	children []reference
	slots    []slot
	variable string // the name, of a variable of a SavedObjectGraph
	key      string // of its value, in a TrackableObjectGraph
}

// A reference names an object within another.
type reference struct {
	name string
	to   int
}

// A slot is what an optimizer keeps for a variable.
type slot struct {
	variable int
	name     string
	value    int
}

const objectGraphKey = "_CHECKPOINTABLE_OBJECT_GRAPH" // in a checkpoint

// parseObjects reads a SavedObjectGraph, or a TrackableObjectGraph if trackable.
func parseObjects(b []byte, trackable bool) (*objectGraph, error) {
	name := "SavedObjectGraph"
	if trackable {
		name = "TrackableObjectGraph"
	}
	g := &objectGraph{bound: map[string][]int{}}
	c := wire.NewCursor(name, b)
	for c.Next() {
		switch {
		case c.IsBytes(1): // nodes
			o, err := parseObject(c.Message("SavedObject"), trackable)
			if err != nil {
				return nil, err
			}
			g.objects = append(g.objects, o)
		case c.IsBytes(2) && !trackable: // concrete_functions
			if err := g.addFunction(c.Message("ConcreteFunctionsEntry")); err != nil {
				return nil, err
			}
		}
	}
	if c.Err() != nil {
		return nil, c.Err()
	}
	return g, nil
}

func parseObject(c wire.Cursor, trackable bool) (o savedObject, err error) {
	for c.Next() {
		switch {
		case c.IsBytes(1): // children
			var r reference
			in := c.Message("ObjectReference")
			for in.Next() {
				switch {
				case in.IsVarint(1):
					r.to = index(in.Value)
				case in.IsBytes(2):
					r.name = string(in.Body())
				}
			}
			if in.Err() != nil {
				return o, in.Err()
			}
			o.children = append(o.children, r)
		case c.IsBytes(3): // slot_variables
			var s slot
			in := c.Message("SlotVariableReference")
			for in.Next() {
				switch {
				case in.IsVarint(1):
					s.variable = index(in.Value)
				case in.IsBytes(2):
					s.name = string(in.Body())
				case in.IsVarint(3):
					s.value = index(in.Value)
				}
			}
			if in.Err() != nil {
				return o, in.Err()
			}
			o.slots = append(o.slots, s)
		case c.IsBytes(2) && trackable: // attributes
			var name, key string
			in := c.Message("SerializedTensor")
			for in.Next() {
				switch {
				case in.IsBytes(1):
					name = string(in.Body())
				case in.IsBytes(3):
					key = string(in.Body())
				}
			}
			if in.Err() != nil {
				return o, in.Err()
			}
			if name == attribute {
				o.key = key
			}
		case c.IsBytes(7) && !trackable: // variable
			in := c.Message("SavedVariable")
			for in.Next() {
				if in.IsBytes(6) {
					o.variable = string(in.Body())
				}
			}
			if in.Err() != nil {
				return o, in.Err()
			}
		}
	}
	if c.Err() != nil {
		return o, c.Err()
	}
	return o, nil
}

// index returns the number of an object; -1 for one that no graph has.
func index(v uint64) int {
	if v > 1<<31 {
		return -1
	}
	return int(v)
}

// addFunction reads an entry of the map concrete_functions.
func (g *objectGraph) addFunction(c wire.Cursor) error {
	var name string
	var bound []int
	for c.Next() {
		switch {
		case c.IsBytes(1):
			name = string(c.Body())
		case c.IsBytes(2):
			in := c.Message("SavedConcreteFunction")
			for in.Next() {
				switch {
				case in.IsBytes(2): // bound_inputs
					numbers := in.Numbers(protowire.VarintType)
					for numbers.Next() {
						bound = append(bound, index(numbers.Value))
					}
					if err := numbers.Err(); err != nil {
						return err
					}
				case in.IsVarint(2):
					bound = append(bound, index(in.Value))
				}
			}
			if in.Err() != nil {
				return in.Err()
			}
		}
	}
	if c.Err() != nil {
		return c.Err()
	}
	g.bound[name] = bound
	return nil
}

// object is object i, or nil.
func (g *objectGraph) object(i int) *savedObject {
	if i < 0 || i >= len(g.objects) {
		return nil
	}
	return &g.objects[i]
}

// keys returns the keys in the checkpoint of the objects' values.
func (g *objectGraph) keys(checkpoint *objectGraph) map[int]string {
	is := map[int]int{0: 0} // by objects of g, those of the checkpoint
	todo := []int{0}
	meet := func(i, j int) {
		if _, met := is[i]; !met && g.object(i) != nil && checkpoint.object(j) != nil {
			is[i] = j
			todo = append(todo, i)
		}
	}
	var withSlots []int
	for range 2 { // what slots lead to has no slots
		for len(todo) > 0 {
			i := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			mine, theirs := g.object(i), checkpoint.object(is[i])
			if mine == nil || theirs == nil {
				continue
			}
			named := map[string]int{}
			for _, c := range theirs.children {
				named[c.name] = c.to
			}
			for _, c := range mine.children {
				if j, ok := named[c.name]; ok {
					meet(c.to, j)
				}
			}
			if len(mine.slots) > 0 {
				withSlots = append(withSlots, i)
			}
		}
		// Slots are found by the variables that they are for, which all have been met.
		for _, i := range withSlots {
			type place struct {
				variable int
				name     string
			}
			named := map[place]int{}
			for _, s := range checkpoint.object(is[i]).slots {
				named[place{s.variable, s.name}] = s.value
			}
			for _, s := range g.object(i).slots {
				if of, ok := is[s.variable]; ok {
					if j, ok := named[place{of, s.name}]; ok {
						meet(s.value, j)
					}
				}
			}
		}
	}
	keys := map[int]string{}
	for i, j := range is {
		if o := checkpoint.object(j); o != nil && o.key != "" {
			keys[i] = o.key
		}
	}
	return keys
}

// variables returns the objects that variables' nodes are: by the calls of functions, or
// else by a name that one object alone has.
func (g *objectGraph) variables(of *graph.Graph) map[*session.Operation]int {
	is := map[*session.Operation]int{}
	for _, n := range of.Nodes() {
		if !strings.HasSuffix(n.Type(), "PartitionedCall") {
			continue
		}
		called := n.Attrs().Find("f").Func
		if called == nil {
			continue
		}
		bound, inputs := g.bound[called.Name], n.Inputs()
		if len(bound) > len(inputs) {
			continue
		}
		for i, in := range inputs[len(inputs)-len(bound):] {
			if o := g.object(bound[i]); o != nil && in.Op.Type() == "VarHandleOp" {
				is[in.Op] = bound[i]
			}
		}
	}
	named := map[string]int{}
	for i := range g.objects {
		if name := g.objects[i].variable; name != "" {
			if _, again := named[name]; again {
				i = -1
			}
			named[name] = i
		}
	}
	for _, n := range of.Nodes() {
		if _, known := is[n]; !known && n.Type() == "VarHandleOp" {
			if i, ok := named[text(n, "shared_name")]; ok && i >= 0 {
				is[n] = i
			}
		}
	}
	return is
}

// restoreObjects restores, by the graphs of objects, those variables that signatures
// need and that have no value yet.
func (m *loader) restoreObjects(prefix string, saved []byte) error {
	if len(saved) == 0 {
		return nil
	}
	without, err := m.without()
	if err != nil || len(without) == 0 {
		return err
	}
	r, err := bundle.Open(m.options.Files, prefix)
	if status.CodeOf(err) == status.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err := r.Entry(objectGraphKey); status.CodeOf(err) == status.NotFound {
		return nil
	}
	value, err := r.Read(bundle.Heap, objectGraphKey, nil)
	if err != nil {
		return err
	}
	if value.DType() != tensor.String || !value.IsScalar() {
		return status.Errorf(status.DataLoss, "%s: %s is %v%s instead of one string", prefix, objectGraphKey, value.DType(), tensor.FormatDims(value.Dims()))
	}
	checkpoint, err := parseObjects([]byte(tensor.At0[string](&value)), true)
	if err != nil {
		return errMalformedModel(err)
	}
	objects, err := parseObjects(saved, false)
	if err != nil {
		return errMalformedModel(err)
	}
	keys, is := objects.keys(checkpoint), objects.variables(m.Graph)
	var found []*session.Operation
	var names []string
	var types []tensor.DType
	for _, n := range without {
		i, ok := is[n]
		if !ok || keys[i] == "" {
			continue
		}
		dt, err := n.Attr("dtype")
		if err != nil {
			return err
		}
		found, names, types = append(found, n), append(names, keys[i]), append(types, dt.(tensor.DType))
	}
	if found == nil {
		return nil
	}
	return m.restoreAs(prefix, found, names, types)
}

// restoreAs adds operations that restore variables from what the checkpoint has under
// the names, and runs them.
func (m *loader) restoreAs(prefix string, variables []*session.Operation, names []string, types []tensor.DType) error {
	b := graph.NewBuilder(m.Graph).Scope("restore_objects")
	file := b.Op("Placeholder", graph.Attrs{"dtype": tensor.String, "shape": graph.ScalarShape()})
	values := b.Add(graph.OpSpec{
		Type:  "RestoreV2",
		Input: []graph.Input{file, b.Const(names), b.Const(make([]string, len(names)))},
		Attrs: graph.Attrs{"dtypes": types},
	})
	if err := b.Err(); err != nil {
		return err
	}
	var assigns []*graph.Node
	for i, n := range variables {
		assigns = append(assigns, b.Add(graph.OpSpec{Type: "AssignVariableOp", Input: []graph.Input{n.Output(0), values.Output(i)}}))
	}
	if err := b.Err(); err != nil {
		return err
	}
	all := b.After(assigns...).Add(graph.OpSpec{Type: "NoOp"})
	if err := b.Err(); err != nil {
		return err
	}
	return m.runOp(map[session.Output]*session.Tensor{file: tensor.FromScalar(prefix)}, all.Name())
}
