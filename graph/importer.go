package graph

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
)

// An importer is one import under way. It works on tables by the position of a
// node in the GraphDef and touches the graph only in commit.
type importer struct {
	g        *Graph
	opts     *ImportOptions
	scan     *outline.Outline
	declared Versions // what the GraphDef says
	prefix   string   // without the slash

	names  []string         // the GraphDef's own
	final  []string         // with prefix or suffix; names itself if there are none
	index  map[string]int32 // position by the GraphDef's name
	ops    []*importOp
	opSet  map[string]*importOp
	order  []int32  // positions, inputs before consumers
	sorted int      // the first places, of nodes that are in no cycle and take from none
	place  []int32  // of a position in the order
	mapped []Output // what replaces inputs, where Input.Node of the outline is negative
	used   map[TensorID]bool
	lib    *library // staged
	body   bool     // it is a function's body that is built
	watch  *status.Watch

	nodes    []Node // by place
	devices  map[string]string
	sigs     map[string]*signature // by operation and the bytes of the attributes
	versions Versions
	outputs  int
	attrs    registry.AttrDecoder
}

// An importOp is an operation that the GraphDef uses.
type importOp struct {
	name  string
	class Class
	def   *registry.OpDef
	nodes int // that use it
}

func (im *importer) run() (*ImportResult, error) {
	defer func(l *library) { im.g.library = l }(im.g.library)
	im.versions = im.g.versions.combine(im.declared)
	for _, step := range []func() error{
		im.checkPrefix,
		im.checkOptions,
		im.nameNodes,
		im.resolveInputs,
		im.sortNodes,
		im.stageLibrary,
		im.lookUpOps,
		im.build,
	} {
		if err := im.watch.Ask(); err != nil {
			return nil, err
		}
		if err := step(); err != nil {
			return nil, err
		}
	}
	r, err := im.result()
	if err != nil {
		return nil, err
	}
	if err := im.lib.commit(); err != nil {
		return nil, err
	}
	im.commit(r.Nodes)
	return r, nil
}

// nameNodes returns every node its name in the graph, checks what a node says of
// itself alone, and makes the index of names.
func (im *importer) nameNodes() error {
	im.cutNames()
	unique := im.opts.UniquifyNames && (im.prefix == "" || !im.opts.UniquifyPrefix)
	if !unique {
		if err := im.checkCollisions(); err != nil {
			return err
		}
	}
	n := len(im.names)
	im.index = make(map[string]int32, n)
	im.ops = make([]*importOp, n)
	im.opSet = map[string]*importOp{}
	for i := range im.names {
		if err := im.watch.Step(); err != nil {
			return err
		}
		if err := im.checkNode(int32(i)); err != nil {
			return err
		}
	}
	if unique {
		im.uniquify()
	}
	return nil
}

// cutNames cuts the names of all nodes, with and without prefix, from one string.
func (im *importer) cutNames() {
	s := im.scan
	n := len(s.Nodes)
	im.names = make([]string, n)
	im.final = im.names
	slash := ""
	if im.prefix != "" {
		slash = im.prefix + "/"
		im.final = make([]string, n)
	}
	var arena strings.Builder
	arena.Grow(s.NameBytes + n*len(slash))
	for i := range s.Nodes {
		arena.WriteString(slash)
		arena.Write(s.Nodes[i].Name.Of(s.Bytes))
	}
	text := arena.String()
	for i := range s.Nodes {
		name := s.Nodes[i].Name
		size := len(slash) + int(name.Hi-name.Lo)
		im.final[i], im.names[i], text = text[:size], text[len(slash):size], text[size:]
	}
}

// checkCollisions keeps the names apart from those of the graph, and, unless the nodes are
// more of the same graph, from its scopes.
func (im *importer) checkCollisions() error {
	if len(im.g.nodes) == 0 {
		return nil
	}
	for _, name := range im.final {
		if _, ok := im.g.byName[name]; ok || im.prefix == "" && !im.opts.Extend && im.g.nameInUse(name) {
			return status.Invalid("Node name '%s' already exists in the Graph", name)
		}
	}
	return nil
}

// checkNode checks the name, the operation's name and the form of the inputs of
// the node at position i, and enters it into the index.
func (im *importer) checkNode(i int32) error {
	s, name := im.scan, im.names[i]
	sn := &s.Nodes[i]
	if !im.validName(name) {
		return status.Invalid("Node '%s': Node name contains invalid characters", name)
	}
	im.index[name] = i
	if len(im.index) != int(i)+1 {
		return status.Invalid("Node '%s' is not unique", name)
	}
	op := sn.Op.Of(s.Bytes)
	if len(op) == 0 {
		return status.Invalid("Node '%s' does not specify an operation", name)
	}
	info := im.opSet[string(op)]
	if info == nil {
		info = &importOp{name: string(op), class: ClassOf(string(op))}
		im.opSet[info.name] = info
	}
	info.nodes++
	im.ops[i] = info
	control := false
	for k := sn.Input; k < sn.Input+sn.NumInputs; k++ {
		text := s.Inputs[k].Text.Of(s.Bytes)
		if len(text) > 0 && text[0] == '^' {
			control = true
		} else if control {
			return status.Invalid("Node '%s': Control dependencies must come after regular dependencies, but the input '%s' does not",
				name, text)
		}
	}
	return nil
}

// uniquify gives a suffix to names that the graph has. None of the new names is
// one of the GraphDef.
func (im *importer) uniquify() {
	if len(im.g.nodes) == 0 {
		return
	}
	scopes := Graph{}
	for _, name := range im.final {
		scopes.addScopes(name)
	}
	taken := func(name string) bool {
		original := strings.TrimPrefix(name, im.prefix+"/")
		_, node := im.index[original]
		_, scope := scopes.scopes[name]
		return node || scope
	}
	im.final = append([]string(nil), im.final...)
	for i, name := range im.final {
		im.final[i] = im.g.uniqueName(name, taken)
	}
}

// resolveInputs finds the node that each input names.
func (im *importer) resolveInputs() error {
	s := im.scan
	if len(im.opts.InputMap) > 0 {
		im.used = make(map[TensorID]bool, len(im.opts.InputMap))
	}
	for i := range s.Nodes {
		sn := &s.Nodes[i]
		if err := im.watch.Steps(1 + int(sn.NumInputs)); err != nil {
			return err
		}
		for k := sn.Input; k < sn.Input+sn.NumInputs; k++ {
			in := &s.Inputs[k]
			text := in.Text.Of(s.Bytes)
			lo, hi, index := splitTensorID(text)
			name := text[lo:hi]
			in.Index = int32(index)
			if im.used != nil {
				id := TensorID{string(name), index}
				if to, ok := im.opts.InputMap[id]; ok {
					im.used[id] = true
					im.mapped = append(im.mapped, to.Canonical())
					in.Node = -int32(len(im.mapped))
					continue
				}
			}
			src, ok := im.index[string(name)]
			if !ok && im.opts.Extend {
				if id, ok := im.g.byName[string(name)]; ok {
					im.mapped = append(im.mapped, Output{im.g.nodes[id], index})
					in.Node = -int32(len(im.mapped))
					continue
				}
			}
			if !ok {
				return status.Invalid("Node '%s': Unknown input node '%s'", im.names[i], text)
			}
			in.Node = src
		}
	}
	return nil
}

// backEdge reports whether input k of the node at position i closes a loop.
func (im *importer) backEdge(i, k int32) bool {
	in := &im.scan.Inputs[k]
	return in.Node >= 0 && in.Index != Control &&
		im.ops[i].class == ClassMerge && im.ops[in.Node].class == ClassNextIteration
}

// lookUpOps finds the definition of every operation, in the library that the
// graph is going to have and among the registered ones.
func (im *importer) lookUpOps() error {
	var missing []*importOp
	for _, i := range im.order[:im.sorted] {
		op := im.ops[i]
		if op.def != nil || op.nodes < 0 {
			continue
		}
		def, call, err := im.lib.Lookup(op.name)
		switch {
		case status.CodeOf(err) == status.NotFound:
			missing = append(missing, op)
			op.nodes = -op.nodes // counted once
			continue
		case err != nil:
			return err
		}
		if call {
			op.class = ClassCall
		}
		op.def = def
	}
	if len(missing) == 0 {
		return nil
	}
	var b strings.Builder
	for k, op := range missing {
		if k == maxNamed {
			b.WriteString(", and more")
			break
		}
		if k > 0 {
			b.WriteString(", ")
		}
		b.WriteString("'" + plain.Name(op.name) + "'")
		if near := im.g.ops.Nearest(op.name); len(near) > 0 {
			b.WriteString(" (did you mean " + near[0] + "?)")
		}
	}
	return status.Errorf(status.NotFound, "Op type not registered %s in the program that runs: is the package of its family imported?", &b)
}

// maxNamed is how many things a message lists before it says "and more".
const maxNamed = 10

// commit makes the import part of the graph; it cannot fail.
func (im *importer) commit(nodes []*Node) {
	g := im.g
	switch {
	case len(g.nodes) > 0:
		for _, n := range nodes {
			g.add(n)
		}
	case im.prefix == "" && slices.IsSorted(im.order):
		// Positions are ids, so the index of names is that of the graph.
		g.nodes, g.byName = slices.Clone(nodes), im.index
	default:
		g.byName = make(map[string]int32, len(nodes))
		for _, n := range nodes {
			g.add(n)
		}
	}
	g.versions = im.versions
	g.inferrer.Producer = im.versions.Producer
	im.lib.over.requireReader(g)
}
