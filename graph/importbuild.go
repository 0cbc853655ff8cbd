package graph

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

// smallAttrs is the most bytes of attributes that are looked up among those
// of other nodes: constants are rarely alike.
const smallAttrs = 512

// build makes the nodes, in order, and checks each as TensorFlow does: where it
// is colocated, that its inputs exist, its attributes, their number, the types
// of its inputs, shapes.
func (im *importer) build() error {
	s := im.scan
	im.nodes = make([]Node, len(s.Nodes))
	im.devices = map[string]string{}
	im.attrs.Room = im.opts.Room
	im.sigs = map[string]*signature{}
	data, control := 0, 0
	for i := range s.Inputs {
		if s.Inputs[i].Index == Control {
			control++
		} else {
			data++
		}
	}
	inputs := make([]Output, 0, data)
	controls := make([]*Node, 0, control)
	seen := make([]int32, len(s.Nodes)) // last node to wait for a position, plus 1
	var mapped []*Node                  // control inputs that are nodes of the graph
	var inherits bool                   // an input brings the control dependencies along
	base := len(im.g.nodes)
	inferrer := shape.Inferrer{Producer: im.declared.Producer}
	loops := false
	for place, i := range im.order[:im.sorted] {
		sn := &s.Nodes[i]
		if err := im.watch.Steps(4 + int(sn.NumInputs)); err != nil {
			return err
		}
		n := &im.nodes[place]
		*n = Node{self: n, graph: im.g, id: base + place, name: im.final[i]}
		firstInput, firstControl := len(inputs), len(controls)
		mapped, inherits = mapped[:0], false
		for k := sn.Input; k < sn.Input+sn.NumInputs; k++ {
			in := &s.Inputs[k]
			from := Output{Index: int(in.Index)}
			if in.Node < 0 {
				from = im.mapped[-in.Node-1]
			} else {
				from.Op = &im.nodes[im.place[in.Node]]
				inherits = inherits || im.place[in.Node] < int32(place)
			}
			if in.Index != Control {
				if from.Op.sig != nil && !from.Exists() {
					return im.noOutput(i, in, from)
				}
				inputs = append(inputs, from)
				continue
			}
			if in.Node < 0 {
				mapped = append(mapped, from.Op)
			} else if seen[in.Node] != int32(place)+1 {
				seen[in.Node] = int32(place) + 1
				controls = append(controls, from.Op)
			}
		}
		n.inputs = inputs[firstInput:len(inputs):len(inputs)]
		n.controls = controls[firstControl:len(controls):len(controls)]
		if !inherits {
			mapped = append(mapped, im.opts.ControlDependencies...)
		}
		if len(mapped) > 0 {
			n.controls = addControls(n.controls, mapped)
		}
		var err error
		if n.device, err = im.device(sn.Device); err != nil {
			return outline.NodeError(err, n.name, im.ops[i].name)
		}
		sig, err := im.signature(i, n.inputs)
		if err != nil {
			return outline.NodeError(err, n.name, im.ops[i].name)
		}
		if len(n.inputs) != len(sig.inTypes) {
			return inputCountError(n.name, sig, len(n.inputs))
		}
		if err := registry.CheckDeprecation(sig.op, im.declared.Producer); err != nil {
			return outline.NodeError(err, n.name, im.ops[i].name)
		}
		waits, err := n.connect(sig)
		if err != nil {
			return err
		}
		loops = loops || waits

		im.outputs += len(sig.outTypes)
		if im.outputs > outline.MaxOutputs(len(s.Bytes)) {
			return status.Errorf(status.ResourceExhausted, "node '%s': the nodes up to this one have %d outputs, more than a GraphDef of %d bytes may have",
				n.name, im.outputs, len(s.Bytes))
		}
		if im.body {
			n.inferAlone(&inferrer)
		} else if err := n.infer(&inferrer, im.opts.KeepShapes, im.watch); err != nil {
			return outline.NodeError(err, n.name, im.ops[i].name)
		}
	}
	if im.sorted < len(im.order) {
		return im.stuckError()
	}
	if loops {
		return im.checkBackEdges()
	}
	return nil
}

// noOutput returns the error of an input of the node at position i that names an
// output which its source does not have.
func (im *importer) noOutput(i int32, in *outline.Input, from Output) error {
	source := from.Op.name
	if in.Node >= 0 {
		source = im.names[in.Node]
	}
	more := ""
	switch from.Op.Type() {
	case "If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile":
		// Its gradient was added by another copy of the graph, in which the node has
		// intermediate results, too.
		more = " Try using tf.compat.v1.experimental.output_all_intermediates(True)."
	}
	return status.Invalid("Node '%s': Connecting to invalid output %d of source node %s which has %d outputs.%s",
		im.names[i], from.Index, source, from.Op.NumOutputs(), more)
}

// connect returns a node its signature and checks the number and the types of
// its inputs, save those that come from a node yet to be built, which it reports.
func (n *Node) connect(sig *signature) (waits bool, err error) {
	if len(n.inputs) != len(sig.inTypes) {
		return false, inputCountError(n.name, sig, len(n.inputs))
	}
	n.sig = sig
	for k, from := range n.inputs {
		if from.Op.sig == nil {
			waits = true
			continue
		}
		if err := checkEdge(n, k, from); err != nil {
			return false, err
		}
	}
	return waits, nil
}

// checkBackEdges checks the inputs of Merges that were not built before them.
func (im *importer) checkBackEdges() error {
	for i := range im.nodes {
		n := &im.nodes[i]
		if n.sig.class != ClassMerge {
			continue
		}
		for k, from := range n.inputs {
			if !from.Exists() {
				return status.Invalid("Output %d of node %s does not exist. Node only has %d outputs.; node '%s' (%s)",
					from.Index, from.Op.name, from.Op.NumOutputs(), n.name, n.sig.op.Name)
			}
			if err := checkEdge(n, k, from); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkEdge reports whether the output exists and has the type that input k of n
// is declared with. A reference may go where its value is asked for.
func checkEdge(n *Node, k int, from Output) error {
	if !from.Exists() {
		return outline.NodeError(noOutputError(from), n.name, n.sig.op.Name)
	}
	want, got := n.sig.inTypes[k], from.Op.sig.outTypes[from.Index]
	if !registry.Accepts(want, got) {
		return status.Invalid("Input %d of node %s was passed %v from %s:%d incompatible with expected %v.",
			k, n.name, got, from.Op.name, from.Index, want)
	}
	return nil
}

func noOutputError(from Output) error {
	return status.Invalid("Connecting to invalid output %d of source node %s which has %d outputs.",
		from.Index, from.Op.name, from.Op.NumOutputs())
}

func inputCountError(name string, sig *signature, got int) error {
	types := make([]string, len(sig.inTypes))
	for i, t := range sig.inTypes {
		types[i] = t.String()
	}
	if len(types) > maxNamed {
		types = append(types[:maxNamed], "...")
	}
	return status.Invalid("NodeDef expected inputs '%s' do not match %d inputs specified; node '%s' (%s)",
		strings.Join(types, ", "), got, name, sig.op.Name)
}

// addControls adds the nodes that are not in controls yet, each once.
func addControls(controls, more []*Node) []*Node {
	const few = 8
	if len(controls)+len(more) <= few {
		for _, n := range more {
			if !slices.Contains(controls, n.self) {
				controls = append(controls, n.self)
			}
		}
		return controls
	}
	seen := make(map[*Node]bool, len(controls)+len(more))
	for _, n := range controls {
		seen[n] = true
	}
	for _, n := range more {
		if !seen[n.self] {
			seen[n.self] = true
			controls = append(controls, n.self)
		}
	}
	return controls
}

// device returns a node's device, each distinct one kept once.
func (im *importer) device(sp outline.Span) (string, error) {
	b := sp.Of(im.scan.Bytes)
	if len(b) == 0 {
		return im.opts.DefaultDevice, nil
	}
	if d, ok := im.devices[string(b)]; ok {
		return d, nil
	}
	d := string(b)
	if err := checkDevice(d); err != nil {
		return "", err
	}
	im.devices[d] = d
	return d, nil
}

// signature returns what the attributes make of the operation of the node at
// position i. Nodes with the same bytes share one.
func (im *importer) signature(i int32, inputs []Output) (*signature, error) {
	b := im.scan.Nodes[i].Attrs.Of(im.scan.Bytes)
	if len(b) > smallAttrs || im.opts.InferAttrs {
		return im.newSignature(i, inputs)
	}
	var space [smallAttrs + 64]byte
	key := append(append(append(space[:0], im.ops[i].name...), 0), b...)
	if sig := im.sigs[string(key)]; sig != nil {
		return sig, nil
	}
	sig, err := im.newSignature(i, inputs)
	if err != nil {
		return nil, err
	}
	im.sigs[string(key)] = sig
	return sig, nil
}

func (im *importer) newSignature(at int32, inputs []Output) (*signature, error) {
	op, sp := im.ops[at], im.scan.Nodes[at].Attrs
	var entries [][]byte
	c := sp.Message("NodeDef", im.scan.Bytes)
	for c.Next() {
		if c.IsBytes(outline.NodeAttr) {
			entries = append(entries, c.Body())
		}
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	attrs, err := im.attrs.Attrs(entries...)
	if err != nil {
		return nil, err
	}
	for i := range attrs {
		// An empty list on the wire does not say of what.
		if v := &attrs[i].Value; v.Kind == registry.ListOf {
			if def := op.def.Attr(attrs[i].Name); def != nil && def.Kind.IsList() {
				v.Kind = def.Kind
			}
		}
	}
	sig := &signature{op: op.def, class: op.class}
	const shapes = registry.KindShape | registry.ListOf
	if v := attrs.Find(outputShapes); v != nil && !im.opts.KeepShapes && (v.Kind == shapes || v.CheckKind(shapes) == nil) {
		if err := v.Err(); err != nil {
			return nil, status.Within(err, "Node '%s' has an invalid %s attribute", im.names[at], outputShapes)
		}
		sig.declared = append([]registry.AttrValue{}, v.List...)
		attrs = slices.DeleteFunc(slices.Clone(attrs), func(a registry.NamedAttr) bool { return a.Name == outputShapes })
	}
	if v := attrs.Find(colocation); v != nil && !im.body {
		if err := im.colocate(im.names[at], v); err != nil {
			return nil, err
		}
	}
	return sig, sig.resolve(attrs, im.opts.InferAttrs, inputs)
}

const (
	colocation   = "_class" // list(string): "loc:@node" for nodes to share a device with
	locPrefix    = "loc:@"
	outputShapes = "_output_shapes" // list(shape)
)

// colocate renames the nodes of a colocation attribute as imported nodes are. Where the
// import extends the graph they may be nodes that it has.
func (im *importer) colocate(node string, v *registry.AttrValue) error {
	v.List = slices.Clone(v.List)
	for i, e := range v.List {
		name, ok := strings.CutPrefix(e.S, locPrefix)
		if !ok {
			continue
		}
		at, ok := im.index[name]
		switch {
		case ok:
			v.List[i].S = locPrefix + im.final[at]
		case im.opts.Extend && im.g.named(name) != nil:
		default:
			return status.Invalid("Node '%s' expects to be colocated with unknown node '%s'", node, name)
		}
	}
	return nil
}
