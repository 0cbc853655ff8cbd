package client

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/typed"
	"github.com/troupe-go/troupe/model/typed/generate"
	"github.com/troupe-go/troupe/serve/client/internal/shapes"
	"github.com/troupe-go/troupe/status"
)

var rewrite = flag.Bool("rewrite", false, "write the package internal/shapes")

// writeShapes writes a model with inputs of every form that code distinguishes.
func writeShapes(t testing.TB, dir string) {
	t.Helper()
	g := graph.New()
	if err := notation.Add(g, `
rows = Placeholder() {dtype=DT_FLOAT, shape=shape [?,2]}
factor = Placeholder() {dtype=DT_FLOAT, shape=shape []}
words = Placeholder() {dtype=DT_STRING, shape=shape [?]}
grid = Placeholder() {dtype=DT_INT64, shape=shape [?,?]}
pair = Placeholder() {dtype=DT_BOOL, shape=shape [2]}
scaled = Mul(rows, factor)
axes = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 0 1>}
total = Sum(scaled, axes)
same = Identity(grid)
text_bytes = StringJoin(words, words) {separator="-"}
not = LogicalNot(pair)
`); err != nil {
		t.Fatal(err)
	}
	ends := func(names ...string) map[string]graph.Output {
		all := map[string]graph.Output{}
		for _, name := range names {
			all[name] = g.Operation(name).Output(0)
		}
		return all
	}
	if err := model.Write(dir, model.Export{Graph: g, Signatures: map[string]model.ExportSignature{
		"serving_default": {Inputs: ends("rows", "factor", "words", "grid", "pair"), Outputs: ends("scaled", "total", "same", "text_bytes", "not")},
		"scale":           {Inputs: ends("rows", "factor"), Outputs: ends("scaled")},
	}}); err != nil {
		t.Fatal(err)
	}
}

// TestGenerated: code that is generated for a model runs it in this process and on a server,
// with the same answers.
func TestGenerated(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shapes")
	writeShapes(t, dir)
	embedded, err := model.Load(dir, []string{"serve"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer embedded.Session.Close()
	source, _, err := generate.Source(generate.Config{Package: "shapes", Model: "shapes", Signatures: embedded.Signatures})
	if err != nil {
		t.Fatal(err)
	}
	const golden = "internal/shapes/shapes_troupe.go"
	if *rewrite {
		if err := os.WriteFile(golden, source, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || string(want) != string(source) {
		t.Errorf("%s is not what is generated (%v): -rewrite writes it", golden, err)
	}

	in := shapes.ServingDefaultInputs{
		Rows: []float32{1, 2, 3, 0.1, -1, 1e-7}, Factor: 1.1, Words: []string{"a", "\xff", ""}, Pair: []bool{true, false},
		Grid: typed.Array[int64]{Data: []int64{1, 2, 3, 1 << 60, 5, 6}, Shape: []int64{2, 3}},
	}
	want := shapes.ServingDefaultOutputs{
		TextBytes: []string{"a-a", "\xff-\xff", "-"}, Not: []bool{false, true}, Same: in.Grid,
	}
	first, err := shapes.New(embedded).ServingDefault(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	want.Scaled, want.Total = first.Scaled, first.Total // which rounds
	for protocol, address := range serveModel(t, "shapes", dir) {
		m := shapes.New(open(t, address, Options{}))
		for name, run := range map[string]*shapes.Model{protocol: m, "embedded": shapes.New(embedded)} {
			if out, err := run.ServingDefault(t.Context(), in); err != nil || !reflect.DeepEqual(out, want) {
				t.Errorf("%s: %+v, %v, want %+v", name, out, err, want)
			}
			wrong := in
			wrong.Words = in.Words[:2]
			wrong.Pair = nil
			if _, err := run.ServingDefault(t.Context(), wrong); status.CodeOf(err) != status.InvalidArgument {
				t.Errorf("%s: %v", name, err)
			}
			wrong = in
			wrong.Grid.Shape = []int64{6}
			if _, err := run.ServingDefault(t.Context(), wrong); status.CodeOf(err) != status.InvalidArgument {
				t.Errorf("%s: %v", name, err)
			}
		}
		if protocol == "v2" { // which knows one signature at a time
			m = shapes.New(open(t, address, Options{Signature: "scale"}))
		}
		out, err := m.Scale(t.Context(), shapes.ScaleInputs{Rows: []float32{1, 2}, Factor: 2})
		if err != nil || !reflect.DeepEqual(out.Scaled, []float32{2, 4}) {
			t.Errorf("%s: %+v, %v", protocol, out, err)
		}
	}
	if first.Total == 0 || len(first.Scaled) != 6 {
		t.Errorf("%+v", first)
	}
}
