package graph

import (
	"slices"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/graph/function"
	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A FunctionSpec says which part of a graph becomes a function.
type FunctionSpec struct {
	// Name is the function's name.
	Name string
	// Inputs become arguments: what takes one of these outputs in the graph
	// takes the argument in the body.
	Inputs []Output
	// Outputs are what the function returns: outputs of nodes of the body, or
	// inputs as they are.
	Outputs []Output
	// Controls are nodes of the body that have run when a call ends, whether
	// or not an output needs them.
	Controls []*Node
	// InputNames, OutputNames and ControlNames name these in the signature; nil
	// stands for names made from those of the nodes. Names of control outputs are
	// those of the nodes then.
	InputNames, OutputNames, ControlNames []string

	// Nodes is the body; nil stands for what a step with these inputs fed
	// needs for the outputs and controls. The producer of an input is part of
	// the body only if it is among them.
	Nodes []*Node
	// Stateful says that calls have effects; a stateful node in the body says
	// so too.
	Stateful bool
	// Description documents the function.
	Description string
	// Attrs are attributes of the function itself, such as _noinline, of the
	// types that [OpSpec] has.
	Attrs map[string]any
}

// MakeFunction makes a function of a part of the graph, which stays as it is;
// the function is not in the library until [Graph.AddFunction] adds it. Types
// are those of the graph: the function has no attributes to be instantiated
// with.
//
// It fails with INVALID_ARGUMENT if an input is named twice, if a node of the
// body takes or waits for one that is neither in the body nor an input, and if
// an output comes from neither.
func (g *Graph) MakeFunction(spec FunctionSpec) (*Function, error) {
	m, err := newMaker(g, &spec)
	if err == nil {
		var f *Function
		if f, err = m.make(); err == nil {
			return f, nil
		}
	}
	return nil, status.Within(err, "function '%s'", spec.Name)
}

// Function returns the function, under a new name, whose body this is: the inverse of
// [Graph.Instantiate], save that the function has no attributes to be
// instantiated with. It has the attributes given, which may be nil.
func (b *Body) Function(name string, attrs map[string]any) (*Function, error) {
	spec := FunctionSpec{Name: name, Attrs: attrs}
	for _, n := range b.Graph.Nodes() {
		if n.sig.class != ClassArg && n.sig.class != ClassRetval {
			spec.Nodes = append(spec.Nodes, n)
		}
	}
	for _, n := range b.Args {
		spec.Inputs = append(spec.Inputs, n.Output(0))
		spec.InputNames = append(spec.InputNames, n.name)
	}
	for _, n := range b.Results {
		spec.Outputs = append(spec.Outputs, n.self.inputs[0])
		spec.OutputNames = append(spec.OutputNames, strings.TrimSuffix(n.name, function.ResultSuffix))
	}
	for _, c := range b.Controls {
		spec.Controls = append(spec.Controls, c.Op)
		spec.ControlNames = append(spec.ControlNames, c.Name)
	}
	if spec.Nodes == nil {
		spec.Nodes = []*Node{}
	}
	return b.Graph.MakeFunction(spec)
}

// A maker makes a function.
type maker struct {
	spec   *FunctionSpec
	nodes  []*Node
	body   map[*Node]bool
	inputs map[Output]int // canonical, to the argument
	fed    map[*Node]int  // nodes that are not in the body, to an argument that stands for them
	args   []string       // names
	w      function.Writer
}

func newMaker(g *Graph, spec *FunctionSpec) (*maker, error) {
	m := &maker{spec: spec, body: map[*Node]bool{}, inputs: map[Output]int{}, fed: map[*Node]int{}}
	for i, p := range spec.Inputs {
		if err := g.owns("input", p); err != nil {
			return nil, err
		}
		if _, ok := m.inputs[p.Canonical()]; ok {
			return nil, status.Invalid("TF_Output %v appears twice in the input list", p)
		}
		m.inputs[p.Canonical()] = i
	}
	for _, p := range spec.Outputs {
		if err := g.owns("output", p); err != nil {
			return nil, err
		}
	}
	for _, n := range slices.Concat(spec.Controls, spec.Nodes) {
		if n == nil || n.graph != g {
			return nil, status.Invalid("a node of the body is not a node of this graph")
		}
	}
	m.nodes = slices.Clone(spec.Nodes)
	if spec.Nodes == nil {
		m.nodes = m.needed()
	}
	m.nodes = sortedNodes(m.nodes)
	for _, n := range m.nodes {
		if n.sig.class == ClassArg || n.sig.class == ClassRetval {
			return nil, outline.NodeError(status.Invalid("it stands for an argument or result of another function: let its tensor be an input or output"), n.name, n.Type())
		}
		m.body[n] = true
	}
	for p, i := range m.inputs {
		if first, ok := m.fed[p.Op]; !m.body[p.Op] && (!ok || i < first) {
			m.fed[p.Op] = i
		}
	}
	for _, list := range []struct {
		what        string
		names, want int
		given       bool
	}{
		{"inputs", len(spec.InputNames), len(spec.Inputs), spec.InputNames != nil},
		{"outputs", len(spec.OutputNames), len(spec.Outputs), spec.OutputNames != nil},
		{"control outputs", len(spec.ControlNames), len(spec.Controls), spec.ControlNames != nil},
	} {
		if list.given && list.names != list.want {
			return nil, status.Invalid("%d names for %d %s", list.names, list.want, list.what)
		}
	}
	return m, nil
}

// needed returns the nodes that outputs and controls need, given the inputs. A node
// all of whose outputs are inputs is not needed, even by a control edge.
func (m *maker) needed() []*Node {
	passed := func(n *Node) bool {
		for i := range n.NumOutputs() {
			if _, ok := m.inputs[Output{n, i}]; !ok {
				return false
			}
		}
		return n.NumOutputs() > 0
	}
	roots := slices.Clone(m.spec.Controls)
	for _, p := range m.spec.Outputs {
		if _, ok := m.inputs[p.Canonical()]; !ok {
			roots = append(roots, p.Op)
		}
	}
	var nodes []*Node
	DepthFirst(roots, func(n *Node, yield func(*Node)) {
		for _, from := range n.inputs {
			if _, ok := m.inputs[from]; !ok {
				yield(from.Op)
			}
		}
		for _, c := range n.controls {
			if !passed(c) {
				yield(c)
			}
		}
	}, func(n *Node) { nodes = append(nodes, n) }, nil)
	return nodes
}

func (m *maker) make() (*Function, error) {
	m.w.Signature = registry.OpDef{Name: m.spec.Name, Stateful: m.spec.Stateful, Description: m.spec.Description}
	for _, step := range []func() error{m.addArgs, m.addNodes, m.addOutputs, m.addControls} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	var err error
	if m.w.Attrs, err = attrsOf(m.spec.Attrs); err != nil {
		return nil, err
	}
	return m.w.Function()
}

// argument returns an argument or result of a signature.
func argument(name string, t tensor.DType) registry.ArgDef {
	return registry.ArgDef{Name: name, Type: t.Base(), IsRef: t.IsRef()}
}

// addArgs adds the arguments. The node of one that is itself an argument of a
// function passes its attributes on.
func (m *maker) addArgs() error {
	names := newArgNames(m.nodes)
	for i, p := range m.spec.Inputs {
		name := p.Op.name
		if m.spec.InputNames != nil {
			name = m.spec.InputNames[i]
		}
		m.args = append(m.args, names.add(name))
		m.w.Signature.Inputs = append(m.w.Signature.Inputs, argument(m.args[i], p.DataType()))
		var attrs registry.Attrs
		if sig := p.Op.sig; sig.class == ClassArg {
			attrs = sig.attrs.Without("T", "index")
		}
		m.w.Args = append(m.w.Args, attrs)
	}
	return nil
}

func (m *maker) addNodes() error {
	for _, n := range m.nodes {
		var inputs []string
		for i, from := range n.self.inputs {
			in, ok := m.inputName(from)
			if !ok {
				return status.Invalid("Input %d, '%v', of node '%s' in function '%s' is not available. You might need to include it in inputs or include its source node in the body",
					i, from, n.name, m.spec.Name)
			}
			inputs = append(inputs, in)
		}
		for _, c := range n.controls {
			name := c.name
			if arg, ok := m.fed[c]; ok {
				name = m.args[arg]
			} else if !m.body[c] {
				return status.Invalid("The source of control edge ^%s -> %s is not in the body. Encountered while creating function '%s'", c.name, n.name, m.spec.Name)
			}
			inputs = append(inputs, "^"+name)
		}
		m.w.Signature.Stateful = m.w.Signature.Stateful || n.sig.op.Stateful
		if err := m.w.Node(n.name, n.Type(), inputs, n.device, n.sig.attrs); err != nil {
			return err
		}
	}
	return nil
}

// inputName returns how the body names an output: the argument that it is, or
// "node:output:index".
func (m *maker) inputName(p Output) (string, bool) {
	if arg, ok := m.inputs[p]; ok {
		return m.args[arg], true
	}
	if !m.body[p.Op] {
		return "", false
	}
	arg, place := registry.ArgAt(p.Op.sig.op.Outputs, p.Op.sig.attrs, p.Index)
	if arg == nil {
		return "", false
	}
	return p.Op.name + ":" + arg.Name + ":" + strconv.Itoa(place), true
}

func (m *maker) addOutputs() error {
	names := newArgNames(nil)
	for i, p := range m.spec.Outputs {
		from, ok := m.inputName(p.Canonical())
		if !ok {
			return status.Invalid("TF_Output %v is neither in the function body nor among function inputs. Encountered while creating function '%s'", p, m.spec.Name)
		}
		name := p.Op.name
		if m.spec.OutputNames != nil {
			name = m.spec.OutputNames[i]
		}
		name = names.add(name)
		m.w.Signature.Outputs = append(m.w.Signature.Outputs, argument(name, p.DataType()))
		m.w.Returns = append(m.w.Returns, function.Entry{Name: name, From: from})
	}
	return nil
}

func (m *maker) addControls() error {
	for i, n := range m.spec.Controls {
		if n == nil || !m.body[n.self] {
			return status.Invalid("control output %d is not a node of the body", i)
		}
		name := n.name
		if m.spec.ControlNames != nil {
			name = m.spec.ControlNames[i]
		}
		if slices.Contains(m.w.Signature.ControlOutputs, name) {
			return status.Invalid("Repeated control output '%s'", name)
		}
		m.w.Signature.ControlOutputs = append(m.w.Signature.ControlOutputs, name)
		m.w.Controls = append(m.w.Controls, function.Entry{Name: name, From: n.name})
	}
	return nil
}

// argNames makes names of arguments or results: a letter, then letters,
// digits and '_', each name once. Those of arguments also differ from those of
// the body's nodes.
type argNames map[string]bool

func newArgNames(nodes []*Node) argNames {
	names := argNames{}
	for _, n := range nodes {
		names[n.name] = true
	}
	return names
}

func (taken argNames) add(name string) string {
	name = argName(name)
	unique := name
	for i := 0; taken[unique]; i++ {
		unique = name + "_" + strconv.Itoa(i)
	}
	taken[unique] = true
	return unique
}

// argName is name if it can be an argument's, else, as TensorFlow has it, with
// lower-case letters from the first letter on and '_' for all that is neither
// letter nor digit.
func argName(name string) string {
	if plainName(name) {
		return name
	}
	b := []byte(name)
	first := len(b)
	for i, c := range b {
		switch {
		case c >= 'A' && c <= 'Z':
			b[i] = c - 'A' + 'a'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		default:
			b[i] = '_'
		}
		if first == len(b) && b[i] >= 'a' && b[i] <= 'z' {
			first = i
		}
	}
	if first == len(b) {
		return "unknown"
	}
	return string(b[first:])
}

// plainName reports whether name is a letter followed by letters, digits and '_'.
func plainName(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return name != ""
}
