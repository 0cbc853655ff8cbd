package function

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// A layout turns a function's definition into the outline of a GraphDef: a node
// for each argument, those of the body, a node for each result. It has the
// bytes of the definition, so nodes and attributes that stay as they are are
// not written again, followed by what it makes of the others.
type layout struct {
	lib   *Library
	watch *status.Watch
	def   *Definition
	sig   *registry.OpDef
	types registry.Resolved // of arguments and results, lists flattened
	out   *outline.Outline
	bind  *binding
	attrs registry.AttrDecoder

	places   map[string]place // by name: arguments and nodes of the body
	ops      []*layoutOp      // of the nodes of the body
	opSet    map[string]*layoutOp
	resolved map[int32]registry.Resolved // nodes of the body that somebody asked for

	args     int // nodes at the beginning
	results  int // nodes at the end
	controls []Control
}

// A place is where an argument or a node of the body is in the outline.
type place struct {
	node int32
	arg  int32 // which argument, -1 for a node of the body
}

// A layoutOp is an operation of nodes of the body.
type layoutOp struct {
	name  string
	def   *registry.OpDef
	lists bool // an output is a list, whose length the attributes say
}

// A source is an output of a node in the outline.
type source struct{ node, index int32 }

// A Layout is the outline of a function's body for given attributes. Its nodes
// are one for each argument, those of the body, and one for each result.
type Layout struct {
	*outline.Outline
	Args, Results int // how many: the first and the last nodes
	// Controls are nodes, by position, that have run when a call ends, with their
	// names in the signature.
	Controls []Control
}

// A Control is a node that a call waits for.
type Control struct {
	Name string
	Node int32
}

// LayOut lays out the body of a function of the library for these attributes,
// which are all that the function declares; see [Function.Resolve]. It ends with
// the error of watch, which may be nil.
func (lib *Library) LayOut(fn *Function, attrs registry.Attrs, watch *status.Watch) (*Layout, error) {
	def, err := readDefinition(wire.NewCursor("FunctionDef", fn.Def), watch)
	if err != nil {
		return nil, err
	}
	bind, err := newBinding(attrs, len(fn.Def))
	if err != nil {
		return nil, err
	}
	types, err := fn.types(attrs)
	if err != nil {
		return nil, err
	}
	l := &layout{
		lib: lib, watch: watch, def: def, sig: fn.Signature, types: types, bind: bind,
		attrs:  registry.AttrDecoder{Watch: watch},
		out:    &outline.Outline{Bytes: slices.Clone(fn.Def)},
		places: make(map[string]place, len(def.Nodes)+len(fn.Signature.Inputs)),
		opSet:  map[string]*layoutOp{}, resolved: map[int32]registry.Resolved{},
	}
	for _, step := range []func() error{
		l.addArgs,
		l.addNodes,
		l.addInputs,
		l.addResults,
		l.findControls,
		func() error { return outline.CheckSize(l.out.Bytes) },
	} {
		if err := watch.Ask(); err != nil {
			return nil, err
		}
		if err := step(); err != nil {
			return nil, err
		}
	}
	return &Layout{l.out, l.args, l.results, l.controls}, nil
}

// types returns the types of arguments and results, lists flattened. What the
// signature allows is for the nodes that call the function by its name.
func (fn *Function) types(attrs registry.Attrs) (registry.Resolved, error) {
	sig := *fn.Signature
	sig.Attrs = slices.Clone(sig.Attrs)
	for i := range sig.Attrs {
		a := &sig.Attrs[i]
		*a = registry.AttrDef{Name: a.Name, Kind: a.Kind}
	}
	return registry.Resolve(&sig, attrs)
}

// text returns a span of text that is new in the outline.
func (l *layout) text(s string) outline.Span {
	lo := len(l.out.Bytes)
	l.out.Bytes = append(l.out.Bytes, s...)
	return outline.Span{Lo: int32(lo), Hi: int32(len(l.out.Bytes))}
}

// addNode adds a node that the definition does not have.
func (l *layout) addNode(name, op string, attrs registry.Attrs, inputs ...source) error {
	n := outline.Node{Name: l.text(name), Op: l.text(op), Input: int32(len(l.out.Inputs)), NumInputs: int32(len(inputs))}
	for _, from := range inputs {
		l.addInput(from)
	}
	var err error
	if n.Attrs, err = l.write(attrs); err != nil {
		return outline.NodeError(err, name, op)
	}
	l.out.NameBytes += len(name)
	l.out.Nodes = append(l.out.Nodes, n)
	return nil
}

// write writes a node's attributes.
func (l *layout) write(attrs registry.Attrs) (outline.Span, error) {
	lo := len(l.out.Bytes)
	def, err := registry.AppendAttrs(l.out.Bytes, outline.NodeAttr, attrs)
	if err != nil {
		return outline.Span{}, err
	}
	l.out.Bytes = def
	return outline.Span{Lo: int32(lo), Hi: int32(len(def))}, nil
}

// addInput adds an input to the node that is being added.
func (l *layout) addInput(from source) {
	name := l.out.Nodes[from.node].Name
	if from.index == 0 {
		l.out.Inputs = append(l.out.Inputs, outline.Input{Text: name})
		return
	}
	id := l.out.Text(name) + ":" + strconv.Itoa(int(from.index))
	l.out.Inputs = append(l.out.Inputs, outline.Input{Text: l.text(id)})
}

// room reports whether the outline may have so many more nodes and inputs.
func (l *layout) room(more int) error {
	if most := outline.MaxOutputs(len(l.def.Bytes)); len(l.out.Nodes)+len(l.out.Inputs)+more > most {
		return status.Errorf(status.ResourceExhausted, "the body has more than %d nodes and inputs, the most that a definition of %d bytes may have", most, len(l.def.Bytes))
	}
	return nil
}

// addArgs adds a node for each argument.
func (l *layout) addArgs() error {
	for i := range l.sig.Inputs {
		arg := &l.sig.Inputs[i]
		n := arg.Len(l.types.Attrs)
		if n == 0 {
			return status.Invalid("Expected a list of at least one dtype; In %s:%s", arg.Name, arg.Spec())
		}
		if err := l.room(n); err != nil {
			return err
		}
		if _, ok := l.places[arg.Name]; ok {
			return status.Invalid("Duplicated arg name '%s'", arg.Name)
		}
		l.places[arg.Name] = place{int32(len(l.out.Nodes)), int32(i)}
		own, err := l.def.Argument(&l.attrs, i)
		if err != nil {
			return status.Within(err, "argument '%s'", arg.Name)
		}
		for k := range n {
			own = own.With("T", registry.TypeAttr(l.types.Inputs[l.args].Base()))
			own = own.With("index", registry.IntAttr(int64(l.args)))
			if err := l.addNode(elementName(arg.Name, k, n), "_Arg", own); err != nil {
				return err
			}
			l.args++
		}
	}
	return nil
}

// elementName returns the name of the node for tensor k of an argument or result.
func elementName(name string, k, n int) string {
	if n == 1 {
		return name
	}
	return name + "_" + strconv.Itoa(k)
}

// addNodes adds the nodes of the body, with their attributes.
func (l *layout) addNodes() error {
	l.ops = make([]*layoutOp, len(l.def.Nodes))
	if err := l.room(len(l.def.Nodes)); err != nil {
		return err
	}
	for i := range l.def.Nodes {
		if err := l.watch.Step(); err != nil {
			return err
		}
		n := l.def.Nodes[i]
		name, op := l.def.Text(n.Name), l.def.Text(n.Op)
		if old, ok := l.places[name]; ok {
			what := "another node"
			if old.arg >= 0 {
				what = "an argument"
			}
			return status.Invalid("Duplicated name '%s': a node of the body has that of %s", name, what)
		}
		l.places[name] = place{int32(len(l.out.Nodes)), -1}
		if hasPlaceholder(n.Attrs.Message("NodeDef", l.def.Bytes), outline.NodeAttr, 0) {
			attrs, err := l.bound(&n)
			if err != nil {
				return outline.NodeError(err, name, op)
			}
			if n.Attrs, err = l.write(attrs); err != nil {
				return outline.NodeError(err, name, op)
			}
		}
		if l.ops[i] = l.opSet[op]; l.ops[i] == nil {
			def, _, err := l.lib.Lookup(op)
			if err != nil {
				return outline.NodeError(err, name, op)
			}
			l.ops[i] = &layoutOp{name: op, def: def, lists: slices.ContainsFunc(def.Outputs, func(a registry.ArgDef) bool { return a.IsList() })}
			l.opSet[op] = l.ops[i]
		}
		n.Input, n.NumInputs = 0, 0
		l.out.NameBytes += len(name)
		l.out.Nodes = append(l.out.Nodes, n)
	}
	return nil
}

// bound returns a node's attributes with values for placeholders.
func (l *layout) bound(n *outline.Node) (registry.Attrs, error) {
	entries, err := l.def.Entries(n)
	if err != nil {
		return nil, err
	}
	attrs, err := l.def.Decode(&l.attrs, entries)
	if err != nil {
		return nil, err
	}
	return l.bind.bindAll(attrs)
}

// addInputs resolves the inputs of the body's nodes.
func (l *layout) addInputs() error {
	for i := range l.def.Nodes {
		n, out := &l.def.Nodes[i], &l.out.Nodes[l.args+i]
		if err := l.watch.Steps(1 + int(n.NumInputs)); err != nil {
			return err
		}
		out.Input = int32(len(l.out.Inputs))
		for k := n.Input; k < n.Input+n.NumInputs; k++ {
			if err := l.resolve(l.def.Text(l.def.Inputs[k].Text)); err != nil {
				return outline.NodeError(err, l.def.Text(n.Name), l.ops[i].name)
			}
		}
		out.NumInputs = int32(len(l.out.Inputs)) - out.Input
	}
	return nil
}

// resolve adds what an input names to the node that is being added: one input,
// several if it names a list.
func (l *layout) resolve(input string) error {
	if name, ok := strings.CutPrefix(input, "^"); ok {
		at, ok := l.places[name]
		if !ok {
			return status.Invalid("input '%s' is not found", input)
		}
		name = "^" + l.out.Text(l.out.Nodes[at.node].Name)
		l.out.Inputs = append(l.out.Inputs, outline.Input{Text: l.text(name)})
		return nil
	}
	first, n, err := l.find(input)
	switch {
	case err == errNotFound:
		return status.Invalid("input %s is not found", input)
	case err != nil:
		return err
	}
	if err := l.room(n); err != nil {
		return err
	}
	for k := range n {
		l.addInput(first.next(k, l.args))
	}
	return nil
}

// next returns the source k tensors on in the list that s begins: the next argument,
// or the next output of a node.
func (s source) next(k, args int) source {
	if int(s.node) < args {
		s.node += int32(k)
	} else {
		s.index += int32(k)
	}
	return s
}

// errNotFound says that there is nothing of that name, which the caller knows.
var errNotFound = errors.New("not found")

// find returns what "argument", "argument:index", "node:output" or
// "node:output:index" names: the first of n tensors.
func (l *layout) find(input string) (first source, n int, err error) {
	name, rest, _ := strings.Cut(input, ":")
	at, ok := l.places[name]
	if !ok {
		return source{}, 0, errNotFound
	}
	first = source{node: at.node}
	if at.arg >= 0 {
		n = l.argLen(at)
	} else {
		var output string
		output, rest, _ = strings.Cut(rest, ":")
		if first.index, n, err = l.outputRange(at, output); err != nil {
			return source{}, 0, err
		}
		if n < 0 {
			return source{}, 0, errNotFound
		}
	}
	if rest == "" {
		if strings.HasSuffix(input, ":") {
			return source{}, 0, errNotFound
		}
		return first, n, nil
	}
	k, err := strconv.ParseUint(rest, 10, 31)
	if err != nil || int(k) >= n || strconv.Itoa(int(k)) != rest {
		return source{}, 0, errNotFound
	}
	return first.next(int(k), l.args), 1, nil
}

// argLen returns the number of nodes of an argument.
func (l *layout) argLen(at place) int {
	end := int32(l.args)
	if next := int(at.arg) + 1; next < len(l.sig.Inputs) {
		end = l.places[l.sig.Inputs[next].Name].node
	}
	return int(end - at.node)
}

// outputRange returns the place of an output of a node of the body among all its
// outputs, and its length; -1 if there is no such output.
func (l *layout) outputRange(at place, output string) (first int32, n int, err error) {
	op := l.ops[int(at.node)-l.args]
	var attrs registry.Attrs
	if op.lists {
		r, err := l.node(at.node)
		if err != nil {
			return 0, 0, err
		}
		attrs = r.Attrs
	}
	start, stop, ok := registry.ArgRange(op.def.Outputs, attrs, output)
	if !ok {
		return 0, -1, nil
	}
	return int32(start), stop - start, nil
}

// node returns the attributes and types of a node of the body.
func (l *layout) node(at int32) (registry.Resolved, error) {
	if r, ok := l.resolved[at]; ok {
		return r, nil
	}
	n, op := &l.out.Nodes[at], l.ops[int(at)-l.args]
	entries, err := l.out.Entries(n)
	if err != nil {
		return registry.Resolved{}, err
	}
	attrs, err := l.out.Decode(&l.attrs, entries)
	if err != nil {
		return registry.Resolved{}, outline.NodeError(err, l.out.Text(n.Name), op.name)
	}
	r, err := registry.Resolve(op.def, attrs)
	if err != nil {
		return registry.Resolved{}, outline.NodeError(err, l.out.Text(n.Name), op.name)
	}
	l.resolved[at] = r
	return r, nil
}

// typeOf returns the type of an output in the outline.
func (l *layout) typeOf(from source) (tensor.DType, error) {
	if int(from.node) < l.args {
		return l.types.Inputs[from.node].Base(), nil
	}
	r, err := l.node(from.node)
	if err != nil {
		return tensor.Invalid, err
	}
	return r.Outputs[from.index].Base(), nil
}

// addResults adds a node for each result.
func (l *layout) addResults() error {
	for i := range l.sig.Outputs {
		if err := l.addResult(&l.sig.Outputs[i]); err != nil {
			e := *status.From(err)
			e.Message += "; In function output " + l.sig.Outputs[i].Name + ":" + l.sig.Outputs[i].Spec()
			return &e
		}
	}
	return nil
}

func (l *layout) addResult(ret *registry.ArgDef) error {
	from, ok := l.def.Returns[ret.Name]
	if !ok {
		return status.Invalid("Return %s missing.", ret.Name)
	}
	first, n, err := l.find(from)
	switch {
	case err == errNotFound:
		return status.Invalid("Return %s -> %s is not found.", ret.Name, from)
	case err != nil:
		return err
	}
	if err := l.room(n); err != nil {
		return err
	}
	want := l.types.Outputs[l.results:][:ret.Len(l.types.Attrs)]
	got := make([]tensor.DType, n)
	equal := n == len(want)
	for k := range got {
		if got[k], err = l.typeOf(first.next(k, l.args)); err != nil {
			return err
		}
		equal = equal && got[k] == want[k].Base()
	}
	if !equal {
		return status.Invalid("Invalid ret types %s : %s vs. %s", ret.Name, typeNames(want), typeNames(got))
	}
	for k, t := range got {
		attrs := registry.Attrs{
			{Name: "T", Value: registry.TypeAttr(t)},
			{Name: "index", Value: registry.IntAttr(int64(l.results))},
		}
		if err := l.addNode(elementName(ret.Name, k, n)+ResultSuffix, "_Retval", attrs, first.next(k, l.args)); err != nil {
			return err
		}
		l.results++
	}
	return nil
}

// ResultSuffix is what the node of a result is named after the result itself.
const ResultSuffix = "_RetVal"

// maxNamed is how many types a message lists before it says "...".
const maxNamed = 10

// typeNames lists types, not more than a message can bear.
func typeNames(types []tensor.DType) string {
	names := make([]string, 0, min(len(types), maxNamed+1))
	for i, t := range types {
		if i == maxNamed {
			names = append(names, "...")
			break
		}
		names = append(names, t.String())
	}
	return strings.Join(names, ", ")
}

// findControls finds the nodes that a call waits for: those of the signature's
// control outputs, and those that the definition names besides.
func (l *layout) findControls() error {
	names := slices.Clone(l.sig.ControlOutputs)
	declared := make(map[string]bool, len(names))
	for _, name := range names {
		declared[name] = true
	}
	for _, name := range sorted.Keys(l.def.Controls) {
		if !declared[name] {
			names = append(names, name)
		}
	}
	for _, name := range names {
		node, ok := l.def.Controls[name]
		if !ok {
			return status.Invalid("Control output '%s' missing.", name)
		}
		at, ok := l.places[node]
		if !ok {
			return status.Invalid("Control output '%s' -> '%s' is not found", name, node)
		}
		l.controls = append(l.controls, Control{name, at.node})
	}
	return nil
}
