package graph

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
)

// smallAttrs is the most bytes of attributes that are looked up among those
// of other nodes: constants are rarely alike.
const smallAttrs = 512

// maxOutputs bounds the outputs of all nodes of a GraphDef of that many bytes,
// as a node can declare any number of them in a few bytes.
func maxOutputs(bytes int) int { return 1<<20 + bytes }

// build makes the nodes, in order.
func (im *importer) build() error {
	s := im.scan
	im.nodes = make([]Node, len(s.nodes))
	im.devices = map[string]string{}
	im.sigs = map[string]*signature{}
	data, control := 0, 0
	for i := range s.inputs {
		if s.inputs[i].index == Control {
			control++
		} else {
			data++
		}
	}
	inputs := make([]Output, 0, data)
	controls := make([]*Node, 0, control)
	seen := make([]int32, len(s.nodes)) // last node to wait for a position, plus 1
	base := len(im.g.nodes)
	im.infer.begin(im.g)
	loops := false
	for place, i := range im.order {
		sn := &s.nodes[i]
		n := &im.nodes[place]
		sig, err := im.signature(im.ops[i], sn.attrs)
		if err != nil {
			return nodeError(err, im.names[i], im.ops[i].name)
		}
		*n = Node{self: n, graph: im.g, id: base + place, name: im.final[i], sig: sig}
		if n.device, err = im.device(sn.device); err != nil {
			return nodeError(err, im.names[i], im.ops[i].name)
		}

		firstInput, firstControl := len(inputs), len(controls)
		inherits := false
		for k := sn.input; k < sn.input+sn.inputs; k++ {
			in := &s.inputs[k]
			from := Output{Index: int(in.index)}
			if in.node < 0 {
				from = im.mapped[-in.node-1]
			} else {
				from.Op = &im.nodes[im.place[in.node]]
				inherits = inherits || im.place[in.node] < int32(place)
			}
			if in.index != Control {
				inputs = append(inputs, from)
				continue
			}
			if in.node >= 0 {
				if seen[in.node] == int32(place)+1 {
					continue
				}
				seen[in.node] = int32(place) + 1
			} else if slices.Contains(controls[firstControl:], from.Op) {
				continue
			}
			controls = append(controls, from.Op)
		}
		n.inputs = inputs[firstInput:len(inputs):len(inputs)]
		n.controls = controls[firstControl:len(controls):len(controls)]
		if !inherits && len(im.opts.ControlDependencies) > 0 {
			n.controls = addControls(slices.Clone(n.controls), im.opts.ControlDependencies)
		}
		waits, err := im.checkInputs(n, int32(place))
		if err != nil {
			return err
		}
		loops = loops || waits

		im.outputs += len(sig.outTypes)
		if im.outputs > maxOutputs(len(s.def)) {
			return status.Errorf(status.ResourceExhausted, "node '%s': the nodes up to this one have %d outputs, more than a GraphDef of %d bytes may have",
				n.name, im.outputs, len(s.def))
		}
		if err := im.infer.node(n, nil, im.opts.KeepShapes); err != nil {
			return nodeError(err, im.names[i], im.ops[i].name)
		}
	}
	if loops {
		return im.checkBackEdges()
	}
	return nil
}

// checkInputs checks the number and the types of a node's inputs, except for
// those of a Merge that come from a node yet to be built, which it reports.
func (im *importer) checkInputs(n *Node, place int32) (waits bool, err error) {
	if len(n.inputs) != len(n.sig.inTypes) {
		return false, inputCountError(n.name, n.sig, len(n.inputs))
	}
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
			if err := checkEdge(n, k, from); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkEdge says whether the output exists and has the type that input k of n
// is declared with. A reference may go where its value is asked for.
func checkEdge(n *Node, k int, from Output) error {
	if !from.Exists() {
		return status.Invalid("Node '%s': Connecting to invalid output %d of source node %s which has %d outputs.",
			n.name, from.Index, from.Op.name, from.Op.NumOutputs())
	}
	want, got := n.sig.inTypes[k], from.Op.sig.outTypes[from.Index]
	if got != want && got.Base() != want {
		return status.Invalid("Input %d of node %s was passed %v from %s:%d incompatible with expected %v.",
			k, n.name, got, from.Op.name, from.Index, want)
	}
	return nil
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

// addControls adds the nodes that are not in controls yet.
func addControls(controls, more []*Node) []*Node {
	for _, n := range more {
		if !slices.Contains(controls, n.self) {
			controls = append(controls, n.self)
		}
	}
	return controls
}

// device is a node's device, each distinct one kept once.
func (im *importer) device(sp span) (string, error) {
	b := sp.of(im.scan.def)
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

// signature is what the attributes make of an operation. Nodes with the same
// bytes share one.
func (im *importer) signature(op *importOp, attrs span) (*signature, error) {
	b := attrs.of(im.scan.def)
	if len(b) > smallAttrs {
		return im.newSignature(op, attrs)
	}
	var space [smallAttrs + 64]byte
	key := append(append(append(space[:0], op.name...), 0), b...)
	if sig := im.sigs[string(key)]; sig != nil {
		return sig, nil
	}
	sig, err := im.newSignature(op, attrs)
	if err != nil {
		return nil, err
	}
	im.sigs[string(key)] = sig
	return sig, nil
}

func (im *importer) newSignature(op *importOp, sp span) (*signature, error) {
	if err := checkDeprecation(op.def, im.versions.Producer); err != nil {
		return nil, err
	}
	f := fields{buf: im.scan.def, msg: "NodeDef", pos: sp.lo, end: sp.hi}
	attrs, err := readAttrs(f, nodeAttr)
	if err != nil {
		return nil, err
	}
	if !im.opts.KeepShapes {
		attrs = slices.DeleteFunc(attrs, func(a registry.NamedAttr) bool { return a.Name == outputShapes })
	}
	if v := attrs.Find(colocation); v != nil {
		if err := im.colocate(v); err != nil {
			return nil, err
		}
	}
	sig := &signature{op: op.def, class: op.class}
	sig.attrs, sig.inTypes, sig.outTypes, err = resolve(op.def, attrs)
	return sig, err
}

const (
	colocation   = "_class" // list(string): "loc:@node" for nodes to share a device with
	locPrefix    = "loc:@"
	outputShapes = "_output_shapes" // list(shape)
)

// colocate renames the nodes of a colocation attribute as imported nodes are.
func (im *importer) colocate(v *registry.AttrValue) error {
	v.List = slices.Clone(v.List)
	for i, e := range v.List {
		name, ok := strings.CutPrefix(e.S, locPrefix)
		if !ok {
			continue
		}
		at, ok := im.index[name]
		if !ok {
			return status.Invalid("the node expects to be colocated with unknown node '%s'", name)
		}
		v.List[i].S = locPrefix + im.final[at]
	}
	return nil
}

// readAttrs reads the map of attributes that is field num of a message, sorted
// by name; of several entries of one name the last holds.
func readAttrs(f fields, num protowire.Number) (registry.Attrs, error) {
	var attrs registry.Attrs
	for {
		more, err := f.next()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		if !f.is(num, protowire.BytesType) {
			continue
		}
		var a registry.NamedAttr
		for e := f.sub("AttrValue entry"); ; {
			more, err := e.next()
			if err != nil {
				return nil, err
			}
			if !more {
				break
			}
			switch {
			case e.is(entryKey, protowire.BytesType):
				if err := e.utf8("attribute name"); err != nil {
					return nil, err
				}
				a.Name = string(e.body.of(e.buf))
			case e.is(entryValue, protowire.BytesType):
				if a.Value, err = decodeAttr(e.body.of(e.buf)); err != nil {
					return nil, status.Errorf(status.CodeOf(err), "attr '%s' at byte %d: %w", a.Name, e.body.lo, err)
				}
			}
		}
		attrs = append(attrs, a)
	}
	slices.SortStableFunc(attrs, func(a, b registry.NamedAttr) int { return strings.Compare(a.Name, b.Name) })
	kept := attrs[:0]
	for i, a := range attrs {
		if i+1 == len(attrs) || attrs[i+1].Name != a.Name {
			kept = append(kept, a)
		}
	}
	return kept, nil
}

// nodeError adds to an error which node it is about.
func nodeError(err error, node, op string) error {
	e := *status.From(err)
	e.Message += "; node '" + node + "' (" + op + ")"
	return &e
}
