package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/graph/prototext"
)

func TestBench(t *testing.T) {
	text, err := os.ReadFile("testdata/affine.pbtxt")
	if err != nil {
		t.Fatal(err)
	}
	def, err := prototext.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	table := `{
		"affine": {"feeds": {"x:0": {"dtype": "float32", "shape": [4], "value": "ramp"}, "b:0": {"dtype": "float32", "shape": [], "value": 1.5}},
			"fetch": "layer/y:0", "nodes": 6, "unit": "element", "work": 4},
		"done": {"feeds": {"x:0": {"dtype": "float32", "shape": [], "value": 0}, "b:0": {"dtype": "float32", "shape": [2], "value": 0}}, "fetch": "done", "nodes": 6, "unit": "run", "work": 1}}`
	for name, data := range map[string][]byte{"affine.pb": def, "done.pb": def, "graphs.json": []byte(table)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"affine"},
		{"affine", "--run", "--callers", "3"},
		{"done", "--callers", "2", "--engine", "sequential"},
	} {
		got := command(t, append([]string{"bench", dir, "--json"}, args...)...)
		var fields map[string]any
		if err := json.Unmarshal([]byte(got), &fields); err != nil {
			t.Fatalf("%v: %s", args, got)
		}
		if fields["peer"] != "troupe" || fields["graph"] != args[0] || len(fields) != 7 {
			t.Errorf("%v: %s", args, got)
		}
		for _, name := range []string{"median_ns", "best_ns", "first_ms", "import_ms"} {
			if x, _ := fields[name].(float64); x <= 0 {
				t.Errorf("%v: %s is %v", args, name, fields[name])
			}
		}
	}
	if got := command(t, "bench", dir, "other"); !strings.HasSuffix(got, "exit 2\n") {
		t.Errorf("an unknown graph: %s", got)
	}
	if got := command(t, "bench", dir, "--callers", "0"); !strings.HasSuffix(got, "exit 2\n") {
		t.Errorf("no callers: %s", got)
	}
}

func TestRamp(t *testing.T) {
	for text, want := range map[string][]float32{
		`"ramp"`: {0.0/97 - 0.5, 1.0/97 - 0.5, 2.0/97 - 0.5},
		`2.5`:    {2.5, 2.5, 2.5},
	} {
		v, err := benchFeed{DType: "float32", Shape: []int64{3}, Value: json.RawMessage(text)}.tensor()
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range v.Value().([]float32) {
			if x != want[i] {
				t.Errorf("%s: element %d is %v, want %v", text, i, x, want[i])
			}
		}
	}
}
