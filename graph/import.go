package graph

import (
	"bytes"
	"context"
	"strings"

	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// Import adds the nodes of a serialized GraphDef, each under "prefix/" if the
// prefix is not empty. It is [Graph.ImportGraphDef] with nothing but a prefix.
func (g *Graph) Import(def []byte, prefix string) error {
	_, err := g.ImportGraphDef(def, ImportOptions{Prefix: prefix})
	return err
}

// GraphImportOptions are the options of an import in TensorFlow's Go binding;
// [ImportOptions] has more.
type GraphImportOptions struct {
	Prefix string // goes before every name, with a slash
	Device string // for nodes that name none

	inputs map[TensorID]Output
}

// AddInputMapping makes imported nodes that take output srcIndex of the
// imported node src (its name without prefix) take dst instead.
func (o *GraphImportOptions) AddInputMapping(src string, srcIndex int, dst Output) {
	if o.inputs == nil {
		o.inputs = map[TensorID]Output{}
	}
	o.inputs[TensorID{src, srcIndex}] = dst
}

// ImportWithOptions adds the nodes of a serialized GraphDef.
func (g *Graph) ImportWithOptions(def []byte, options GraphImportOptions) error {
	_, err := g.ImportGraphDef(def, ImportOptions{
		Prefix:        options.Prefix,
		DefaultDevice: options.Device,
		InputMap:      options.inputs,
	})
	return err
}

// ImportOptions says how a GraphDef is brought into a graph. Names in it are
// those of the GraphDef, before a prefix or a suffix.
type ImportOptions struct {
	// Prefix goes before every name, with a slash.
	Prefix string
	// UniquifyPrefix gives the prefix a suffix if a node or scope has its name.
	UniquifyPrefix bool
	// UniquifyNames gives nodes a suffix where a node or scope of the graph
	// has their name; without it that is an error. Together with a prefix
	// and UniquifyPrefix there is nothing left for it to do.
	UniquifyNames bool
	// InternalNames permits names that begin with an underscore.
	InternalNames bool

	// DefaultDevice is for nodes that name no device.
	DefaultDevice string

	// InputMap says what imported nodes take in place of an imported output.
	// An entry for a control edge has Index [Control] on both sides. The
	// node whose output is replaced is imported all the same. An output that
	// does not exist is an error where an imported node takes it.
	InputMap map[TensorID]Output
	// ControlDependencies are nodes of the graph that every imported node
	// waits for, by itself or through an imported input.
	ControlDependencies []*Node

	// ReturnTensors and ReturnNodes are handed back in the result.
	ReturnTensors []TensorID
	ReturnNodes   []string

	// Extend lets imported nodes name nodes that the graph has, as inputs and for
	// colocation, where the GraphDef has none of that name.
	Extend bool
	// InferAttrs lets nodes leave out attributes that follow from their inputs:
	// types, and the length of one list. Without it that is an error.
	InferAttrs bool
	// Room is how many bytes constants may take beyond what the GraphDef's own
	// size warrants: a few bytes can stand for a tensor of any size. 0 means
	// [registry.DefaultRoom]; passing it is RESOURCE_EXHAUSTED.
	Room int64
	// KeepShapes leaves the attribute _output_shapes on nodes and does not
	// refuse nodes whose shapes contradict one another.
	KeepShapes bool
}

// An ImportResult is what an import hands back.
type ImportResult struct {
	Nodes         []*Node  // all that were added, by id
	ReturnTensors []Output // by position in the options
	ReturnNodes   []*Node
	// MissingInputs is the keys of InputMap that no imported node refers to and
	// that name no output of an imported node, in order.
	MissingInputs []TensorID
}

// ImportGraphDef adds the nodes and functions of a serialized GraphDef, in
// time linear in its size. Nodes may come in any order; they are numbered in an
// order in which inputs come before their consumers, save that a Merge may take
// a NextIteration that comes after it. Any other cycle is INVALID_ARGUMENT.
//
// Attributes that a node does not give get their defaults, unknown ones are
// kept, and shapes are inferred. Nothing of a failed import stays in the graph.
func (g *Graph) ImportGraphDef(def []byte, opts ImportOptions) (*ImportResult, error) {
	return g.importGraphDef(nil, def, opts)
}

// ImportGraphDefContext is ImportGraphDef for GraphDefs that may be large: it fails
// soon after ctx has ended.
func (g *Graph) ImportGraphDefContext(ctx context.Context, def []byte, opts ImportOptions) (*ImportResult, error) {
	return g.importGraphDef(status.NewWatch(ctx), def, opts)
}

func (g *Graph) importGraphDef(watch *status.Watch, def []byte, opts ImportOptions) (*ImportResult, error) {
	o, err := outline.ReadGraphDef(def)
	if err != nil {
		return nil, notGraphDef(def, err)
	}
	var declared Versions
	for _, v := range o.Versions {
		if err := declared.merge(v.Message("VersionDef", def)); err != nil {
			return nil, err
		}
	}
	if err := declared.check(); err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	im := importer{g: g, watch: watch, opts: &opts, scan: o, declared: declared, attrs: registry.AttrDecoder{Watch: watch}}
	r, err := im.run()
	if err != nil {
		return nil, notGraphDef(def, declared.blame(err))
	}
	return r, nil
}

// notGraphDef returns the error of a GraphDef that cannot be imported, or another one if it
// is what people take for one: a SavedModel, which begins with its version, 1, and goes
// on with a graph.
func notGraphDef(def []byte, err error) error {
	if bytes.HasPrefix(def, []byte{1 << 3, 1, 2<<3 | 2}) {
		return status.Invalid("this is no GraphDef, but a SavedModel, which LoadSavedModel loads from its folder")
	}
	return err
}

// checkOptions looks at what the options say of the graph itself.
func (im *importer) checkOptions() error {
	for key, to := range im.opts.InputMap {
		if to.Op == nil || to.Op.graph != im.g {
			return status.Invalid("node '%s' in input_map does not exist in graph (input_map entry: %v->%v)", to.nodeName(), key, to)
		}
		if (key.Index == Control) != (to.Index == Control) {
			return status.Invalid("input_map entry %v->%v between control edge and non-control edge", key, to)
		}
	}
	for _, n := range im.opts.ControlDependencies {
		if n == nil || n.graph != im.g {
			return status.Invalid("node '%s' in control_dependencies does not exist in graph", Output{Op: n}.nodeName())
		}
	}
	return checkDevice(im.opts.DefaultDevice)
}

// checkPrefix settles what goes before names.
func (im *importer) checkPrefix() error {
	if im.opts.Prefix == "" {
		return nil
	}
	im.prefix = strings.TrimSuffix(im.opts.Prefix, "/")
	if !im.validName(im.prefix) {
		return status.Invalid("Imported node name prefix '%s/' would lead to invalid node names", im.prefix)
	}
	if im.opts.UniquifyPrefix {
		im.prefix = im.g.uniqueName(im.prefix, nil)
	}
	return nil
}

func (p Output) nodeName() string {
	if p.Op == nil {
		return ""
	}
	return p.Op.name
}

func (im *importer) validName(name string) bool {
	if im.opts.InternalNames {
		return validName(name, nameHidden)
	}
	return ValidName(name)
}

// result determines what is returned, after all nodes have been built.
func (im *importer) result() (*ImportResult, error) {
	r := &ImportResult{Nodes: make([]*Node, len(im.nodes))}
	for i := range im.nodes {
		r.Nodes[i] = &im.nodes[i]
	}
	for _, id := range im.opts.ReturnTensors {
		if to, ok := im.opts.InputMap[id]; ok {
			im.used[id] = true
			r.ReturnTensors = append(r.ReturnTensors, to.Canonical())
			continue
		}
		n := im.find(id.Node)
		if n == nil {
			return nil, status.Invalid("Requested return tensor '%v' not found in graph def", id)
		}
		if id.Index != Control && !n.Output(id.Index).Exists() {
			return nil, status.Invalid("Invalid return output %d of node '%s', which has %d output(s)", id.Index, id.Node, n.NumOutputs())
		}
		r.ReturnTensors = append(r.ReturnTensors, n.Output(id.Index))
	}
	for _, name := range im.opts.ReturnNodes {
		n := im.find(name)
		if n == nil {
			return nil, status.Invalid("Requested return node '%s' not found in graph def", name)
		}
		r.ReturnNodes = append(r.ReturnNodes, n)
	}
	for key := range im.opts.InputMap {
		if im.used[key] {
			continue
		}
		if n := im.find(key.Node); n == nil || key.Index >= n.NumOutputs() {
			r.MissingInputs = append(r.MissingInputs, key)
		}
	}
	sorted.By(r.MissingInputs, func(a, b TensorID) int {
		if c := strings.Compare(a.Node, b.Node); c != 0 {
			return c
		}
		return a.Index - b.Index
	})
	return r, nil
}

// find returns an imported node by its name in the GraphDef.
func (im *importer) find(name string) *Node {
	i, ok := im.index[name]
	if !ok {
		return nil
	}
	return &im.nodes[im.place[i]]
}
