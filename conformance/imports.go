package conformance

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"sort"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// An Import is a GraphDef brought into a graph, and the graph afterwards.
type Import struct {
	Graph string `json:"graph"` // file of the GraphDef to import
	Into  string `json:"into"`  // file of what the graph holds before

	Prefix          string            `json:"prefix"`
	UniquifyNames   bool              `json:"uniquify_names"`
	UniquifyPrefix  bool              `json:"uniquify_prefix"`
	DefaultDevice   string            `json:"default_device"`
	InputMap        map[string]string `json:"input_map"`
	Controls        []string          `json:"control_dependencies"`
	ReturnTensors   []string          `json:"return_tensors"`
	ReturnNodes     []string          `json:"return_nodes"`
	ValidateShape   *bool             `json:"validate_shape"` // absent: true
	Result          string            `json:"result"`         // file of the whole graph afterwards
	ResultTensors   []string          `json:"result_return_tensors"`
	ResultNodes     []string          `json:"result_return_nodes"`
	ResultUnusedMap []string          `json:"result_unused_input_map"`
	Error           *Error            `json:"error"`
}

// runImport imports and compares the graph with the recorded one.
func (s *Script) runImport() error {
	im := s.Import
	g := graph.New()
	if im.Into != "" {
		def, err := fs.ReadFile(s.files, im.Into)
		if err != nil {
			return err
		}
		if err := g.Import(def, ""); err != nil {
			return gapOr(fmt.Errorf("the graph to import into does not load: %w", err))
		}
	}
	before, err := definition(g)
	if err != nil {
		return err
	}
	result, err := im.perform(s.files, g)
	after, errAfter := definition(g)
	if errAfter != nil {
		return errAfter
	}
	if im.Error != nil {
		if judged := im.Error.judge(Outcome{Err: err, Loading: true}); judged != nil {
			return gapOr(judged)
		}
		return inOneLine(compareGraphs(after, before))
	}
	if err != nil {
		return gapOr(fmt.Errorf("it failed: %w", err))
	}
	want := &wire.GraphDef{}
	data, err := fs.ReadFile(s.files, im.Result)
	if err != nil {
		return err
	}
	if err := proto.Unmarshal(data, want); err != nil {
		return err
	}
	return inOneLine(append(compareGraphs(after, want), im.compareReturns(result)...))
}

// gapOr marks an error as a gap if it tells of something not implemented.
func gapOr(err error) error {
	if unimplemented(err) {
		return gap{err}
	}
	return err
}

func (im *Import) perform(files fs.FS, g *graph.Graph) (*graph.ImportResult, error) {
	def, err := fs.ReadFile(files, im.Graph)
	if err != nil {
		return nil, err
	}
	o := graph.ImportOptions{
		Prefix:         im.Prefix,
		UniquifyPrefix: im.UniquifyPrefix,
		UniquifyNames:  im.UniquifyNames,
		DefaultDevice:  im.DefaultDevice,
		ReturnNodes:    im.ReturnNodes,
		InputMap:       map[graph.TensorID]graph.Output{},
		KeepShapes:     im.ValidateShape != nil && !*im.ValidateShape,
	}
	for key, to := range im.InputMap {
		id := graph.ParseTensorID(to)
		o.InputMap[graph.ParseTensorID(key)] = graph.Output{Op: g.Operation(id.Node), Index: id.Index}
	}
	for _, name := range im.Controls {
		o.ControlDependencies = append(o.ControlDependencies, g.Operation(name))
	}
	for _, name := range im.ReturnTensors {
		o.ReturnTensors = append(o.ReturnTensors, graph.ParseTensorID(name))
	}
	return g.ImportGraphDef(def, o)
}

func (im *Import) compareReturns(r *graph.ImportResult) (diffs []error) {
	compare := func(what string, got, want []string) {
		if !slices.Equal(got, want) {
			diffs = append(diffs, fmt.Errorf("%s %q, want %q", what, got, want))
		}
	}
	var tensors, nodes, missing []string
	for _, o := range r.ReturnTensors {
		tensors = append(tensors, o.String())
	}
	for _, n := range r.ReturnNodes {
		nodes = append(nodes, n.Name())
	}
	for _, id := range r.MissingInputs {
		missing = append(missing, id.String())
	}
	compare("returned tensors", tensors, im.ResultTensors)
	compare("returned nodes", nodes, im.ResultNodes)
	compare("unused keys of the input map", missing, im.ResultUnusedMap)
	return diffs
}

// definition returns what a graph exports.
func definition(g *graph.Graph) (*wire.GraphDef, error) {
	var buf bytes.Buffer
	if _, err := g.WriteTo(&buf); err != nil {
		return nil, err
	}
	def := &wire.GraphDef{}
	return def, proto.Unmarshal(buf.Bytes(), def)
}

// compareGraphs lists how two graphs differ, node by node, function by
// function, and in their versions; the order of nodes and of control inputs
// does not count.
func compareGraphs(got, want *wire.GraphDef) (diffs []error) {
	differ := func(format string, args ...any) { diffs = append(diffs, fmt.Errorf(format, args...)) }
	gotNodes, wantNodes := nodesByName(got.GetNode()), nodesByName(want.GetNode())
	for _, name := range sorted.Keys(wantNodes) {
		n := gotNodes[name]
		if n == nil {
			differ("node %q is missing", name)
			continue
		}
		for _, d := range compareNodes(n, wantNodes[name]) {
			differ("node %q: %s", name, d)
		}
	}
	for _, name := range sorted.Keys(gotNodes) {
		if wantNodes[name] == nil {
			differ("node %q should not be there", name)
		}
	}
	gotFuncs, wantFuncs := functionsByName(got), functionsByName(want)
	for _, name := range sorted.Keys(wantFuncs) {
		if !proto.Equal(gotFuncs[name], wantFuncs[name]) {
			differ("function %q: got {%v}, want {%v}", name, gotFuncs[name], wantFuncs[name])
		}
	}
	for _, name := range sorted.Keys(gotFuncs) {
		if wantFuncs[name] == nil {
			differ("function %q should not be there", name)
		}
	}
	if !proto.Equal(got.GetVersions(), want.GetVersions()) {
		differ("versions {%v}, want {%v}", got.GetVersions(), want.GetVersions())
	}
	return diffs
}

func nodesByName(list []*wire.NodeDef) map[string]*wire.NodeDef {
	m := map[string]*wire.NodeDef{}
	for _, n := range list {
		m[n.GetName()] = n
	}
	return m
}

func functionsByName(def *wire.GraphDef) map[string]*wire.FunctionDef {
	m := map[string]*wire.FunctionDef{}
	for _, f := range def.GetLibrary().GetFunction() {
		m[f.GetSignature().GetName()] = f
	}
	return m
}

func compareNodes(got, want *wire.NodeDef) (diffs []string) {
	differ := func(format string, args ...any) { diffs = append(diffs, fmt.Sprintf(format, args...)) }
	if got.GetOp() != want.GetOp() {
		differ("op %s, want %s", got.GetOp(), want.GetOp())
	}
	if got.GetDevice() != want.GetDevice() {
		differ("device %q, want %q", got.GetDevice(), want.GetDevice())
	}
	if g, w := canonicalInputs(got), canonicalInputs(want); !slices.Equal(g, w) {
		differ("inputs %q, want %q", g, w)
	}
	for _, name := range sorted.Keys(want.GetAttr()) {
		if g := got.GetAttr()[name]; !equalAttrs(g, want.GetAttr()[name]) {
			differ("attr %s is {%v}, want {%v}", name, g, want.GetAttr()[name])
		}
	}
	for _, name := range sorted.Keys(got.GetAttr()) {
		if want.GetAttr()[name] == nil {
			differ("attr %s {%v} should not be there", name, got.GetAttr()[name])
		}
	}
	return diffs
}

// canonicalInputs is data inputs in order, then control inputs sorted.
func canonicalInputs(n *wire.NodeDef) []string {
	var data, control []string
	for _, in := range n.GetInput() {
		if strings.HasPrefix(in, "^") {
			control = append(control, in)
		} else {
			data = append(data, graph.ParseTensorID(in).String())
		}
	}
	sort.Strings(control)
	return append(data, slices.Compact(control)...)
}

// equalAttrs compares attributes, tensors by what they hold.
func equalAttrs(a, b *wire.AttrValue) bool {
	if a == nil || b == nil {
		return a == b
	}
	if proto.Equal(a, b) {
		return true
	}
	if a.GetTensor() == nil || b.GetTensor() == nil {
		return false
	}
	x, err := tensorproto.From(a.GetTensor(), 0)
	if err != nil {
		return false
	}
	y, err := tensorproto.From(b.GetTensor(), 0)
	return err == nil && tensor.Compare(x, y, tensor.Tolerance{Exact: true}) == nil
}
