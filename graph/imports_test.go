package graph

import (
	"archive/zip"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/status"
)

// recordedImport is a case.json of the conformance group imports.
type recordedImport struct {
	Import struct {
		Graph           string
		Into            string
		Prefix          string
		UniquifyNames   bool              `json:"uniquify_names"`
		UniquifyPrefix  bool              `json:"uniquify_prefix"`
		DefaultDevice   string            `json:"default_device"`
		InputMap        map[string]string `json:"input_map"`
		Controls        []string          `json:"control_dependencies"`
		ReturnTensors   []string          `json:"return_tensors"`
		ReturnNodes     []string          `json:"return_nodes"`
		Result          string
		ResultTensors   []string `json:"result_return_tensors"`
		ResultNodes     []string `json:"result_return_nodes"`
		ResultUnusedMap []string `json:"result_unused_input_map"`
		Error           *struct{ Code, Contains string }
	}
}

// TestRecordedImports compares with what TensorFlow made of the same imports.
// imports_chosen.zip was recorded with
//
//	python conformance/tensorflow/imports.py graph/testdata/imports_chosen.zip --chosen
func TestRecordedImports(t *testing.T) {
	for _, archive := range []string{"imports", "imports_chosen"} {
		t.Run(archive, func(t *testing.T) { runRecorded(t, "testdata/"+archive+".zip") })
	}
}

func runRecorded(t *testing.T, archive string) {
	files, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	cases, err := fs.Glob(files, "*/case.json")
	if err != nil || len(cases) < 30 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, path := range cases {
		name := strings.TrimSuffix(path, "/case.json")
		t.Run(name, func(t *testing.T) {
			dir, err := fs.Sub(files, name)
			if err != nil {
				t.Fatal(err)
			}
			var c recordedImport
			if err := json.Unmarshal(read(t, dir, "case.json"), &c); err != nil {
				t.Fatal(err)
			}
			c.run(t, dir)
		})
	}
}

func (c *recordedImport) run(t *testing.T, dir fs.FS) {
	im := &c.Import
	g := New()
	if im.Into != "" {
		mustImport(t, g, read(t, dir, im.Into))
	}
	before := describe(t, g)
	opts := ImportOptions{
		Prefix: im.Prefix, UniquifyNames: im.UniquifyNames, UniquifyPrefix: im.UniquifyPrefix,
		DefaultDevice: im.DefaultDevice, ReturnNodes: im.ReturnNodes, InputMap: map[TensorID]Output{},
	}
	for from, to := range im.InputMap {
		id := ParseTensorID(to)
		opts.InputMap[ParseTensorID(from)] = g.Operation(id.Node).Output(id.Index)
	}
	for _, name := range im.Controls {
		opts.ControlDependencies = append(opts.ControlDependencies, g.Operation(name))
	}
	for _, id := range im.ReturnTensors {
		opts.ReturnTensors = append(opts.ReturnTensors, ParseTensorID(id))
	}
	r, err := g.ImportGraphDef(read(t, dir, im.Graph), opts)
	if im.Error != nil {
		if got := status.CodeOf(err).String(); got != im.Error.Code || !strings.Contains(err.Error(), im.Error.Contains) {
			t.Fatalf("error %v, want %s with %q", err, im.Error.Code, im.Error.Contains)
		}
		if diff := cmp.Diff(before, describe(t, g)); diff != "" {
			t.Errorf("the failed import changed the graph (-before +after):\n%s", diff)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	want := New()
	def := read(t, dir, im.Result)
	mustImport(t, want, def)
	if diff := cmp.Diff(describe(t, want), describe(t, g)); diff != "" {
		t.Errorf("graph (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(names(want.Nodes()), names(g.Nodes())); diff != "" {
		t.Errorf("nodes by id (-want +got):\n%s", diff)
	}
	var tensors, nodes, unused []string
	for _, p := range r.ReturnTensors {
		tensors = append(tensors, p.String())
	}
	for _, n := range r.ReturnNodes {
		nodes = append(nodes, n.Name())
	}
	for _, id := range r.MissingInputs {
		unused = append(unused, id.String())
	}
	if diff := cmp.Diff([][]string{im.ResultTensors, im.ResultNodes, im.ResultUnusedMap}, [][]string{tensors, nodes, unused}); diff != "" {
		t.Errorf("returned tensors, returned nodes, unused keys (-want +got):\n%s", diff)
	}
}

// describe returns a graph's nodes with sorted control inputs, sorted, its functions
// and its versions.
func describe(t *testing.T, g *Graph) []string {
	t.Helper()
	var lines []string
	for _, n := range g.Nodes() {
		sorted := *n
		sorted.self = &sorted
		sorted.controls = slices.SortedFunc(slices.Values(n.controls), func(a, b *Node) int { return strings.Compare(a.name, b.name) })
		lines = append(lines, string(LineFormat{Defaults: true}.AppendNode(nil, &sorted))+"\n")
	}
	slices.Sort(lines)
	for _, f := range g.Functions() {
		lines = append(lines, "function "+f.Name+" "+string(f.Def))
	}
	return append(lines, string(g.Versions().Append(nil)))
}

func read(t *testing.T, dir fs.FS, name string) []byte {
	t.Helper()
	b, err := fs.ReadFile(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustImport(t *testing.T, g *Graph, def []byte) {
	t.Helper()
	if err := g.Import(def, ""); err != nil {
		t.Fatal(err)
	}
}
